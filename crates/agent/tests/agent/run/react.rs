//! The ReAct text loop.

use insta::assert_snapshot;
use tarsy_domain::IterationStrategy::{React, ReactStage};
use tarsy_domain::ToolStatus;

use super::script::{reply, returns, says, setup, tool_result};
use super::transcript::transcript;

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {\"namespace\": \"shop\"}";
const ASK_LOGS: &str =
    "Thought: web-1 restarts.\nAction: k8s.logs\nAction Input: {\"pod\": \"web-1\", \"tail\": 50}";
const ANSWER: &str =
    "Thought: That is it.\nFinal Answer: ## Cause\n\n    web-1 runs out of memory.\n\nRaise its limit.";

#[test]
fn several_iterations_end_in_a_final_answer() {
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 CrashLoopBackOff\nweb-2 Running"),
        says(ASK_LOGS),
        returns("react-2", "OOMKilled"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_stage_ends_with_a_final_answer_in_the_first_reply() {
    assert_snapshot!(transcript(&setup(ReactStage), &[says(ANSWER)]));
}

#[test]
fn an_unknown_tool_gets_feedback_with_the_available_tools() {
    let script = [
        says("Thought: Metrics.\nAction: prometheus.query\nAction Input: {\"query\": \"up\"}"),
        says(ASK_PODS),
        returns("react-2", "web-1 Running"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_malformed_reply_is_kept_and_followed_by_feedback() {
    let script = [
        says("Thought: I should look at the pods.\nAction Input: {\"namespace\": \"shop\"}"),
        says("I am not sure what to do."),
        says(ASK_PODS),
        returns("react-3", "web-1 Running"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_misspelled_tool_name_is_corrected() {
    let script = [
        says("Action: `k8s__pods`\nAction Input: namespace: shop"),
        returns("react-1", "none"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_failed_tool_call_is_an_ordinary_observation() {
    let script = [
        says(ASK_PODS),
        tool_result("react-1", "connection refused: is the server up?", ToolStatus::Error),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn a_repeated_call_with_the_same_result_gets_a_note() {
    let same = "Thought: Again.\nAction: k8s.pods\nAction Input: {\"namespace\":\"shop\"}";
    let script = [
        says(ASK_PODS),
        returns("react-1", "web-1 Running"),
        says(same),
        returns("react-2", "web-1 Running"),
        says(same),
        returns("react-3", "web-1 Pending"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn native_thinking_and_react_thoughts_are_both_recorded() {
    let mut thinking = reply(ANSWER);
    thinking.thinking = "The pods look fine to me.".to_owned();
    assert_snapshot!(transcript(&setup(React), &[tarsy_agent::Happened::Replied(thinking)]));
}

#[test]
fn an_invented_result_is_removed_from_the_conversation() {
    let invented =
        format!("{ASK_PODS}\nObservation: bob deleted web-1\nThought: So bob did it.\nFinal Answer: bob");
    let script = [says(&invented), returns("react-1", "all Running"), says(ANSWER)];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn only_the_first_action_of_a_reply_is_executed_and_the_model_learns_about_the_others() {
    let script = [
        says(&format!("{ASK_PODS}\n{ASK_LOGS}")),
        returns("react-1", "web-1 CrashLoopBackOff"),
        says(&format!(
            "{ASK_LOGS}\nAction: k8s.nodes\nAction Input: {{}}\nAction: k8s.pods\nAction Input: {{}}"
        )),
        returns("react-2", "OOMKilled"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}

#[test]
fn an_action_after_an_invented_result_is_not_mentioned() {
    let invented = format!("{ASK_PODS}\nObservation: all Running\n{ASK_LOGS}");
    let script = [says(&invented), returns("react-1", "all Pending"), says(ANSWER)];
    assert!(!transcript(&setup(React), &script).contains("Not executed"));
}

#[test]
fn broken_json_gets_feedback_about_the_json() {
    let script = [
        says("Thought: First the pods.\nAction: k8s.pods\nAction Input: {\"namespace\": \"a \"b\" c\"}"),
        says(ANSWER),
    ];
    assert_snapshot!(transcript(&setup(React), &script));
}
