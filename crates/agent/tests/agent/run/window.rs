//! Conversations that outgrow the context window.

use std::sync::Arc;

use insta::assert_snapshot;
use tarsy_agent::{AgentRun, Ask, FailureCause, Happened, RunOutcome, Setup};
use tarsy_domain::IterationStrategy::{NativeThinking, React};
use tarsy_domain::ModelFailureKind;

use super::script::{calls, fails, reply, returns, says, setup};
use super::transcript::sent_after;

fn windowed(tokens: u64, strategy: tarsy_domain::IterationStrategy) -> Setup {
    let mut setup = setup(strategy);
    setup.limits.context_window = Some(tokens);
    setup
}

/// Returns four turns, each with a result of 2,000 bytes.
fn long_react() -> Vec<Happened> {
    (1..=4)
        .flat_map(|turn| {
            let asks = format!(
                "Thought: Look at {turn}.\nAction: k8s.logs\nAction Input: {{\"pod\": \"web-{turn}\"}}"
            );
            [quiet(&asks), returns(&format!("react-{turn}"), &format!("line of web-{turn}\n").repeat(130))]
        })
        .collect()
}

/// Returns a reply without token counts, so that only the estimate counts.
fn quiet(text: &str) -> Happened {
    let mut reply = reply(text);
    reply.usage = tarsy_domain::TokenUsage::default();
    Happened::Replied(reply)
}

#[test]
fn the_oldest_results_become_stubs_and_the_last_turns_are_kept() {
    let sent = sent_after(&windowed(4_000, React), &long_react());
    assert_snapshot!(sent.replace("line of web-3\n    ", "").replace("line of web-4\n    ", ""));
}

#[test]
fn stubs_of_bound_tools_keep_their_call_ids() {
    let script: Vec<Happened> = (1..=4)
        .flat_map(|turn| {
            let id = format!("call-{turn}");
            [quiet_calls(&id), returns(&id, &"x".repeat(2_000))]
        })
        .collect();
    let sent = sent_after(&windowed(4_000, NativeThinking), &script);
    assert_snapshot!(sent.replace(&"x".repeat(2_000), "(2,000 times x)"));
}

#[test]
fn nothing_is_removed_if_the_window_is_large_enough() {
    let sent = sent_after(&windowed(40_000, React), &long_react());
    assert_eq!(sent.matches("Left out").count(), 0);
}

#[test]
fn token_counts_of_the_provider_calibrate_the_estimate() {
    let mut script = long_react();
    for happened in &mut script {
        if let Happened::Replied(reply) = happened {
            reply.usage.input_tokens = 400;
        }
    }
    // With the uncalibrated estimate, the results would be twice as large and the first ones replaced.
    let sent = sent_after(&windowed(4_000, React), &script);
    assert_eq!(sent.matches("Left out").count(), 0);
}

#[test]
fn a_conversation_that_the_provider_rejects_as_too_long_is_shortened() {
    let mut script = long_react();
    script.push(fails(ModelFailureKind::ContextTooLong, "the prompt is too long"));
    assert_eq!(sent_after(&setup(React), &script).matches("Left out").count(), 3);
}

#[test]
fn a_shortened_conversation_does_not_wait_again_for_an_earlier_rate_limit() {
    let mut script = long_react();
    let mut busy = fails(ModelFailureKind::RateLimit, "slow down");
    if let Happened::ModelFailed(failure) = &mut busy {
        failure.retry_after_ms = Some(300_000);
    }
    script.extend([busy, fails(ModelFailureKind::ContextTooLong, "the prompt is too long")]);
    let Ask::Model(ask) = AgentRun::rebuild(setup(React), &script).unwrap().next() else { panic!() };
    assert_eq!(ask.pause.as_secs(), 2);
}

#[test]
fn a_conversation_that_cannot_be_shortened_fails_the_run() {
    let too_long = || fails(ModelFailureKind::ContextTooLong, "the prompt is too long");
    let mut script = long_react();
    script.extend([too_long(), too_long()]);
    let Ask::Done(RunOutcome::Failed { cause, error, .. }) =
        AgentRun::rebuild(setup(React), &script).unwrap().next()
    else {
        panic!("the run goes on")
    };
    assert_eq!(cause, FailureCause::Model(ModelFailureKind::ContextTooLong));
    assert_eq!(
        error,
        "the conversation is too long, and nothing can be removed from it: the prompt is too long"
    );
}

