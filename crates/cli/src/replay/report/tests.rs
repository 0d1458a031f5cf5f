//! Reports on a session that two agents investigated.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tarsy_domain::Message;
use tarsy_replay::{Outcome, compare};

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

/// The report on a session that came to this, and whether it is the same.
fn report(now: Value, strictness: Strictness) -> (String, bool) {
    let (recording, outcome): (_, Outcome) = (recording(), serde_json::from_value(now).unwrap());
    let said = vec![Message::user("Look\n at \u{1b}[31mthe disk.")];
    let rerun = Rerun { outcome, conversations: BTreeMap::from([("look/B".to_owned(), said)]) };
    let differences = compare(&recording.session.outcome, &rerun.outcome);
    let report = Report { recording: &recording, rerun: &rerun, differences, strictness };
    (report.to_string(), report.is_same())
}

#[test]
fn what_is_the_same_is_said_in_a_line_each() {
    let (said, is_same) = report(outcome(), Strictness::EveryWord);
    assert!(is_same);
    assert_eq!(
        said,
        "\
A session of a disk alert, run again

= look/A             completed, 2 model calls
= look/B             completed, 2 model calls
= status             completed
= final analysis     17 characters
= executive summary  none

It came to the same, and every word on the way was the same.
The 2 questions of the chat were not asked again.
"
    );
}

#[test]
fn other_words_on_the_way_count_only_if_every_word_does() {
    let mut now = outcome();
    now["executions"][1]["messages"][0]["sha256"] = json!("c".repeat(64));
    let (said, is_same) = report(now.clone(), Strictness::Outcome);
    assert!(is_same);
    let expected = "
~ look/B             completed, 2 model calls
    message 1 of 1
      recorded: user bbbbbbbbbbbb
      now:      user cccccccccccc
      it says:  Look at [31mthe disk.
";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("It came to the same. Not everything on the way was the same: 1 conversation."));
    assert!(!report(now, Strictness::EveryWord).1);
}

#[test]
fn another_outcome_is_marked_where_it_is() {
    let mut now = outcome();
    now["status"] = json!("failed");
    now["error"] = json!("nobody came");
    now["executions"].as_array_mut().unwrap().pop();
    let (said, is_same) = report(now, Strictness::Outcome);
    assert!(!is_same);
    let expected = "
= look/A             completed, 2 model calls
! look/B             completed, 2 model calls
    whether it worked
      recorded: it did
      now:      it did not
! status             completed
    status
      recorded: completed
      now:      failed
    error
      recorded: none
      now:      line 1: nobody came
= final analysis     17 characters
";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("It did not come to the same: 3 differences."), "{said}");
}
