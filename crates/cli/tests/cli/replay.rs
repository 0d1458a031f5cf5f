//! `tarsy replay`: exported sessions are replayed in an empty directory with an empty environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tarsy_testkit::ToolServer;
use tempfile::TempDir;

/// Runs the binary in an empty directory and checks that it leaves no files there.
fn tarsy(arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    let output = command.args(arguments).env_clear().current_dir(empty.path()).output().unwrap();
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "files were left in the working directory");
    output
}

/// An exported session.
struct Export {
    directory: TempDir,
    cassette: Value,
}

impl Export {
    /// Runs `tarsy investigate --record` with these arguments.
    fn of(arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("session.json").display().to_string();
        let output = tarsy(&[&["investigate", "--record", &file], arguments].concat());
        let exported = fs::read_to_string(&file);
        let exported = exported.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        Self { cassette: serde_json::from_str(&exported).unwrap(), directory }
    }

    fn of_incident(name: &str) -> Self {
        Self::of(&["--incident", name, "--pace", "fast"])
    }

    /// Writes the file and replays it. Returns the output and the exit status.
    fn replay(&self, arguments: &[&str]) -> (String, i32) {
        let file = self.directory.path().join("session.json");
        fs::write(&file, self.cassette.to_string()).unwrap();
        replay(&file, arguments)
    }

    /// Replays the session with a change at this JSON pointer, which must exist.
    fn replay_changed(&mut self, pointer: &str, change: impl FnOnce(&mut Value)) -> (String, i32) {
        let before = self.cassette.clone();
        change(self.cassette.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} does not exist")));
        assert_ne!(self.cassette, before, "{pointer} was not changed");
        let replayed = self.replay(&["--exact"]);
        self.cassette = before;
        replayed
    }

    fn outcome(&self) -> &Value {
        &self.cassette["session"]["outcome"]
    }
}

fn replay(file: &Path, arguments: &[&str]) -> (String, i32) {
    let output = tarsy(&[&["replay", &file.display().to_string()], arguments].concat());
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    (printed, output.status.code().unwrap())
}

fn assert_replays_identically(export: &Export) {
    let (printed, status) = export.replay(&["--exact"]);
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("The replay is identical: the outcome and every message are equal."),
        "{printed}"
    );
}

#[test]
fn the_checkout_session_replays_identically() {
    let export = Export::of_incident("checkout-oom");
    assert_replays_identically(&export);
    assert_eq!(export.replay(&[]).1, 0);
}

#[test]
fn the_certificate_session_replays_identically() {
    assert_replays_identically(&Export::of_incident("expired-certificate"));
}

#[test]
fn the_database_session_replays_identically() {
    assert_replays_identically(&Export::of_incident("slow-database"));
}

#[test]
fn changes_of_the_recording_are_reported() {
    let mut export = Export::of_incident("checkout-oom");
    let (printed, status) = export.replay_changed("/session/outcome/final_analysis", |analysis| {
        *analysis = json!(analysis.as_str().unwrap().replace("quote cache", "session cache"));
    });
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("! final analysis"), "{printed}");
    assert!(printed.contains("session cache") && printed.contains("quote cache"), "{printed}");

    let (printed, status) = export.replay_changed("/agents/data-collection~1ClusterAgent", |turns| {
        turns.as_array_mut().unwrap().pop();
    });
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("! data-collection/ClusterAgent"), "{printed}");
    assert!(printed.contains("replayed: failed") && printed.contains("turn 6 was requested"), "{printed}");

    let (printed, status) = export
        .replay_changed("/session/tools/shop/calls/0/result", |result| *result = json!("No pods found."));
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("~ data-collection/ClusterAgent"), "{printed}");
    assert!(printed.contains("text:     Observation: No pods found."), "{printed}");
}

#[test]
fn a_changed_tool_result_counts_only_in_exact_mode() {
    let mut export = Export::of_incident("slow-database");
    export.cassette["session"]["tools"]["shop"]["calls"][0]["result"] = json!("No pods found.");
    let (printed, status) = export.replay(&[]);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("The outcome is equal. Different messages in"), "{printed}");
    assert_eq!(export.replay(&["--exact"]).1, 1);
}

