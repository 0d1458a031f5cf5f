//! Recordings that can be replayed are loaded; others are rejected with the reason.

use serde_json::json;

use super::*;
use crate::fixture::cassette;

fn load(cassette: &Value) -> Result<Recording, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.json");
    std::fs::write(&path, cassette.to_string()).unwrap();
    Recording::load(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
}

fn load_error(cassette: &Value) -> String {
    load(cassette).unwrap_err()
}

#[test]
fn loads_an_exported_session() {
    let recording = load(&cassette()).unwrap();
    assert_eq!(recording.chain.stages[0].name, "look");
    assert_eq!(recording.session.tools["shed"].calls[0].result, "a log");
    assert_eq!(recording.session.outcome.executions[0].agent, "look/Looker");
}

#[test]
fn rejects_files_that_are_not_recordings() {
    let plain = json!({ "cassette": 1, "agents": {} });
    assert_eq!(
        load_error(&plain),
        "FILE is a cassette without a session: the `replay` provider can play it, but it cannot be replayed"
    );
    assert!(load_error(&json!({ "kind": "Pod" })).starts_with("FILE: "));
    let mut invalid = cassette();
    invalid["session"]["tools"]["shed"]["calls"][0]["result"] = json!(7);
    let error = load_error(&invalid);
    assert!(error.contains("session.tools.shed.calls[0].result: invalid type"), "{error}");
    let mut invalid = cassette();
    invalid["session"]["chain"]["stages"][0]["name"] = json!([]);
    let error = load_error(&invalid);
    assert!(error.contains("session.chain.stages[0].name: invalid type"), "{error}");
}

#[test]
fn rejects_sessions_that_a_time_limit_or_a_user_ended() {
    let with_status = |status: &str| {
        let mut cassette = cassette();
        cassette["session"]["outcome"]["status"] = json!(status);
        load_error(&cassette)
    };
    assert!(with_status("in_progress").contains("the session was in_progress when it was exported"));
    assert!(with_status("cancelled").contains("the session was cancelled"));
    assert!(with_status("timed_out").contains("the session timed out"));
    let mut timed_out = cassette();
    timed_out["session"]["outcome"]["executions"][0]["status"] = json!("timed_out");
    assert!(load_error(&timed_out).contains("agent `look/Looker` timed out"));
}

#[test]
fn accepts_an_agent_that_gave_up_on_a_recorded_model_timeout() {
    let mut cassette = cassette();
    cassette["session"]["outcome"]["executions"][0]["status"] = json!("timed_out");
    cassette["agents"]["look/Looker"] = json!([{ "error": { "kind": "timeout", "message": "too slow" } }]);
    assert!(load(&cassette).is_ok());
}
