//! What a reply comes to, read in the way of each loop.
//!
//! InterpretedReply is pure: it says what the reply means and what people see of it. What follows is the run's.

use std::sync::Arc;

use tarsy_domain::{LoopKind, Message, ModelReply, ToolCall, ToolDefinition, resolve_tool_name};

use super::OBSERVATION;
use super::ask::Purpose;
use super::record::{Record, ThoughtSource};
use crate::react::{self, Intent};

const NO_MORE_TOOLS: &str =
    "There are no more tools. Write `Final Answer:` and your best analysis from what you know.";

/// What was asked, as far as it decides how the reply is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyContext<'a> {
    pub(super) purpose: Purpose,
    pub(super) loop_kind: LoopKind,
    pub(super) tools: &'a [Arc<ToolDefinition>],
    pub(super) iteration: u32,
}

/// A reply that has been read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InterpretedReply {
    /// What it comes to.
    pub(super) turn: ReplyMeaning,
    /// What the model had to say in it, if it was not only a call.
    pub(super) words: Option<String>,
    /// What joins the conversation; nothing for a reply that holds nothing.
    pub(super) spoken: Option<Message>,
}

/// What a reply comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReplyMeaning {
    /// Tools are wanted.
    Act(Vec<PendingCall>),
    /// It is the analysis.
    Conclude(String),
    /// It cannot be used.
    Correct {
        /// What is wrong, for people.
        problem: String,
        /// What the model is told.
        feedback: String,
    },
    /// There is nothing in it.
    AskAgain,
}

/// A tool call that awaits its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingCall {
    /// The call as the model wrote it; the result is linked to it.
    pub(super) asked: ToolCall,
    /// The call to make, or why it is not made.
    pub(super) call: Result<ToolCall, String>,
}

/// Reads a reply; what people see of it goes into the record.
pub(super) fn interpret(
    reply: &ModelReply,
    question: ReplyContext<'_>,
    record: &mut Record,
) -> InterpretedReply {
    record.thought(ThoughtSource::Native, &reply.thinking);
    match (question.purpose, question.loop_kind) {
        (_, LoopKind::React) => read_react(reply, question, record),
        (Purpose::Iteration, LoopKind::FunctionCalling) => read_calls(reply, question.tools, record),
        (Purpose::ForcedConclusion, LoopKind::FunctionCalling) | (_, LoopKind::SingleShot) => {
            InterpretedReply::new(conclusion(&reply.text), reply, without_calls(reply))
        }
    }
}

fn read_react(reply: &ModelReply, question: ReplyContext<'_>, record: &mut Record) -> InterpretedReply {
    if reply.text.trim().is_empty() {
        return InterpretedReply::new(ReplyMeaning::AskAgain, reply, without_calls(reply));
    }
    let parsed = react::parse(&reply.text);
    let turn = match question.purpose {
        Purpose::Iteration => {
            let names = question.tools.iter().map(|tool| tool.name.as_str());
            react_turn(parsed.clone().with_tools(names).intent, question.iteration)
        }
        Purpose::ForcedConclusion => react_conclusion(&parsed, &reply.text),
    };
    let thought = parsed.thought.unwrap_or_default();
    if turn != ReplyMeaning::Conclude(thought.clone()) {
        record.thought(ThoughtSource::React, &thought);
    }
    let words = some_text(&thought);
    InterpretedReply {
        words: words.or_else(|| some_text(&reply.text)),
        ..InterpretedReply::new(turn, reply, without_invention(reply))
    }
}

fn react_turn(intent: Intent, iteration: u32) -> ReplyMeaning {
    match intent {
        Intent::Action(action) => {
            let arguments = serde_json::Value::Object(action.parameters).to_string();
            let call = ToolCall { id: format!("react-{iteration}"), name: action.name, arguments };
            ReplyMeaning::Act(vec![PendingCall { asked: call.clone(), call: Ok(call) }])
        }
        Intent::FinalAnswer(answer) => conclusion(&answer),
        Intent::UnknownTool { action, feedback } => ReplyMeaning::Correct {
            problem: format!("The model asked for a tool that it does not have: {}", action.name),
            feedback: format!("{OBSERVATION}{feedback}"),
        },
        Intent::Malformed { feedback, .. } => ReplyMeaning::Correct {
            // The rest repeats the format, which people know.
            problem: feedback.lines().next().unwrap_or_default().to_owned(),
            feedback,
        },
    }
}

/// A conclusion may be in the format or not; what is there is taken, unless it asks for a tool.
fn react_conclusion(parsed: &react::ReactReply, text: &str) -> ReplyMeaning {
    match (&parsed.intent, &parsed.thought) {
        (Intent::FinalAnswer(answer), _) => conclusion(answer),
        (Intent::Action(action) | Intent::UnknownTool { action, .. }, _) => ReplyMeaning::Correct {
            problem: format!("The model was to conclude, and asked for a tool instead: {}", action.name),
            feedback: NO_MORE_TOOLS.to_owned(),
        },
        (Intent::Malformed { action: None, input: None, .. }, Some(thought)) => conclusion(thought),
        (Intent::Malformed { .. }, _) => conclusion(text),
    }
}

fn read_calls(reply: &ModelReply, tools: &[Arc<ToolDefinition>], record: &mut Record) -> InterpretedReply {
    if reply.tool_calls.is_empty() {
        return InterpretedReply::new(conclusion(&reply.text), reply, without_calls(reply));
    }
    record.response(&reply.text);
    let turn =
        ReplyMeaning::Act(reply.tool_calls.iter().map(|asked| PendingCall::new(asked, tools)).collect());
    let spoken = Message {
        tool_calls: reply.tool_calls.clone(),
        provider_state: reply.provider_state.clone(),
        ..Message::assistant(reply.text.clone())
    };
    InterpretedReply::new(turn, reply, spoken)
}

/// The reply without calls that nobody makes: they would wait for results for ever, in the provider's state too.
fn without_calls(reply: &ModelReply) -> Message {
    let provider_state = if reply.tool_calls.is_empty() { reply.provider_state.clone() } else { None };
    Message { provider_state, ..Message::assistant(reply.text.clone()) }
}

/// The reply without a result that the model made up: it would be believed in the next turn, beside the real one. The
/// provider's state holds it too, and goes with it.
fn without_invention(reply: &ModelReply) -> Message {
    let kept = react::without_invention(&reply.text);
    if kept.len() == reply.text.len() { without_calls(reply) } else { Message::assistant(kept) }
}

fn conclusion(text: &str) -> ReplyMeaning {
    let text = text.trim_end().trim_start_matches(['\r', '\n']);
    if text.is_empty() { ReplyMeaning::AskAgain } else { ReplyMeaning::Conclude(text.to_owned()) }
}

/// The text, unless there is nothing to read in it.
pub(super) fn some_text(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

impl InterpretedReply {
    fn new(turn: ReplyMeaning, reply: &ModelReply, spoken: Message) -> Self {
        let words = some_text(&reply.text).or_else(|| some_text(&reply.thinking));
        let spoken = (turn != ReplyMeaning::AskAgain).then_some(spoken);
        Self { turn, words, spoken }
    }
}

impl PendingCall {
    fn new(asked: &ToolCall, tools: &[Arc<ToolDefinition>]) -> Self {
        let names = tools.iter().map(|tool| tool.name.as_str());
        let call = match resolve_tool_name(&asked.name, names.clone()) {
            Ok(name) => Ok(ToolCall { name: name.to_owned(), ..asked.clone() }),
            Err(unknown) => Err(react::unknown_tool(&unknown, names)),
        };
        Self { asked: asked.clone(), call }
    }
}