#[test]
fn an_unrecorded_call_is_an_error() {
    let mut export = Export::of_incident("slow-database");
    let (printed, status) = export.replay_changed("/session/tools/shop/calls", |calls| *calls = json!([]));
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("text:     Observation: this call was not recorded:"), "{printed}");
}

#[test]
fn the_error_for_an_invalid_file_explains_how_to_export() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let cases = [
        (write("plain.yaml", "cassette: 1\nagents: {}\n"), "is a cassette without a session"),
        (write("pod.yaml", "kind: Pod\n"), "kind"),
        (directory.path().join("nowhere.json"), "No such file"),
    ];
    for (file, expected) in cases {
        let (printed, status) = replay(&file, &[]);
        assert_eq!(status, 2, "{printed}");
        assert!(printed.contains(expected), "{printed}");
        for hint in ["tarsy sessions export ID --output FILE", "tarsy investigate --record FILE"] {
            assert!(printed.contains(hint), "{printed}");
        }
    }
}

#[test]
fn rejects_a_cancelled_session() {
    let mut export = Export::of_incident("checkout-oom");
    let (printed, status) =
        export.replay_changed("/session/outcome/status", |status| *status = json!("cancelled"));
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains("the session was cancelled"), "{printed}");
}

/// Everything that makes a session hard to replay: long results that are summarized, equal calls with different results
/// (by one agent and by parallel ones), failures of models and tools, a tool that times out, calls of unknown tools and with
/// invalid arguments, reading in a stored result, and an agent that gives up.
const COMPLEX: &str = r#"
cassette: 1
agents:
  look/Looker-1:
    - chunks:
        - thinking: The logs first.
        - tool_call: { id: call-a, name: shed.log, arguments: { lines: 3000 } }
        - tool_call: { id: call-b, name: shed.log, arguments: { lines: 3500 } }
        - state: '{"signature":"abc"}'
        - usage: { input_tokens: 12, output_tokens: 3, thinking_tokens: 2, cached_tokens: 1 }
    - chunks:
        - tool_call: { id: call-c, name: shed.count, arguments: {} }
        - tool_call: { id: call-d, name: shed.count, arguments: {} }
    - chunks:
        - tool_call: { id: call-e, name: shed.fail, arguments: {} }
        - tool_call: { id: call-f, name: shed.look, arguments: "{ broken" }
        - tool_call: { id: call-g, name: shed.loook, arguments: {} }
        - tool_call: { id: call-h, name: count, arguments: "" }
        - tool_call: { id: call-i, name: tarsy.read_result, arguments: { id: r2, from: 2, to: 3 } }
    - chunks: [{ text: The logs are long. }]
  look/Looker-1 summary:
    - chunks: [{ text: Nothing but numbers. }]
    - chunks: [{ text: More numbers. }, { usage: { input_tokens: 900, output_tokens: 9 } }]
  look/Looker-2:
    - chunks: [{ text: I }, { usage: { input_tokens: 7 } }]
      error: { kind: overloaded, message: Too much to do. }
    - chunks: [{ tool_call: { id: call-a, name: shed.count, arguments: {} } }]
    - chunks: [{ tool_call: { id: call-b, name: shed.wait, arguments: {} } }]
    - chunks: [{ text: There is a log. }]
  look/SynthesisAgent:
    - chunks: [{ text: Both saw a log. }]
  check/Checker:
    - chunks: [{ text: "Thought: I look.\nAction: shed.look\nAction Input: {\"at\": 1.50, \"what\": \"${HOME} {{.X}}\"}" }]
    - chunks: [{ text: "Thought: I look again.\nAction: shed.look\nAction Input: at: 2" }]
    - chunks: [{ text: "Final Answer: The log exists." }]
  again/Doubter:
    - error: { kind: content_filtered, message: That may not be printed. }
  conclude/Thinker:
    - chunks: [{ text: The log is the cause. }]
  ExecSummaryAgent:
    - chunks: [{ text: It was the log. }]
"#;

const CONFIG: &str = r#"
defaults: { llm_provider: tape }
llm_providers:
  tape: { type: replay, cassette: tape.yaml, context_window: 30000, max_tool_result_tokens: 2000 }
