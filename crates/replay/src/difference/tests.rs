//! Differences are found, and only those.

use proptest::prelude::*;
use tarsy_domain::{Role, SessionStatus, WorkStatus};

use super::*;

fn execution(agent: &str) -> ExecutionOutcome {
    let mark = |role, sha256: &str| MessageMark { role, sha256: sha256.repeat(64) };
    ExecutionOutcome {
        agent: agent.to_owned(),
        status: WorkStatus::Completed,
        error: None,
        model_calls: 2,
        tool_calls: 1,
        usage: TokenUsage { input_tokens: 10, output_tokens: 5, ..TokenUsage::default() },
        messages: vec![mark(Role::System, "a"), mark(Role::User, "b"), mark(Role::Assistant, "c")],
    }
}

fn outcome() -> Outcome {
    Outcome {
        status: SessionStatus::Completed,
        error: None,
        final_analysis: Some("First line.\nThe pod runs out of memory.\n".to_owned()),
        executive_summary: Some("Memory.".to_owned()),
        executions: vec![execution("look/A"), execution("look/B")],
    }
}

fn found(change: impl FnOnce(&mut Outcome)) -> Vec<(String, String, String, String, Weight)> {
    let mut now = outcome();
    change(&mut now);
    let differences = compare(&outcome(), &now).into_iter();
    differences.map(|one| (one.place.to_string(), one.what, one.recorded, one.now, one.weight)).collect()
}

/// A change, and the place, the thing, what it was and what it is.
type Case = (fn(&mut Outcome), [&'static str; 4]);

#[test]
fn a_difference_is_placed() {
    let cases: [Case; 10] = [
        (|now| now.status = SessionStatus::Failed, ["the session", "status", "completed", "failed"]),
        (
            |now| now.final_analysis = Some("First line.\nThe pod runs out of disk.\n".to_owned()),
            [
                "the session",
                "final analysis",
                "line 2: The pod runs out of memory.",
                "line 2: The pod runs out of disk.",
            ],
        ),
        (
            |now| now.final_analysis = Some("First line.".to_owned()),
            ["the session", "final analysis", "line 2: The pod runs out of memory.", "ends after line 1"],
        ),
        (|now| now.executive_summary = None, ["the session", "executive summary", "line 1: Memory.", "none"]),
        (|now| now.error = Some("no".to_owned()), ["the session", "error", "none", "line 1: no"]),
        (|now| now.executions[1].status = WorkStatus::Failed, ["look/B", "status", "completed", "failed"]),
        (|now| now.executions[0].model_calls = 3, ["look/A", "model calls", "2", "3"]),
        (|now| now.executions[0].tool_calls = 0, ["look/A", "tool calls", "1", "0"]),
        (
            |now| now.executions[0].usage.cached_tokens = 4,
            [
                "look/A",
                "tokens",
                "10 in (0 cached), 5 out (0 thinking)",
                "10 in (4 cached), 5 out (0 thinking)",
            ],
        ),
        (|now| now.executions.truncate(1), ["look/B", "whether it worked", "it did", "it did not"]),
    ];
    for (change, expected) in cases {
        let [place, what, recorded, now] = expected.map(str::to_owned);
        assert_eq!(found(change), [(place, what, recorded, now, Weight::Outcome)]);
    }
}

#[test]
fn the_first_message_that_is_another_one_is_named() {
    let differences = found(|now| {
        now.executions[0].messages[1].sha256 = "d".repeat(64);
        now.executions[0].messages[2].sha256 = "e".repeat(64);
        now.executions[1].messages.pop();
    });
    let expected = [
        ("look/A", "message 2 of 3", "user bbbbbbbbbbbb", "user dddddddddddd", 2),
        ("look/B", "message 3 of 3", "assistant cccccccccccc", "none", 3),
    ];
    let expected = expected.map(|(place, what, recorded, now, message)| {
        let weight = Weight::Conversation { message };
        (place.to_owned(), what.to_owned(), recorded.to_owned(), now.to_owned(), weight)
    });
    assert_eq!(differences, expected);
}

#[test]
fn of_a_long_line_the_part_that_differs_is_shown() {
    let line = |end: &str| format!("{}{end}", "x".repeat(500));
    let (recorded, now) = first_difference(Some(&line("yes")), Some(&line("no")));
    assert_eq!([recorded, now], ["yes", "no"].map(|end| format!("line 1: …{}{end}", "x".repeat(40))));
    let (recorded, _) = first_difference(Some(&line("")), Some("y"));
    assert_eq!(recorded, format!("line 1: {}…", "x".repeat(240)));
}

#[test]
fn somebody_who_did_not_work_then_is_a_difference() {
    let differences = found(|now| now.executions.push(execution("conclude/C")));
    assert_eq!(differences.len(), 1);
    let (place, what, recorded, ..) = &differences[0];
    assert_eq!([place, what, recorded], ["conclude/C", "whether it worked", "it did not"]);
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    let status = prop::sample::select(SessionStatus::ALL);
    let text = || prop::option::of("[a-b\n]{0,6}");
    let executions = prop::collection::btree_map("[a-c]", ("[xy]{1}", 0..3_usize), 0..3);
    (status, text(), text(), text(), executions).prop_map(|(status, error, analysis, summary, executions)| {
        let executions = executions.into_iter().map(|(agent, (digest, model_calls))| ExecutionOutcome {
            model_calls,
            messages: vec![MessageMark { role: Role::User, sha256: digest }],
            ..execution(&agent)
        });
        Outcome {
            status,
            error,
            final_analysis: analysis,
            executive_summary: summary,
            executions: executions.collect(),
        }
    })
}

proptest! {
    #[test]
    fn nothing_differs_exactly_where_everything_is_equal(one in any_outcome(), other in any_outcome()) {
        prop_assert!(compare(&one, &one).is_empty());
        prop_assert_eq!(compare(&one, &other).is_empty(), one == other);
    }

    #[test]
    fn what_is_shown_of_a_difference_differs(one in any_outcome(), other in any_outcome()) {
        for difference in compare(&one, &other) {
            prop_assert_ne!(&difference.recorded, &difference.now);
        }
    }
}