#[test]
fn short_results_are_not_replaced_by_stubs() {
    let mut script = vec![says("Action: k8s.pods\nAction Input: {}"), returns("react-1", "none")];
    script.push(fails(ModelFailureKind::ContextTooLong, "the prompt is too long"));
    let run = AgentRun::rebuild(setup(React), &script).unwrap();
    assert!(matches!(run.next(), Ask::Done(RunOutcome::Failed { .. })));
}

#[test]
fn repeating_a_call_whose_result_was_removed_is_no_repetition() {
    let mut script = long_react();
    script.push(quiet("Action: k8s.logs\nAction Input: {\"pod\": \"web-1\"}"));
    script.push(returns("react-5", &"line of web-1\n".repeat(130)));
    let sent = sent_after(&windowed(4_000, React), &script);
    assert!(!sent.contains("Note: you have now made this same call"), "{sent}");
}

#[test]
fn a_rejection_limits_the_window() {
    let mut script = long_react();
    script.push(fails(ModelFailureKind::ContextTooLong, "the prompt is too long"));
    for turn in 5..=9 {
        script.push(quiet(&format!("Action: k8s.logs\nAction Input: {{\"pod\": \"web-{turn}\"}}")));
        script.push(returns(&format!("react-{turn}"), &format!("line of web-{turn}\n").repeat(130)));
    }
    // No window is configured, so only the rejection shortens the conversation.
    assert_eq!(sent_after(&setup(React), &script).matches("Left out").count(), 7);
}

#[test]
fn a_rejection_after_which_the_conversation_is_shortened_is_no_iteration_and_no_failure() {
    let mut setup = setup(React);
    setup.limits.max_iterations = std::num::NonZeroU32::new(4).unwrap();
    let mut script = long_react();
    script.push(fails(ModelFailureKind::ContextTooLong, "the prompt is too long"));
    let Ask::Model(ask) = AgentRun::rebuild(setup, &script).unwrap().next() else {
        panic!("the run is done")
    };
    assert_eq!((ask.purpose.call_kind().as_str(), ask.call), ("forced_conclusion", 6));
}

#[test]
fn the_conversation_is_shortened_for_a_forced_conclusion_too() {
    let mut setup = windowed(4_000, React);
    setup.limits.max_iterations = std::num::NonZeroU32::new(4).unwrap();
    let sent = sent_after(&setup, &long_react());
    assert_eq!(sent.matches("Left out").count(), 2);
}

#[test]
fn bound_tools_count_towards_the_window() {
    let mut setup = windowed(4_000, NativeThinking);
    let ask = |id: &str| [quiet_calls(id), returns(id, &"x".repeat(1_000))];
    let script: Vec<Happened> = ["a", "b", "c"].iter().flat_map(|id| ask(id)).collect();
    assert_eq!(sent_after(&setup, &script).matches("Left out").count(), 0);
    Arc::make_mut(&mut setup.tools[0]).input_schema =
        serde_json::json!({ "description": "x".repeat(10_000) });
    assert_eq!(sent_after(&setup, &script).matches("Left out").count(), 1);
}

#[test]
fn a_stub_is_always_one_line() {
    let script: Vec<Happened> = (1..=4)
        .flat_map(|turn| {
            let id = format!("call-{turn}");
            let mut asks = calls("", "", &[(&id, "k8s.logs", "{\n  \"pod\": \"x\"\n}")]);
            if let Happened::Replied(reply) = &mut asks {
                reply.usage = tarsy_domain::TokenUsage::default();
            }
            [asks, returns(&id, &"x".repeat(2_000))]
        })
        .collect();
    let sent = sent_after(&windowed(4_000, NativeThinking), &script);
    assert!(sent.contains("the result of k8s.logs { \"pod\": \"x\" }, 2000 characters."), "{sent}");
}

fn quiet_calls(id: &str) -> Happened {
    let mut asks = calls("", "", &[(id, "k8s.logs", "{}")]);
    if let Happened::Replied(reply) = &mut asks {
        reply.usage = tarsy_domain::TokenUsage::default();
    }
    asks
}