mcp_servers:
  shed:
    transport: { type: http, url: "URL", timeout: 2s }
    instructions: "Begin with the log, and read $${1} of it."
    summarization: { size_threshold_tokens: 1500 }
agents:
  Looker: { mcp_servers: [shed], iteration_strategy: native-thinking }
  Checker: { mcp_servers: [shed], custom_instructions: "Look {twice}." }
  Doubter: { iteration_strategy: single-call }
  Thinker: { iteration_strategy: react-final-analysis }
agent_chains:
  test:
    alert_types: [test]
    on_stage_failure: continue
    stages:
      - { name: look, agent: Looker, replicas: 2 }
      - { name: check, agent: Checker }
      - { name: again, agent: Doubter }
      - { name: conclude, agent: Thinker }
"#;

/// Runs a session that is hard to replay, and stops its tool server.
async fn complex_session(alert: Value) -> Export {
    let tools = ToolServer::start().await;
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    fs::create_dir_all(directory.path().join("prompts/parts")).unwrap();
    write("prompts/parts/runbook.md.j2", "Go by this:\n{{ runbook }}\n");
    write("tarsy.yaml", &CONFIG.replace("URL", &tools.url));
    write("tape.yaml", COMPLEX);
    write("alert.json", &alert.to_string());
    let (config, alert) = (directory.path().display().to_string(), directory.path().join("alert.json"));
    let run = move || Export::of(&["--config-dir", &config, &alert.display().to_string()]);
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_complex_session_replays_identically() {
    let alert = json!({
        "alert_type": "test", "runbook": "Look at ${LOG} and {{.LOG}}.\n\n- then rest\n",
        "data": { "pod": "shop-7", "password": "correct-horse-battery-staple", "note": "${HOME}" },
    });
    let export = complex_session(alert).await;
    let session = &export.cassette["session"];
    assert!(!session.to_string().contains("correct-horse"), "{session}");
    let calls = session["tools"]["shed"]["calls"].as_array().unwrap().iter();
    let counted: Vec<&Value> =
        calls.filter(|call| call["tool"] == "count").map(|call| &call["result"]).collect();
    assert_eq!(counted.len(), 4, "{counted:?}");
    assert!(counted[0] != counted[1] && counted[0] != counted[3], "{counted:?}");
    assert_eq!(export.cassette["agents"]["look/Looker-1 summary"].as_array().unwrap().len(), 2);
    assert_eq!(export.outcome()["status"], "completed_with_errors", "{}", export.outcome());
    assert_eq!(export.outcome()["final_analysis"], "The log is the cause.");
    assert_replays_identically(&export);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mcp_selection_of_an_alert_is_replayed() {
    let selection = json!({ "servers": [{ "name": "shed", "tools": ["log", "count", "fail"] }] });
    let export = complex_session(json!({ "alert_type": "test", "data": "Why?", "mcp": selection })).await;
    let offered = export.cassette["session"]["tools"]["shed"]["definitions"].as_array().unwrap();
    let offered: Vec<&str> = offered.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(offered, ["log", "fail", "count"]);
    assert_replays_identically(&export);
}

#[test]
fn an_unavailable_server_does_not_change_the_outcome() {
    let directory = tempfile::tempdir().unwrap();
    let config = "
defaults: { llm_provider: tape }
llm_providers: { tape: { type: replay, cassette: tape.yaml } }
mcp_servers: { shed: { transport: { type: stdio, command: /nonexistent/shed } } }
agents: { Looker: { mcp_servers: [shed] } }
agent_chains: { test: { alert_types: [test], stages: [{ name: look, agent: Looker }] } }
";
    fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
    let tape = "cassette: 1\nagents: { '*': [{ chunks: [{ text: 'Final Answer: Nothing.' }] }] }\n";
    fs::write(directory.path().join("tape.yaml"), tape).unwrap();
    fs::write(directory.path().join("alert.txt"), "Why?").unwrap();
    let [config, alert] = [directory.path().to_owned(), directory.path().join("alert.txt")]
        .map(|path| path.display().to_string());
    let export = Export::of(&["--config-dir", &config, "--alert-type", "test", &alert]);
    let (printed, status) = export.replay(&[]);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("= status             completed"), "{printed}");
    assert_eq!(export.replay(&["--exact"]).1, 1, "the reason of the failure is not recorded");
}
