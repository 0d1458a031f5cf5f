//! Which tools a run offers, and the request to call one.

use insta::assert_snapshot;
use serde_json::json;
use tarsy_agent::{AgentRun, Ask, Happened, RunOutcome, Setup};
use tarsy_domain::IterationStrategy::{NativeThinking, React, ReactStage, SingleCall};
use tarsy_domain::{IterationStrategy, PromptProfile};

use super::script::{
    calls, limited, returns, returns_shortened, says, says_cut_off, setup, tool, tool_result,
};
use super::transcript::{sent_after, transcript};

const ASK_PODS: &str = "Thought: First the pods.\nAction: k8s.pods\nAction Input: {}";
const READ: &str = "Thought: More.\nAction: tarsy.read_result\nAction Input: {\"id\": \"r1\"}";

fn with_reader(strategy: IterationStrategy) -> Setup {
    Setup { result_reader: Some(tool("tarsy.read_result")), ..setup(strategy) }
}

fn with_request(setup: Setup) -> Setup {
    let mut setup = setup;
    setup.rules.request_tool_call = true;
    setup
}

fn bound(setup: &Setup, script: &[Happened]) -> Vec<String> {
    transcript(setup, script);
    let ask = AgentRun::rebuild(setup.clone(), script).unwrap().next();
    let Ask::Model(ask) = ask else { panic!("{ask:?}") };
    ask.tools.iter().map(|tool| tool.name.clone()).collect()
}

fn is_done(setup: &Setup, script: &[Happened]) -> bool {
    transcript(setup, script);
    let ask = AgentRun::rebuild(setup.clone(), script).unwrap().next();
    matches!(ask, Ask::Done(RunOutcome::Completed { .. }))
}

#[test]
fn read_result_is_bound_after_the_first_shortened_result() {
    let setup = with_reader(NativeThinking);
    let asks = |id| calls("", "", &[(id, "k8s.pods", "{}")]);
    let script =
        [asks("a"), returns("a", "web-1"), asks("b"), returns_shortened("b", "web-1 [shortened]"), asks("c")];
    assert_eq!(bound(&setup, &[]), ["k8s.pods", "k8s.logs"]);
    assert_eq!(bound(&setup, &script[..2]), ["k8s.pods", "k8s.logs"]);
    assert_eq!(bound(&setup, &script[..4]), ["k8s.pods", "k8s.logs", "tarsy.read_result"]);
}

#[test]
fn read_result_is_accepted_in_react_after_the_first_shortened_result() {
    let setup = with_reader(React);
    let early = sent_after(&setup, &[says(READ)]);
    assert!(early.contains("read_result") && early.contains("Observation:"), "{early}");
    let script = [says(ASK_PODS), returns_shortened("react-1", "web-1 [shortened]"), says(READ)];
    let Ask::Tools(calls) = AgentRun::rebuild(setup, &script).unwrap().next() else {
        panic!("the call is rejected")
    };
    assert_eq!(calls[0].name, "tarsy.read_result");
}

#[test]
fn executions_of_earlier_versions_offer_read_result_from_the_start() {
    let mut setup = setup(NativeThinking);
    setup.tools.push(tool("tarsy.read_result"));
    let recorded = serde_json::to_string(&setup).unwrap();
    assert!(!recorded.contains("result_reader"));
    assert_eq!(bound(&setup, &[]), ["k8s.pods", "k8s.logs", "tarsy.read_result"]);
}

#[test]
fn tools_are_bound_in_short_form_with_the_compact_profile() {
    let mut setup = with_reader(NativeThinking);
    setup.prompt_profile = PromptProfile::Compact;
    let mut definition = (*tool("k8s.pods")).clone();
    definition.description = "Lists pods. In every detail.".to_owned();
    definition.input_schema = json!({
        "type": "object",
        "title": "Pods",
        "properties": { "namespace": { "type": "string", "default": "shop", "examples": ["a"], "description": "Where. Any." } },
    });
    setup.tools[0] = std::sync::Arc::new(definition);
    let Ask::Model(ask) = AgentRun::new(setup).next() else { panic!("the run is done") };
    assert_eq!(ask.tools[0].description, "Lists pods.");
    let namespace = json!({ "namespace": { "type": "string", "description": "Where." } });
    assert_eq!(ask.tools[0].input_schema, json!({ "type": "object", "properties": namespace }));
}

#[test]
fn an_agent_that_concludes_without_a_tool_call_is_asked_once() {
    let script = [says("All is well."), says("Nothing to look at: all is well.")];
    assert_snapshot!("asked_for_a_tool_call", transcript(&with_request(setup(NativeThinking)), &script));
    let script = [says("Thought: Easy.\nFinal Answer: All is well."), says("Final Answer: All is well.")];
    assert_snapshot!("asked_for_a_tool_call_react", transcript(&with_request(setup(ReactStage)), &script));
}

#[test]
fn an_agent_that_has_called_a_tool_is_not_asked() {
    for result in
        [returns("react-1", "web-1"), tool_result("react-1", "refused", tarsy_domain::ToolStatus::Error)]
    {
        assert!(is_done(&with_request(setup(React)), &[says(ASK_PODS), result, says("Final Answer: ok")]));
    }
    let unknown = says("Action: k8s.nodes\nAction Input: {}");
    assert!(!is_done(&with_request(setup(React)), &[unknown, says("Final Answer: ok")]));
}

#[test]
fn an_agent_without_tools_or_without_iterations_is_not_asked() {
    let no_tools = Setup { tools: Vec::new(), ..setup(React) };
    for setup in [no_tools, setup(SingleCall), limited(React, 1)] {
        assert!(is_done(&with_request(setup), &[says("Final Answer: All is well.")]));
    }
    assert!(is_done(&setup(React), &[says("Final Answer: All is well.")]), "a chat is not asked");
}

#[test]
fn a_first_conclusion_that_was_cut_off_is_not_continued_before_a_tool_call() {
    let sent = sent_after(&with_request(setup(React)), &[says_cut_off("Final Answer: All is w")]);
    assert!(sent.contains("You have not called any tool"), "{sent}");
}
