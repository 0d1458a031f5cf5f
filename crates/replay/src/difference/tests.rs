//! Tests of the comparison.

use proptest::prelude::*;
use tarsy_domain::{Role, SessionStatus, WorkStatus};

use super::*;

fn execution(agent: &str) -> RecordedExecution {
    let message = |role, sha256: &str| MessageDigest { role, sha256: sha256.repeat(64) };
    RecordedExecution {
        agent: agent.to_owned(),
        status: WorkStatus::Completed,
        error: None,
        model_calls: 2,
        tool_calls: 1,
        usage: TokenUsage { input_tokens: 10, output_tokens: 5, ..TokenUsage::default() },
        messages: vec![message(Role::System, "a"), message(Role::User, "b"), message(Role::Assistant, "c")],
    }
}

fn outcome() -> RecordedOutcome {
    RecordedOutcome {
        status: SessionStatus::Completed,
        error: None,
        final_analysis: Some("First line.\nThe pod runs out of memory.\n".to_owned()),
        executive_summary: Some("Memory.".to_owned()),
        executions: vec![execution("look/A"), execution("look/B")],
    }
}

fn differences(
    change: impl FnOnce(&mut RecordedOutcome),
) -> Vec<(String, String, String, String, DifferenceKind)> {
    let mut replayed = outcome();
    change(&mut replayed);
    let differences = compare(&outcome(), &replayed).into_iter();
    differences.map(|one| (one.scope.to_string(), one.what, one.recorded, one.replayed, one.kind)).collect()
}

/// A change; and the scope, the name, the recorded and the replayed value of the difference.
type Case = (fn(&mut RecordedOutcome), [&'static str; 4]);

#[test]
fn each_difference_has_its_scope_and_values() {
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
        (|now| now.executions.truncate(1), ["look/B", "execution", "present", "missing"]),
    ];
    for (change, expected) in cases {
        let [scope, what, recorded, replayed] = expected.map(str::to_owned);
        assert_eq!(differences(change), [(scope, what, recorded, replayed, DifferenceKind::Outcome)]);
    }
}

#[test]
fn reports_the_first_message_that_differs() {
    let found = differences(|now| {
        now.executions[0].messages[1].sha256 = "d".repeat(64);
        now.executions[0].messages[2].sha256 = "e".repeat(64);
        now.executions[1].messages.pop();
    });
    let expected = [
        ("look/A", "message 2 of 3", "user bbbbbbbbbbbb", "user dddddddddddd", 2),
        ("look/B", "message 3 of 3", "assistant cccccccccccc", "none", 3),
    ];
    let expected = expected.map(|(scope, what, recorded, replayed, message)| {
        let kind = DifferenceKind::Conversation { message };
        (scope.to_owned(), what.to_owned(), recorded.to_owned(), replayed.to_owned(), kind)
    });
    assert_eq!(found, expected);
}

#[test]
fn shows_the_part_of_a_long_line_that_differs() {
    let line = |end: &str| format!("{}{end}", "x".repeat(500));
    let (recorded, replayed) = first_difference(Some(&line("yes")), Some(&line("no")));
    assert_eq!([recorded, replayed], ["yes", "no"].map(|end| format!("line 1: …{}{end}", "x".repeat(40))));
    let (recorded, _) = first_difference(Some(&line("")), Some("y"));
    assert_eq!(recorded, format!("line 1: {}…", "x".repeat(240)));
}

#[test]
fn an_additional_execution_is_a_difference() {
    let found = differences(|now| now.executions.push(execution("conclude/C")));
    assert_eq!(found.len(), 1);
    let (scope, what, recorded, ..) = &found[0];
    assert_eq!([scope, what, recorded], ["conclude/C", "execution", "missing"]);
}

fn any_outcome() -> impl Strategy<Value = RecordedOutcome> {
    let status = prop::sample::select(SessionStatus::ALL);
    let text = || prop::option::of("[a-b\n]{0,6}");
    let executions = prop::collection::btree_map("[a-c]", ("[xy]{1}", 0..3_usize), 0..3);
    (status, text(), text(), text(), executions).prop_map(|(status, error, analysis, summary, executions)| {
        let executions = executions.into_iter().map(|(agent, (digest, model_calls))| RecordedExecution {
            model_calls,
            messages: vec![MessageDigest { role: Role::User, sha256: digest }],
            ..execution(&agent)
        });
        RecordedOutcome {
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
    fn finds_no_difference_exactly_if_the_outcomes_are_equal(one in any_outcome(), other in any_outcome()) {
        prop_assert!(compare(&one, &one).is_empty());
        prop_assert_eq!(compare(&one, &other).is_empty(), one == other);
    }

    #[test]
    fn shown_values_of_a_difference_differ(one in any_outcome(), other in any_outcome()) {
        for difference in compare(&one, &other) {
            prop_assert_ne!(&difference.recorded, &difference.replayed);
        }
    }
}
