//! One call without tools.

use insta::assert_snapshot;
use tarsy_agent::Happened;
use tarsy_domain::IterationStrategy::{ReactFinalAnalysis, SingleCall, Synthesis, SynthesisNativeThinking};
use tarsy_domain::{ModelFailureKind, TimelineEventType};

use super::script::{fails, reply, says, setup};
use super::transcript::transcript;

#[test]
fn the_reply_is_the_analysis() {
    for strategy in [ReactFinalAnalysis, SingleCall, Synthesis] {
        assert_snapshot!(
            "the_reply_is_the_analysis",
            transcript(&setup(strategy), &[says("It is the disk.")])
        );
    }
}

#[test]
fn native_thinking_is_recorded_and_calls_are_ignored() {
    let mut thinking = reply("It is the disk.");
    thinking.thinking = "Two of three say so.".to_owned();
    thinking.tool_calls = vec![tarsy_domain::ToolCall {
        id: "x".to_owned(),
        name: "k8s.pods".to_owned(),
        arguments: "{}".to_owned(),
    }];
    assert_snapshot!(transcript(&setup(SynthesisNativeThinking), &[Happened::Replied(thinking)]));
}

#[test]
fn an_executive_summary_has_its_own_event_type() {
    let mut setup = setup(SingleCall);
    setup.conclusion_event = TimelineEventType::ExecutiveSummary;
    assert_snapshot!(transcript(&setup, &[says("The disk is full; extend it.")]));
}

#[test]
fn a_failing_call_is_made_three_times() {
    let busy = || fails(ModelFailureKind::Overloaded, "the provider is overloaded (529)");
    assert_snapshot!(transcript(&setup(SingleCall), &[busy(), busy(), busy()]));
}
