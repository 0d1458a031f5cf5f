//! `tarsy tools`, with an MCP server that leaks a secret in every possible way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::tarsy::{tarsy, text};

/// A text that does not occur by chance.
const SECRET: &str = "pl4nted-S3cret-77aa";

/// A configuration directory with MCP servers.
struct ToolsConfig(TempDir);

impl ToolsConfig {
    fn new() -> Self {
        let config = Self(tempfile::tempdir().unwrap());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/leaky.mjs");
        let (script, pid_file) = (script.display(), config.pid_file().display().to_string());
        let tarsy = format!(
            "mcp_servers:
  leaky:
    transport:
      type: stdio
      command: node
      args: [{script}]
      env: {{ LEAK: {SECRET}, PID_FILE: {pid_file} }}
    summarization: {{ llm_provider: tape }}
  dying:
    transport: {{ type: stdio, command: node, args: [{script}, dies], env: {{ LEAK: {SECRET} }} }}
"
        );
        let tape = "cassette: 1\nagents:\n  tools:\n    - chunks: [{ text: Words of Greek letters. }]\n";
        for (name, content) in [
            ("tarsy.yaml", tarsy.as_str()),
            ("llm-providers.yaml", "llm_providers:\n  tape: { type: replay, cassette: tape.yaml }\n"),
            ("tape.yaml", tape),
        ] {
            fs::write(config.0.path().join(name), content).unwrap();
        }
        config
    }

    fn pid_file(&self) -> PathBuf {
        self.0.path().join("pid")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tarsy(&["tools"]);
        // Node may be anywhere. The keys must not reach the servers.
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("OPENAI_API_KEY", "sk-our-own-key")
            .env("TARSY_DATABASE_URL", "sqlite:/nowhere")
            .env("HTTPS_PROXY", "http://me:word@127.0.0.1:9")
            .arg("--config-dir")
            .arg(self.0.path())
            .args(arguments);
        command
    }

