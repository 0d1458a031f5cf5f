//! `tarsy replay`: sessions that really ran are exported and run again by the binary alone, in an empty directory with an
//! empty environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tarsy_testkit::ToolServer;
use tempfile::TempDir;

/// Runs the binary where nothing is, and makes sure that nothing is left there.
fn tarsy(arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    let output = command.args(arguments).env_clear().current_dir(empty.path()).output().unwrap();
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "it left files where it was started");
    output
}

/// An exported session in a file.
struct Export {
    directory: TempDir,
    cassette: Value,
}

impl Export {
    /// Has a session investigated with these arguments, and exported.
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

    /// Writes the file anew and runs it again: what is said, and the exit status.
    fn replay(&self, arguments: &[&str]) -> (String, i32) {
        let file = self.directory.path().join("session.json");
        fs::write(&file, self.cassette.to_string()).unwrap();
        replay(&file, arguments)
    }

    /// Runs it again with a change, which must be of what is there.
    fn changed(&mut self, place: &str, change: impl FnOnce(&mut Value)) -> (String, i32) {
        let before = self.cassette.clone();
        change(self.cassette.pointer_mut(place).unwrap_or_else(|| panic!("there is no {place}")));
        assert_ne!(self.cassette, before, "{place} is not changed");
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
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    (said, output.status.code().unwrap())
}

fn comes_to_the_same(export: &Export) {
    let (said, status) = export.replay(&["--exact"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("It came to the same, and every word on the way was the same."), "{said}");
}

#[test]
fn the_checkout_comes_to_the_same() {
    let export = Export::of_incident("checkout-oom");
    comes_to_the_same(&export);
    assert_eq!(export.replay(&[]).1, 0);
}

#[test]
fn the_certificate_comes_to_the_same() {
    comes_to_the_same(&Export::of_incident("expired-certificate"));
}

#[test]
fn the_database_comes_to_the_same() {
    comes_to_the_same(&Export::of_incident("slow-database"));
}

#[test]
fn what_is_tampered_with_is_found() {
    let mut export = Export::of_incident("checkout-oom");
    let (said, status) = export.changed("/session/outcome/final_analysis", |analysis| {
        *analysis = json!(analysis.as_str().unwrap().replace("quote cache", "session cache"));
    });
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("! final analysis"), "{said}");
    assert!(said.contains("session cache") && said.contains("quote cache"), "{said}");

    let (said, status) = export.changed("/agents/data-collection~1ClusterAgent", |turns| {
        turns.as_array_mut().unwrap().pop();
    });
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("! data-collection/ClusterAgent"), "{said}");
    assert!(said.contains("now:      failed") && said.contains("turn 6 was asked for"), "{said}");

    let (said, status) =
        export.changed("/session/tools/shop/calls/0/result", |result| *result = json!("Nothing is there."));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("~ data-collection/ClusterAgent"), "{said}");
    assert!(said.contains("it says:  Observation: Nothing is there."), "{said}");
}

#[test]
fn another_result_of_a_tool_counts_only_if_every_word_does() {
    let mut export = Export::of_incident("slow-database");
    export.cassette["session"]["tools"]["shop"]["calls"][0]["result"] = json!("Nothing is there.");
    let (said, status) = export.replay(&[]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("It came to the same. Not everything on the way was the same:"), "{said}");
    assert_eq!(export.replay(&["--exact"]).1, 1);
}

#[test]
fn a_call_that_was_not_recorded_is_a_failure_that_says_so() {
    let mut export = Export::of_incident("slow-database");
    let (said, status) = export.changed("/session/tools/shop/calls", |calls| *calls = json!([]));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("it says:  Observation: this call was not recorded:"), "{said}");
}

#[test]
fn a_file_that_cannot_be_run_again_is_answered_with_how_to_make_one() {
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
        let (said, status) = replay(&file, &[]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(expected), "{said}");
        for door in ["tarsy sessions export ID --output FILE", "tarsy investigate --record FILE"] {
            assert!(said.contains(door), "{said}");
        }
    }
}

