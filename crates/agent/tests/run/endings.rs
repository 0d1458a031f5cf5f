//! Limits, failures, and how a run ends.

use insta::assert_snapshot;
use tarsy_agent::{AgentRun, AtLimit, Happened};
use tarsy_domain::IterationStrategy::{NativeThinking, React, SingleCall};
use tarsy_domain::{ModelFailureKind, ToolStatus};

use crate::script::{calls, fails, limited, returns, says, setup, times_out, tool_result};
use crate::transcript::transcript;

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {}";

#[test]
fn two_timeouts_in_a_row_end_the_run() {
    let script = [says(ASK_PODS), returns("react-1", "web-1 Running"), times_out(), times_out()];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn timeouts_with_a_reply_in_between_do_not_end_it() {
    let script = [
        times_out(),
        says(ASK_PODS),
        returns("react-2", "web-1 Running"),
        times_out(),
        says("Final Answer: All is well."),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn tools_that_all_time_out_count_as_one_timeout() {
    let slow = |id| tool_result(id, "no answer within 60 s", ToolStatus::TimedOut);
    let both = calls("", "", &[("a", "k8s.pods", "{}"), ("b", "k8s.logs", "{}")]);
    let script = [both, slow("a"), slow("b"), times_out()];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn errors_of_the_model_are_fed_back_with_growing_pauses() {
    let script = [
        fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)"),
        fails(ModelFailureKind::RateLimit, "too many requests (429)"),
        fails(ModelFailureKind::Network, "connection reset"),
        says("All is well."),
    ];
    assert_snapshot!(transcript(&setup(NativeThinking), &script));
}

#[test]
fn pauses_stop_growing_at_a_minute() {
    let failures = vec![fails(ModelFailureKind::Network, "connection reset"); 9];
    let run = AgentRun::rebuild(setup(NativeThinking), &failures).unwrap();
    let tarsy_agent::Ask::Model(ask) = run.next() else { panic!("{:?}", run.next()) };
    assert_eq!(ask.pause.as_secs(), 60);
}

#[test]
fn bad_credentials_end_the_run_at_once() {
    let script = [fails(ModelFailureKind::Credentials, "the key in GOOGLE_API_KEY is not valid (401)")];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn an_empty_reply_is_asked_for_again() {
    assert_snapshot!(transcript(&setup(NativeThinking), &[says(" \n"), says("All is well.")]));
}

#[test]
fn a_third_empty_reply_ends_the_run() {
    assert_snapshot!(transcript(&setup(React), &[says(""), says(""), says("")]));
}

#[test]
fn the_limit_brings_a_forced_conclusion() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 OOMKilled"),
        says(ASK_PODS),
        returns("react-2", "web-1 Running"),
        says("Thought: I have to stop.\nFinal Answer: Probably memory."),
    ];
    assert_snapshot!(transcript(&limited(React, 2), &script));
}

#[test]
fn a_forced_conclusion_has_no_tools_and_needs_no_format() {
    let script = [
        calls("", "", &[("a", "k8s.pods", "{}")]),
        returns("a", "web-1 OOMKilled"),
        calls("Probably memory.", "", &[("b", "k8s.logs", "{}")]),
    ];
    assert_snapshot!(transcript(&limited(NativeThinking, 1), &script));
}

#[test]
fn the_limit_after_a_failure_fails_the_run() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 OOMKilled"),
        fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)"),
    ];
    assert_snapshot!(transcript(&limited(React, 2), &script));
}

#[test]
fn the_limit_fails_a_run_that_is_not_to_be_forced() {
    let mut setup = limited(React, 1);
    setup.limits.at_limit = AtLimit::Fail;
    assert_snapshot!(transcript(&setup, &[says(ASK_PODS), returns("react-1", "web-1 OOMKilled")]));
}

#[test]
fn a_spent_budget_ends_with_a_labelled_partial_conclusion() {
    let mut setup = setup(NativeThinking);
    setup.limits.token_budget = Some(200);
    let script = [
        calls("I look at the pods.", "", &[("a", "k8s.pods", "{}")]),
        returns("a", "web-1 OOMKilled"),
        calls("It looks like memory. I check the logs.", "", &[("b", "k8s.logs", "{}")]),
    ];
    assert_snapshot!(transcript(&setup, &script));
}

#[test]
fn an_answer_that_spends_the_budget_is_still_an_answer() {
    let mut setup = setup(SingleCall);
    setup.limits.token_budget = Some(1);
    assert_snapshot!(transcript(&setup, &[says("All is well.")]));
}

#[test]
fn a_broken_stream_leaves_what_had_arrived() {
    let mut broken = fails(ModelFailureKind::Network, "the stream broke");
    if let Happened::ModelFailed(failure) = &mut broken {
        failure.partial_text = "The cause is prob".to_owned();
    }
    assert_snapshot!(transcript(&limited(NativeThinking, 1), &[broken]));
}
