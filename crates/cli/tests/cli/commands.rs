//! Output and exit status of the commands.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::tarsy::{run, tarsy, text};

fn example() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config").display().to_string()
}

#[test]
fn check_prints_a_summary_of_the_example_and_exits_with_0() {
    let output = run(&["check", &example()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("kubernetes-agent-chain"), "{}", text(&output.stdout));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn check_without_a_directory_checks_the_built_in_configuration() {
    assert_eq!(run(&["check"]).status.code(), Some(0));
}

#[test]
fn check_of_an_invalid_file_prints_all_errors_to_stderr_and_exits_with_1() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "queue:\n  worker_count: many\nagentz: {}\n").unwrap();
    let output = run(&["check", &directory.path().display().to_string()]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "");
    assert!(printed.contains("tarsy.yaml:2:17") && printed.contains("tarsy.yaml:3:1"), "{printed}");
    assert!(printed.contains("did you mean `agents`?"), "{printed}");
}

/// The snapshots of the configuration tests contain what `tarsy check` prints, up to the section on prompts.
#[test]
fn check_of_existing_files_prints_warnings_only() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/tests");
    for (name, snapshot) in [
        ("existing_every_key", "a_configuration_with_every_key_loads_with_warnings_only"),
        ("existing_example", "a_configuration_in_the_existing_style_loads_with_its_env_file"),
    ] {
        let output = run(&["check", &tests.join("right").join(name).display().to_string()]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let printed = text(&output.stderr) + &text(&output.stdout);
        let (printed, prompts) = printed.split_once("\nPrompts\n").unwrap();
        assert!(prompts.contains("templates replaced"), "{prompts}");
        let path = tests.join(format!("config/snapshots/config__existing__{snapshot}.snap"));
        let snapshot = fs::read_to_string(path).unwrap();
        let expected = snapshot.splitn(3, "---\n").nth(2).unwrap();
        assert_eq!(printed.trim_end(), expected.trim_end(), "{name}");
    }
}