#[test]
fn a_session_that_was_cancelled_is_not_run_again() {
    let mut export = Export::of_incident("checkout-oom");
    let (said, status) = export.changed("/session/outcome/status", |status| *status = json!("cancelled"));
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("the session was cancelled"), "{said}");
}

/// Everything that makes a session hard to run again: long results that are summarised after the same call, the same call
/// with other answers, by one agent and by two at once, failures of models and of tools, one that does not answer in time, calls
/// that no tool and no schema fits, reading in a long result, and an agent that gives up.
const HARD: &str = r#"
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
    - chunks: [{ text: "Final Answer: It is there." }]
  again/Doubter:
    - error: { kind: content_filtered, message: That may not be said. }
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

/// A session that is hard to run again, on a tool server that is gone by then.
async fn hard_session(alert: Value) -> Export {
    let tools = ToolServer::start().await;
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
    fs::create_dir_all(home.path().join("prompts/parts")).unwrap();
    write("prompts/parts/runbook.md.j2", "Go by this:\n{{ runbook }}\n");
    write("tarsy.yaml", &CONFIG.replace("URL", &tools.url));
    write("tape.yaml", HARD);
    write("alert.json", &alert.to_string());
    let (config, alert) = (home.path().display().to_string(), home.path().join("alert.json"));
    let run = move || Export::of(&["--config-dir", &config, &alert.display().to_string()]);
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hard_session_comes_to_the_same() {
    let alert = json!({
        "alert_type": "test", "runbook": "Look at ${LOG} and {{.LOG}}.\n\n- then rest\n",
        "data": { "pod": "shop-7", "password": "correct-horse-battery-staple", "note": "${HOME}" },
    });
    let export = hard_session(alert).await;
    let session = &export.cassette["session"];
    assert!(!session.to_string().contains("correct-horse"), "{session}");
    let asked = session["tools"]["shed"]["calls"].as_array().unwrap().iter();
    let counted: Vec<&Value> =
        asked.filter(|call| call["tool"] == "count").map(|call| &call["result"]).collect();
    assert_eq!(counted.len(), 4, "{counted:?}");
    assert!(counted[0] != counted[1] && counted[0] != counted[3], "{counted:?}");
    assert_eq!(export.cassette["agents"]["look/Looker-1 summary"].as_array().unwrap().len(), 2);
    assert_eq!(export.outcome()["status"], "completed_with_errors", "{}", export.outcome());
    assert_eq!(export.outcome()["final_analysis"], "The log is the cause.");
    comes_to_the_same(&export);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_choice_of_an_alert_is_kept() {
    let chosen = json!({ "servers": [{ "name": "shed", "tools": ["log", "count", "fail"] }] });
    let export = hard_session(json!({ "alert_type": "test", "data": "Why?", "mcp": chosen })).await;
    let offered = export.cassette["session"]["tools"]["shed"]["definitions"].as_array().unwrap();
    let offered: Vec<&str> = offered.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(offered, ["log", "fail", "count"]);
    comes_to_the_same(&export);
}

#[test]
fn a_server_that_was_not_there_makes_no_other_outcome() {
    let home = tempfile::tempdir().unwrap();
    let config = "
defaults: { llm_provider: tape }
llm_providers: { tape: { type: replay, cassette: tape.yaml } }
mcp_servers: { shed: { transport: { type: stdio, command: /nonexistent/shed } } }
agents: { Looker: { mcp_servers: [shed] } }
agent_chains: { test: { alert_types: [test], stages: [{ name: look, agent: Looker }] } }
";
    fs::write(home.path().join("tarsy.yaml"), config).unwrap();
    let tape = "cassette: 1\nagents: { '*': [{ chunks: [{ text: 'Final Answer: Nothing.' }] }] }\n";
    fs::write(home.path().join("tape.yaml"), tape).unwrap();
    fs::write(home.path().join("alert.txt"), "Why?").unwrap();
    let [config, alert] =
        [home.path().to_owned(), home.path().join("alert.txt")].map(|path| path.display().to_string());
    let export = Export::of(&["--config-dir", &config, "--alert-type", "test", &alert]);
    let (said, status) = export.replay(&[]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("= status             completed"), "{said}");
    assert_eq!(export.replay(&["--exact"]).1, 1, "why it was not there is not recorded");
}
