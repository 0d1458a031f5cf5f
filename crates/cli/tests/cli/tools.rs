//! `tarsy tools`, the real binary, with a real MCP server that says a secret in every way there is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::tarsy::{tarsy, text};

/// Nothing that anybody would say by chance.
const SECRET: &str = "pl4nted-S3cret-77aa";

/// A configuration with servers, and a place for what they write.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/leaky.mjs");
        let (script, pid_file) = (script.display(), desk.pid_file().display().to_string());
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
            fs::write(desk.0.path().join(name), content).unwrap();
        }
        desk
    }

    fn pid_file(&self) -> PathBuf {
        self.0.path().join("pid")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tarsy(&["tools"]);
        // Node may be anywhere; the keys are ours and for nobody else.
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

    /// Runs it with a log that has everything in it.
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).env("RUST_LOG", "trace").output().unwrap()
    }

    /// Runs it as people do.
    fn plainly(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts a call that never ends, and waits until the server has it.
    fn hang(&self) -> (Child, u32) {
        let mut command = self.command(&["call", "leaky.hangs"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pid = until(|| fs::read_to_string(self.pid_file()).ok()?.parse().ok());
        (child, pid)
    }
}

/// Waits for something to be there.
fn until<T>(look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "it never came");
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
fn a_secret_is_in_nothing_that_is_printed_or_logged_however_a_server_says_it() {
    let desk = Desk::new();
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
        let output = desk.run(&["call", &format!("leaky.{tool}")]);
        let (said, logged) = (text(&output.stdout), text(&output.stderr));
        assert!(!said.contains(SECRET) && !logged.contains(SECRET), "{tool}: {said}\n{logged}");
        assert_eq!(output.status.code(), code, "{tool}: {said}\n{logged}");
        assert!(said.contains(out) && logged.contains(log), "{tool}: {said}\n{logged}");
    }
    let output = desk.run(&["call", "leaky.long", "--full"]);
    let (said, logged) = (text(&output.stdout), text(&output.stderr));
    assert!(said.ends_with("\nlast password=[MASKED:password#1]\n") && !logged.contains(SECRET), "{logged}");
}

#[test]
fn a_value_has_one_placeholder() {
    let (_, said, _) = Desk::new().plainly(&["call", "leaky.says", r#"{"twice": true}"#]);
    assert_eq!(said, "the login is password=[MASKED:password#1] and again password=[MASKED:password#1]\n");
}

#[test]
fn a_program_has_none_of_our_keys() {
    let (code, said, _) = Desk::new().plainly(&["call", "leaky.environment"]);
    assert_eq!((code, said.as_str()), (Some(0), "LEAK PATH PID_FILE\n"));
}

#[test]
fn a_long_result_is_shortened_or_summarised_and_can_be_had_whole() {
    let desk = Desk::new();
    let (code, said, remark) = desk.plainly(&["call", "leaky.long"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("call read_result with id \"call-1\"") && said.len() < 11_000, "{said}");
    assert!(remark.contains("--full shows all, --summarize asks a model"), "{remark}");
    let asked = ["call", "leaky.long", "--summarize", "--purpose", "Which letters?"];
    let (_, said, remark) = desk.plainly(&asked);
    assert!(said.starts_with("Words of Greek letters.\n[A model's summary of a result of about "), "{said}");
    assert!(remark.contains(" by tape (recording:tape) in "), "{remark}");
}

#[test]
fn servers_are_listed_with_their_health_and_tools() {
    let (code, said, _) = Desk::new().plainly(&["--server", "leaky", "--server", "dying"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with("leaky  ready, 9 tools  (leaky 1, MCP 2025-06-18)\n"), "{said}");
    assert!(said.contains("\n  leaky.says         reads      It says. And no more.\n"), "{said}");
    assert!(said.contains("\n  leaky.hangs        changes    It hangs. And no more.\n"), "{said}");
    // By now it may be tried again.
    assert!(said.contains("\n\ndying  failed\n  ") || said.contains("\n\ndying  restarting\n  "), "{said}");
    assert!(said.contains("it wrote: cannot log in with password=[MASKED:password]"), "{said}");
}

#[test]
fn programs_read_the_list_as_json() {
    let (code, said, _) = Desk::new().plainly(&["--server", "leaky", "--json"]);
    let list: Value = serde_json::from_str(&said).unwrap();
    let server = &list["servers"][0];
    assert_eq!((code, &server["state"], &server["last_error"]), (Some(0), &"ready".into(), &Value::Null));
    assert_eq!(server["tools"][0]["name"], "leaky.says");
    assert_eq!(server["tools"][0]["input_schema"]["additionalProperties"], false);
}

#[test]
fn what_is_called_wrongly_ends_with_2_and_the_nearest_names() {
    let desk = Desk::new();
    let cases: [(&[&str], &str); 7] = [
        (&["call", "leaky.sais"], "unknown tool `leaky.sais`; did you mean leaky.says"),
        (
            &["call", "leeky.says"],
            "there is no MCP server `leeky`, did you mean `leaky`?; there are: dying, ",
        ),
        (&["--server", "leeky"], "there is no MCP server `leeky`, did you mean `leaky`?"),
        (&["call", "leaky.says", "{"], "the arguments are not JSON: "),
        (&["call", "leaky.says", r#"{"twise": true}"#], "the arguments do not fit the tool:\n- "),
        (&["--json", "call", "leaky.says"], "--server and --json are for the list"),
        (&["call"], "Usage: tarsy tools call"),
    ];
    for (arguments, expected) in cases {
        let (code, said, remark) = desk.plainly(arguments);
        assert_eq!((code, said.as_str()), (Some(2), ""), "{arguments:?}: {remark}");
        assert!(remark.contains(expected), "{arguments:?}: {remark}");
    }
}

#[test]
fn a_server_that_is_away_is_the_reason_and_no_fault_of_who_calls() {
    let (code, _, remark) = Desk::new().plainly(&["call", "dying.anything"]);
    assert_eq!(code, Some(1), "{remark}");
    assert!(remark.contains("The tools of `dying` cannot be used now: "), "{remark}");
    assert!(!remark.contains(SECRET), "{remark}");
}

#[test]
fn ctrl_c_cancels_a_call_and_leaves_nothing_behind() {
    let desk = Desk::new();
    let (mut child, server) = desk.hang();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!alive(server));
}

#[test]
fn a_kill_during_a_call_leaves_nothing_behind() {
    let desk = Desk::new();
    let (mut child, server) = desk.hang();
    assert!(alive(server));
    signal(&child, "-KILL");
    child.wait().unwrap();
    until(|| (!alive(server)).then_some(()));
}

#[test]
fn help_has_examples_and_exit_statuses() {
    for arguments in [&["tools", "--help"][..], &["tools", "call", "--help"]] {
        let help = text(&tarsy::run(arguments).stdout);
        assert!(help.contains("Examples:\n") && help.contains("Exit status: 0"), "{help}");
    }
    assert!(!text(&tarsy::run(&["--help"]).stdout).contains("mcp-guard"));
}