#[test]
fn check_and_serve_reject_action_agents() {
    let directory = tempfile::tempdir().unwrap();
    let main = "agent_chains: {c: {alert_types: [A], stages: [{name: fix, agents: [{name: KubernetesAgent, type: action}]}]}}";
    fs::write(directory.path().join("tarsy.yaml"), main).unwrap();
    let config = directory.path().display().to_string();
    for arguments in [&["check", &config][..], &["--config", &config, "serve", "--listen", "127.0.0.1:0"]] {
        let output = run(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{printed}");
        assert!(printed.contains("remove stage `fix` from chain `c`"), "{printed}");
    }
}

#[test]
fn the_env_file_of_the_configuration_holds_the_key_of_a_provider() {
    let directory = tempfile::tempdir().unwrap();
    let main = "llm_providers: {mine: {type: openai, model: m, api_key_env: MY_KEY, base_url: 'http://127.0.0.1:1', retry: {max_attempts: 1}}}";
    fs::write(directory.path().join("tarsy.yaml"), main).unwrap();
    let config = directory.path().display().to_string();
    let ask = || text(&run(&["--config", &config, "llm", "--provider", "mine", "hello"]).stderr);
    assert!(ask().contains("MY_KEY"), "{}", ask());
    fs::write(directory.path().join(".env"), "MY_KEY=PLANTED-SECRET-KEY\n").unwrap();
    let printed = ask();
    assert!(!printed.contains("MY_KEY") && !printed.contains("PLANTED"), "{printed}");
    assert!(printed.contains("no connection to the model"), "{printed}");
}

#[test]
fn schema_prints_json() {
    let output = run(&["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let output = run(&["schema", "openapi"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["info"]["title"], "TARSy");
    assert!(document["paths"]["/api/v1/sessions"]["get"].is_object());
}

/// Runs `tarsy react` with a reply on stdin.
fn react(arguments: &[&str], reply: &[u8]) -> Output {
    let mut child = tarsy(&[&["react"], arguments].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(reply).unwrap();
    child.wait_with_output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn react_prints_every_field_in_order() {
    let output = react(&[], b"Thought: look\nAction: k8s.pods\nAction Input: limit: 5\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        r#"{
  "kind": "action",
  "thought": "look",
  "action": "k8s.pods",
  "action_input": "limit: 5",
  "parameters": {
    "limit": 5
  },
  "final_answer": null,
  "feedback": null,
  "not_executed": []
}
"#
    );
}

#[test]
fn react_prints_the_kind_of_a_reply() {
    let answer = json(&react(&["-"], b"Final Answer: all well"));
    assert_eq!((&answer["kind"], &answer["final_answer"]), (&"final_answer".into(), &"all well".into()));
    let malformed = json(&react(&[], b""));
    assert_eq!((&malformed["kind"], &malformed["thought"]), (&"malformed".into(), &serde_json::Value::Null));
    assert!(malformed["feedback"].as_str().unwrap().contains("Final Answer:"));
}

#[test]
fn react_checks_the_action_against_known_tools() {
    let known = json(&react(&["--tools", "k8s.pods, web.search"], b"Action: Pods\nAction Input:"));
    assert_eq!((&known["kind"], &known["action"]), (&"action".into(), &"k8s.pods".into()));
    let unknown = json(&react(&["--tools", "k8s.pods,web.search"], b"Action: k8s.pod\nAction Input:"));
    assert_eq!(unknown["kind"], "unknown_tool");
    assert!(unknown["feedback"].as_str().unwrap().contains("- `k8s.pods`"), "{unknown}");
}

#[test]
fn react_reads_a_file_and_reports_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(path("reply.txt"), "Final Answer: all well").unwrap();
    fs::write(path("image.png"), b"\x89PNG\xff").unwrap();
    assert_eq!(json(&run(&["react", &path("reply.txt")]))["final_answer"], "all well");
    for (file, reason) in [("missing.txt", "reading "), ("image.png", " is not UTF-8")] {
        let output = run(&["react", &path(file)]);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(printed.contains(reason) && printed.contains(&path(file)), "{printed}");
        assert_eq!(text(&output.stdout), "");
    }
    assert!(text(&react(&[], b"\xff").stderr).contains("stdin is not UTF-8"));
}

#[test]
fn invalid_arguments_exit_with_2() {
    for arguments in [&["frobnicate"][..], &["serve", "--listen", "nowhere"], &["--log", "xml", "check"], &[]]
    {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let empty = ["TARSY_CONFIG_DIR", "TARSY_DATA_DIR", "TARSY_DATABASE_URL"].map(|name| (name, ""));
    let output = tarsy(&["check"]).envs(empty).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn serve_rejects_a_public_address() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().display().to_string();
    let output = run(&["serve", "--listen", "0.0.0.0:0", "--data-dir", &data]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("refusing to listen on 0.0.0.0:0"), "{}", text(&output.stderr));
    assert!(!directory.path().join("tarsy.db").exists());
}

#[test]
fn serve_prints_its_address_stores_data_and_stops_on_sigterm() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = tarsy(&["serve"])
        .env("TARSY_LISTEN", "127.0.0.1:0")
        .env("TARSY_DATA_DIR", directory.path())
        .env("TARSY_LOG", "json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first_line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first_line).unwrap();
    assert!(first_line.starts_with("listening on http://127.0.0.1:"), "{first_line}");
    assert!(directory.path().join("tarsy.db").exists());

    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    for line in text(&output.stderr).lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn the_error_for_an_unreachable_database_hides_the_password() {
    let url = "postgres://me:secret@127.0.0.1:1/tarsy";
    let output = run(&["serve", "--listen", "localhost:0", "--database-url", url]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(printed.contains("cannot open database postgres://me:***@127.0.0.1:1/tarsy"), "{printed}");
    assert!(printed.contains("refused") && !printed.contains("secret"), "{printed}");
}

/// Creates a configuration directory with prompt templates.
fn directory_with_prompts(templates: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "").unwrap();
    for (name, source) in templates {
        let path = directory.path().join("prompts").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, source).unwrap();
    }
    directory
}

#[test]
fn a_shown_prompt_can_be_overridden() {
    let shown = run(&["prompts", "show", "parts/report.md.j2"]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert!(text(&shown.stdout).starts_with("## The answer\n"), "{}", text(&shown.stdout));

    let directory = directory_with_prompts(&[("parts/report.md.j2", &(text(&shown.stdout) + "Be kind.\n"))]);
    let config = directory.path().display().to_string();
    let output = run(&["check", &config]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("\nPrompts\n  1 of 21 templates replaced: parts/report.md.j2\n"));

    let listed = text(&run(&["prompts", "list", "--config-dir", &config]).stdout);
    assert!(listed.contains("\nchat.md.j2\n"), "{listed}");
    assert!(listed.contains("\nparts/report.md.j2  replaced by prompts/parts/report.md.j2\n"), "{listed}");
    let show = ["prompts", "show", "parts/report.md.j2", "--config-dir", &config];
    assert!(text(&run(&show).stdout).ends_with("Be kind.\n"));
    let built_in = run(&[&show[..], &["--built-in"]].concat());
    assert_eq!(built_in.stdout, shown.stdout);
}

#[test]
fn check_and_serve_reject_invalid_prompts_with_their_positions() {
    let directory = directory_with_prompts(&[
        ("chat.md.j2", "{% block system %}{% endblock %}\n{% block user %}{{ qestion }}{% endblock %}\n"),
        ("stage.md.j2", "{% block system %}\n{% if %}\n"),
    ]);
    let config = directory.path().display().to_string();
    let data = directory.path().join("data").display().to_string();
    for arguments in [
        &["check", &config][..],
        &["serve", "--listen", "127.0.0.1:0", "--config-dir", &config, "--data-dir", &data],
    ] {
        let output = run(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            printed.contains("prompts/chat.md.j2:2:20") && printed.contains("prompts/stage.md.j2:2:"),
            "{printed}"
        );
    }
    assert!(!Path::new(&data).exists());
}

#[test]
fn the_error_for_an_unknown_prompt_suggests_a_name() {
    let output = run(&["prompts", "show", "chat"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("did you mean `chat.md.j2`?"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn the_commands_in_the_documentation_of_prompts_work() {
    let page = include_str!("../../../../docs/prompts.md");
    let commands = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let directory = directory_with_prompts(&[]);
    let (folder, config) = (directory.path(), directory.path().join("config"));
    fs::create_dir(&config).unwrap();
    fs::rename(folder.join("tarsy.yaml"), config.join("tarsy.yaml")).unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_tarsy")).parent().unwrap().display();
    let output = Command::new("/bin/sh")
        .args(["-euc", commands])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{binaries}:/usr/bin:/bin"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 of 21 templates replaced: parts/report.md.j2"));
}
