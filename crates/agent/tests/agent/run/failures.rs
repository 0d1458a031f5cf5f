//! Failed model calls: pauses, limits, and what they leave in the conversation.

use std::time::Duration;

use tarsy_agent::{AgentRun, Ask, FailureCause, Happened, RunOutcome, RunRules, Setup};
use tarsy_domain::IterationStrategy::{NativeThinking, React, SingleCall};
use tarsy_domain::ModelFailureKind;

use super::script::{fails, limited, returns, says, setup};
use super::transcript::{sent_after, transcript};

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {}";

fn busy() -> Happened {
    fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)")
}

fn busy_for(retry_after_ms: u64) -> Happened {
    let mut happened = busy();
    if let Happened::ModelFailed(failure) = &mut happened {
        failure.retry_after_ms = Some(retry_after_ms);
    }
    happened
}

fn next(setup: &Setup, script: &[Happened]) -> Ask {
    transcript(setup, script);
    AgentRun::rebuild(setup.clone(), script).unwrap().next()
}

#[test]
fn a_failed_call_leaves_the_conversation_unchanged() {
    for setup in [setup(React), setup(NativeThinking), setup(SingleCall), limited(React, 1)] {
        let script = [says(ASK_PODS), returns("react-1", "web-1 Running")];
        let script = if setup == limited(React, 1) { &script[..] } else { &[] };
        let before = sent_after(&setup, script);
        let failed = [script, &[busy(), fails(ModelFailureKind::Network, "connection reset")]].concat();
        assert_eq!(sent_after(&setup, &failed), before);
    }
}

#[test]
fn a_call_that_did_not_reach_the_model_is_no_iteration() {
    let script = [busy(), says(ASK_PODS), busy(), busy()];
    let Ask::Tools(_) = next(&limited(React, 1), &script[..2]) else { panic!("the iteration was used up") };
    let filtered = fails(ModelFailureKind::ContentFiltered, "the reply was withheld");
    let Ask::Done(RunOutcome::Failed { cause, .. }) = next(&limited(React, 1), &[filtered]) else {
        panic!("a reply that the provider withheld is an iteration")
    };
    assert_eq!(cause, FailureCause::IterationLimit);
}

#[test]
fn five_consecutive_failures_end_the_run_with_the_last_reason() {
    let script = vec![busy(); 5];
    let Ask::Model(_) = next(&setup(React), &script[..4]) else { panic!("it ended early") };
    let Ask::Done(RunOutcome::Failed { error, cause, .. }) = next(&setup(React), &script) else {
        panic!("the run goes on")
    };
    assert_eq!(cause, FailureCause::Model(ModelFailureKind::Overloaded));
    assert_eq!(
        error,
        "5 consecutive model calls failed, the last one with: the provider is overloaded (529)"
    );
}

#[test]
fn a_run_has_at_most_as_many_failures_as_iterations() {
    let turn = |number: u32| [says(ASK_PODS), returns(&format!("react-{number}"), &format!("web-{number}"))];
    let script =
        [&[busy(), busy(), busy()][..], &turn(1), &[busy(), busy(), busy()], &turn(2), &[busy(), busy()]];
    let Ask::Done(RunOutcome::Failed { error, .. }) = next(&limited(React, 8), &script.concat()) else {
        panic!("the failures are not limited")
    };
    assert!(error.starts_with("8 model calls failed, the last one with: "), "{error}");
}

#[test]
fn the_pause_is_at_least_what_the_provider_requests() {
    for (script, seconds) in [
        (vec![busy_for(300_000)], 300),
        (vec![busy_for(10), busy()], 4),
        (vec![busy_for(300_000), busy()], 4),
        (vec![busy(), busy_for(1_000)], 4),
    ] {
        let Ask::Model(ask) = next(&setup(React), &script) else { panic!("the run is done") };
        assert_eq!(ask.pause, Duration::from_secs(seconds), "{script:?}");
    }
}

#[test]
fn executions_of_earlier_versions_resume_with_their_rules() {
    let mut old = setup(React);
    old.rules = RunRules::default();
    let sent = sent_after(&old, &[busy()]);
    assert!(sent.ends_with("Go on from where you are.\n"), "{sent}");
    assert!(matches!(next(&old, &vec![busy(); 9]), Ask::Model(_)));
    let mut recorded = serde_json::to_value(&old).unwrap();
    let fields = recorded.as_object_mut().unwrap();
    fields.remove("rules").unwrap();
    fields.remove("prompt_profile").unwrap();
    assert_eq!(serde_json::from_value::<Setup>(recorded).unwrap(), old);
}
