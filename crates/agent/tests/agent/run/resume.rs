//! A run whose journal another version recorded continues with the recorded conversation.

use tarsy_agent::{AgentRun, Ask, Happened};
use tarsy_domain::IterationStrategy::{self, NativeThinking, React};
use tarsy_domain::{Message, ToolCall};

use super::script::{calls, returns, says, setup};

const ACTION: &str = "Thought: look\nAction: k8s.pods\nAction Input: {}";

/// Returns the recorded conversation: the opening of the setup and these messages.
fn recorded(strategy: IterationStrategy, more: &[Message]) -> Vec<Message> {
    setup(strategy).opening.into_iter().chain(more.iter().cloned()).collect()
}

/// Returns the messages of the next model call.
fn sent(run: &AgentRun) -> Vec<Message> {
    match run.next() {
        Ask::Model(ask) => ask.messages.iter().map(|message| Message::clone(message)).collect(),
        Ask::Tools(calls) => panic!("the run calls tools: {calls:?}"),
        Ask::Done(outcome) => panic!("the run is done: {outcome:?}"),
    }
}

fn pods_call() -> ToolCall {
    ToolCall { id: "a".to_owned(), name: "k8s.pods".to_owned(), arguments: "{}".to_owned() }
}

#[test]
fn a_text_of_another_version_is_sent_as_it_was_recorded() {
    let conversation = recorded(React, &[Message::assistant("Hm."), Message::user("Please use the format.")]);
    let run = AgentRun::resume(setup(React), &[says("Hm.")], &conversation);
    assert_eq!(sent(&run), conversation);
    assert_eq!(run.model_calls(), 1);
}

#[test]
fn a_reply_that_another_version_did_not_execute_is_not_executed() {
    let conversation =
        recorded(React, &[Message::assistant(ACTION), Message::user("Please use the format.")]);
    let run = AgentRun::resume(setup(React), &[says(ACTION)], &conversation);
    assert_eq!(sent(&run), conversation);

    let more = [Message::assistant("Hm."), Message::user("Again, please use the format.")];
    let conversation: Vec<Message> = conversation.into_iter().chain(more).collect();
    let run = AgentRun::resume(setup(React), &[says(ACTION), says("Hm.")], &conversation);
    assert_eq!(sent(&run), conversation);
    assert_eq!(run.model_calls(), 2, "no reply is requested again");
}

#[test]
fn a_call_that_another_version_executed_counts_as_executed() {
    let conversation =
        recorded(React, &[Message::assistant("(calls pods)"), Message::user("Observation: 3 pods")]);
    let journal = [says("(calls pods)"), returns("react-1", "3 pods")];
    let run = AgentRun::resume(setup(React), &journal, &conversation);
    assert_eq!(sent(&run), conversation);
    assert_eq!((run.model_calls(), run.tool_results()), (1, 1));
}

#[test]
fn a_pending_call_is_executed_although_an_earlier_text_differs() {
    let request = Message { tool_calls: vec![pods_call()], ..Message::assistant("Looking.") };
    let reply = calls("Looking.", "", &[("a", "k8s.pods", "{}")]);
    let rebuilt = AgentRun::rebuild(setup(NativeThinking), [&reply]).unwrap();
    let message = Message::clone(rebuilt.recorded_messages().last().unwrap());
    assert_eq!(message.tool_calls, request.tool_calls);
    let mut conversation = recorded(NativeThinking, &[message]);
    conversation[0].content = "You are an agent of an earlier version.".to_owned();
    let run = AgentRun::resume(setup(NativeThinking), &[reply], &conversation);
    assert_eq!(run.next(), Ask::Tools(vec![pods_call()]));
}

#[test]
fn calls_without_results_are_not_sent() {
    let other = Message {
        tool_calls: vec![pods_call()],
        provider_state: Some("{}".to_owned()),
        ..Message::assistant("Looking at pods.")
    };
    let conversation = recorded(NativeThinking, std::slice::from_ref(&other));
    let run =
        AgentRun::resume(setup(NativeThinking), &[Happened::Replied(Default::default())], &conversation);
    assert_eq!(sent(&run).last(), Some(&Message::assistant("Looking at pods.")));
    assert_eq!(run.recorded_messages().last().map(|message| &**message), Some(&other));
}
