//! Reports about a session with two agents.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tarsy_domain::{Message, RecordedOutcome};
use tarsy_replay::compare;

use super::*;

fn outcome() -> Value {
    let execution = |agent: &str, digest: &str| {
        json!({
            "agent": agent, "status": "completed", "model_calls": 2, "tool_calls": 0,
            "usage": { "input_tokens": 1, "output_tokens": 1, "thinking_tokens": 0, "cached_tokens": 0 },
            "messages": [{ "role": "user", "sha256": digest.repeat(64) }],
        })
    };
    json!({
        "status": "completed", "final_analysis": "The disk is full.",
        "executions": [execution("look/A", "a"), execution("look/B", "b")],
    })
}

fn recording() -> Recording {
    let directory = tempfile::tempdir().unwrap();
    let config = tarsy_config::Config::load(None, &tarsy_config::Environment::default()).unwrap().config;
    let cassette = json!({
        "cassette": 1,
        "agents": {},
        "session": {
            "alert_type": "disk", "alert": "Full.", "providers": {}, "tools": {}, "questions": 2,
            "chain": config.chain_for_alert_type("kubernetes").unwrap(),
            "outcome": outcome(),
        },
    });
    let path = directory.path().join("a.json");
    std::fs::write(&path, cassette.to_string()).unwrap();
    Recording::load(&path).unwrap()
}

/// Returns the report about this outcome, and whether it equals the recorded one.
fn report(replayed: Value, strictness: Strictness) -> (String, bool) {
    let (recording, outcome): (_, RecordedOutcome) = (recording(), serde_json::from_value(replayed).unwrap());
    let messages = vec![Message::user("Look\n at \u{1b}[31mthe disk.")];
    let rerun = Rerun { outcome, conversations: BTreeMap::from([("look/B".to_owned(), messages)]) };
    let differences = compare(&recording.session.outcome, &rerun.outcome);
    let report = ReplayReport { recording: &recording, rerun: &rerun, differences, strictness };
    (report.to_string(), report.is_equal())
}

#[test]
fn prints_a_line_for_each_equal_value() {
    let (text, is_equal) = report(outcome(), Strictness::Exact);
    assert!(is_equal);
    assert_eq!(
        text,
        "\
Replay of a session of a disk alert

= look/A             completed, 2 model calls
= look/B             completed, 2 model calls
= status             completed
= final analysis     17 characters
= executive summary  none

The replay is identical: the outcome and every message are equal.
The 2 chat questions were not replayed.
"
    );
}

#[test]
fn a_different_conversation_counts_only_in_exact_mode() {
    let mut now = outcome();
    now["executions"][1]["messages"][0]["sha256"] = json!("c".repeat(64));
    let (text, is_equal) = report(now.clone(), Strictness::Outcome);
    assert!(is_equal);
    let expected = "
~ look/B             completed, 2 model calls
    message 1 of 1
      recorded: user bbbbbbbbbbbb
      replayed: user cccccccccccc
      text:     Look at [31mthe disk.
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("The outcome is equal. Different messages in 1 conversation;"));
    assert!(!report(now, Strictness::Exact).1);
}

#[test]
fn marks_the_values_that_differ() {
    let mut now = outcome();
    now["status"] = json!("failed");
    now["error"] = json!("no workers");
    now["executions"].as_array_mut().unwrap().pop();
    let (text, is_equal) = report(now, Strictness::Outcome);
    assert!(!is_equal);
    let expected = "
= look/A             completed, 2 model calls
! look/B             completed, 2 model calls
    execution
      recorded: present
      replayed: missing
! status             completed
    status
      recorded: completed
      replayed: failed
    error
      recorded: none
      replayed: line 1: no workers
= final analysis     17 characters
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("The outcome differs: 3 differences."), "{text}");
}