    /// Runs the command with the log at `trace`.
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).env("RUST_LOG", "trace").output().unwrap()
    }

    /// Runs the command with the default log.
    fn run_quietly(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts a call that never returns, and waits until the server has received it.
    fn hang(&self) -> (Child, u32) {
        assert!(Command::new("mkfifo").arg(self.pid_file()).status().unwrap().success());
        let mut command = self.command(&["call", "leaky.hangs"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Reading a FIFO blocks until the server has written its process id.
        (child, fs::read_to_string(self.pid_file()).unwrap().parse().unwrap())
    }
}

/// Polls until a process that is not our child has exited.
fn wait_until_exited(pid: u32) {
    let began = Instant::now();
    while alive(pid) {
        assert!(began.elapsed() < Duration::from_secs(20), "process {pid} is still alive");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|status| !status.contains(") Z "))
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn no_secret_is_printed_or_logged() {
    let config = ToolsConfig::new();
    let cases = [
        ("says", Some(0), "the login is password=[MASKED:password#1]\n", "ok after"),
        ("fails", Some(1), "refused password=[MASKED:password#1]\n", "error after"),
        ("throws", Some(1), "error -32000: unexpected password=[MASKED:password#1]\n", "error after"),
        ("progresses", Some(0), "done\n", "… 1 of 2 trying password=[MASKED:password#1]\n"),
        ("complains", Some(0), "complained\n", "warning: password=[MASKED:password]"),
        ("complains", Some(0), "complained\n", "logged password=[MASKED:password]"),
        ("structures", Some(0), "\"password\": \"[MASKED:password#1]\"", "ok after"),
    ];
    for (tool, code, out, log) in cases {
        let output = config.run(&["call", &format!("leaky.{tool}")]);
        let (printed, logged) = (text(&output.stdout), text(&output.stderr));
        assert!(!printed.contains(SECRET) && !logged.contains(SECRET), "{tool}: {printed}\n{logged}");
        assert_eq!(output.status.code(), code, "{tool}: {printed}\n{logged}");
        assert!(printed.contains(out) && logged.contains(log), "{tool}: {printed}\n{logged}");
    }
    let output = config.run(&["call", "leaky.long", "--full"]);
    let (printed, logged) = (text(&output.stdout), text(&output.stderr));
    assert!(
        printed.ends_with("\nlast password=[MASKED:password#1]\n") && !logged.contains(SECRET),
        "{logged}"
    );
}

#[test]
fn a_value_always_has_the_same_placeholder() {
    let (_, printed, _) = ToolsConfig::new().run_quietly(&["call", "leaky.says", r#"{"twice": true}"#]);
    assert_eq!(printed, "the login is password=[MASKED:password#1] and again password=[MASKED:password#1]\n");
}

#[test]
fn a_server_process_gets_none_of_our_keys() {
    let (code, printed, _) = ToolsConfig::new().run_quietly(&["call", "leaky.environment"]);
    assert_eq!((code, printed.as_str()), (Some(0), "LEAK PATH PID_FILE\n"));
}

#[test]
fn a_long_result_is_shortened_or_summarized() {
    let config = ToolsConfig::new();
    let (code, printed, note) = config.run_quietly(&["call", "leaky.long"]);
    assert_eq!(code, Some(0));
    assert!(printed.contains("call read_result with id \"call-1\"") && printed.len() < 11_000, "{printed}");
    assert!(note.contains("use --full for the complete result or --summarize for a summary"), "{note}");
    let arguments = ["call", "leaky.long", "--summarize", "--purpose", "Which letters?"];
    let (_, printed, note) = config.run_quietly(&arguments);
    assert!(
        printed.starts_with(
            "Words of Greek letters.\n[This is a summary, written by a model, of a result of about "
        ),
        "{printed}"
    );
    assert!(note.contains(" by tape (recording:tape) in "), "{note}");
}

#[test]
fn lists_servers_with_their_health_and_tools() {
    let (code, printed, _) = ToolsConfig::new().run_quietly(&["--server", "leaky", "--server", "dying"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.starts_with("leaky  ready, 9 tools  (leaky 1, MCP 2025-06-18)\n"), "{printed}");
    assert!(printed.contains("\n  leaky.says         reads      It says. And no more.\n"), "{printed}");
    assert!(printed.contains("\n  leaky.hangs        changes    It hangs. And no more.\n"), "{printed}");
    // A restart may have begun.
    assert!(
        printed.contains("\n\ndying  failed\n  ") || printed.contains("\n\ndying  restarting\n  "),
        "{printed}"
    );
    assert!(printed.contains("it wrote: cannot log in with password=[MASKED:password]"), "{printed}");
}

#[test]
fn prints_the_list_as_json() {
    let (code, printed, _) = ToolsConfig::new().run_quietly(&["--server", "leaky", "--json"]);
    let list: Value = serde_json::from_str(&printed).unwrap();
    let server = &list["servers"][0];
    assert_eq!((code, &server["state"], &server["last_error"]), (Some(0), &"ready".into(), &Value::Null));
    assert_eq!(server["tools"][0]["name"], "leaky.says");
    assert_eq!(server["tools"][0]["input_schema"]["additionalProperties"], false);
}

#[test]
fn invalid_calls_exit_with_2_and_suggest_names() {
    let config = ToolsConfig::new();
    let cases: [(&[&str], &str); 7] = [
        (&["call", "leaky.sais"], "unknown tool `leaky.sais`; did you mean leaky.says"),
        (
            &["call", "leeky.says"],
            "there is no MCP server `leeky`, did you mean `leaky`?; there are: dying, ",
        ),
        (&["--server", "leeky"], "there is no MCP server `leeky`, did you mean `leaky`?"),
        (&["call", "leaky.says", "{"], "the arguments are not valid JSON: "),
        (
            &["call", "leaky.says", r#"{"twise": true}"#],
            "the arguments do not match the schema of the tool:\n- ",
        ),
        (&["--json", "call", "leaky.says"], "--server and --json apply to the list only"),
        (&["call"], "Usage: tarsy tools call"),
    ];
    for (arguments, expected) in cases {
        let (code, printed, note) = config.run_quietly(arguments);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{arguments:?}: {note}");
        assert!(note.contains(expected), "{arguments:?}: {note}");
    }
}

#[test]
fn an_unavailable_server_exits_with_1() {
    let (code, _, note) = ToolsConfig::new().run_quietly(&["call", "dying.anything"]);
    assert_eq!(code, Some(1), "{note}");
    assert!(note.contains("The tools of `dying` are not available now: "), "{note}");
    assert!(!note.contains(SECRET), "{note}");
}

#[test]
fn ctrl_c_cancels_a_call_and_stops_the_server() {
    let config = ToolsConfig::new();
    let (mut child, server) = config.hang();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!alive(server));
}

#[test]
fn a_kill_during_a_call_stops_the_server() {
    let config = ToolsConfig::new();
    let (mut child, server) = config.hang();
    assert!(alive(server));
    signal(&child, "-KILL");
    child.wait().unwrap();
    wait_until_exited(server);
}

#[test]
fn the_help_has_examples_and_exit_statuses() {
    for arguments in [&["tools", "--help"][..], &["tools", "call", "--help"]] {
        let help = text(&crate::tarsy::run(arguments).stdout);
        assert!(help.contains("Examples:\n") && help.contains("Exit status: 0"), "{help}");
    }
    assert!(!text(&crate::tarsy::run(&["--help"]).stdout).contains("mcp-guard"));
}
