//! What can be run again is read, and what cannot says why.

use serde_json::json;

use super::*;
use crate::fixture::cassette;

fn load(cassette: &Value) -> Result<Recording, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.json");
    std::fs::write(&path, cassette.to_string()).unwrap();
    Recording::load(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
}

fn refused(cassette: &Value) -> String {
    load(cassette).unwrap_err()
}

#[test]
fn an_exported_session_is_read() {
    let recording = load(&cassette()).unwrap();
    assert_eq!(recording.chain.stages[0].name, "look");
    assert_eq!(recording.session.tools["shed"].calls[0].result, "a log");
    assert_eq!(recording.session.outcome.executions[0].agent, "look/Looker");
}

#[test]
fn a_file_that_cannot_be_run_again_says_why() {
    let plain = json!({ "cassette": 1, "agents": {} });
    assert_eq!(
        refused(&plain),
        "FILE is a cassette without a session: what its models said can be played, but not run again"
    );
    assert!(refused(&json!({ "kind": "Pod" })).starts_with("FILE: "));
    let mut odd = cassette();
    odd["session"]["tools"]["shed"]["calls"][0]["result"] = json!(7);
    assert!(refused(&odd).contains("session.tools.shed.calls[0].result: invalid type"), "{}", refused(&odd));
    let mut odd = cassette();
    odd["session"]["chain"]["stages"][0]["name"] = json!([]);
    assert!(refused(&odd).contains("session.chain.stages[0].name: invalid type"), "{}", refused(&odd));
}

#[test]
fn what_a_clock_or_a_person_ended_is_not_run_again() {
    let ended = |status: &str| {
        let mut cassette = cassette();
        cassette["session"]["outcome"]["status"] = json!(status);
        refused(&cassette)
    };
    assert!(ended("in_progress").contains("had not ended when it was exported, it was in_progress"));
    assert!(ended("cancelled").contains("the session was cancelled"));
    assert!(ended("timed_out").contains("the session was stopped by a limit of time"));
    let mut one = cassette();
    one["session"]["outcome"]["executions"][0]["status"] = json!("timed_out");
    assert!(refused(&one).contains("`look/Looker` was stopped by a limit of time"));
}

#[test]
fn an_agent_whose_model_kept_it_waiting_gives_up_again() {
    let mut cassette = cassette();
    cassette["session"]["outcome"]["executions"][0]["status"] = json!("timed_out");
    cassette["agents"]["look/Looker"] = json!([{ "error": { "kind": "timeout", "message": "too slow" } }]);
    assert!(load(&cassette).is_ok());
}
