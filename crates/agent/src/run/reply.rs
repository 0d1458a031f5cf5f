//! Interprets a model reply according to the loop of the strategy.
//!
//! It determines the meaning of the reply and its timeline entries. The run decides how to continue.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsy_domain::{LoopKind, Message, ModelReply, ToolCall, ToolDefinition};

use super::OBSERVATION;
use super::ask::Purpose;
use super::record::{Record, ThoughtSource};
use super::written_call::{text_conclusion, text_reply};
use crate::escape::short_line;
use crate::react::{self, Intent, ReactReply};

const NO_MORE_TOOLS: &str =
    "There are no more tools. Write `Final Answer:` and your best analysis from what you know.";
/// Maximum number of characters of a tool name in a note.
const SHOWN_NAME_CHARS: usize = 80;

/// The properties of a model call that determine how its reply is interpreted.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyContext<'a> {
    pub(super) purpose: Purpose,
    pub(super) loop_kind: LoopKind,
    pub(super) tools: &'a [Arc<ToolDefinition>],
    pub(super) iteration: u32,
}

/// An interpreted reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InterpretedReply {
    /// Meaning of the reply.
    pub(super) meaning: ReplyMeaning,
    /// Text of the reply, if it is not only a tool call.
    pub(super) text: Option<String>,
    /// Message to add to the conversation; `None` for an empty reply.
    pub(super) message: Option<Message>,
}

/// The meaning of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReplyMeaning {
    /// The model calls tools.
    Act(Vec<PendingCall>),
    /// The reply is the analysis.
    Conclude(String),
    /// The reply is invalid.
    Correct {
        /// Description of the problem for people.
        problem: String,
        /// Feedback for the model.
        feedback: String,
    },
    /// The reply is empty.
    Empty,
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingCall {
    /// The call as the model wrote it; the result refers to it.
    pub(super) requested: ToolCall,
    /// The call to execute, or the reason why it is rejected.
    pub(super) call: Result<ToolCall, String>,
    /// Names of further calls of the reply, which are not executed.
    pub(super) not_executed: Vec<String>,
}

/// Interprets a reply and adds its timeline entries to the record.
pub(super) fn interpret(
    reply: &ModelReply,
    context: ReplyContext<'_>,
    record: &mut Record,
) -> InterpretedReply {
    record.thought(ThoughtSource::Native, &reply.thinking);
    record.vendor_tools(reply);
    match (context.purpose, context.loop_kind) {
        (_, LoopKind::React) => react_reply(reply, context, record),
        (Purpose::Iteration, LoopKind::FunctionCalling) if !reply.tool_calls.is_empty() => {
            function_calls(reply, context.tools, record)
        }
        (Purpose::Iteration, LoopKind::FunctionCalling) => text_reply(reply, context, record),
        (Purpose::ForcedConclusion, LoopKind::FunctionCalling) => {
            InterpretedReply::new(text_conclusion(&reply.text, context.tools), reply, without_calls(reply))
        }
        (_, LoopKind::SingleShot) => {
            InterpretedReply::new(conclusion(&reply.text), reply, without_calls(reply))
        }
    }
}

fn react_reply(reply: &ModelReply, context: ReplyContext<'_>, record: &mut Record) -> InterpretedReply {
    if reply.text.trim().is_empty() {
        return InterpretedReply::new(ReplyMeaning::Empty, reply, without_calls(reply));
    }
    let parsed = react::parse_with_tools(&reply.text, context.tools);
    let thought = parsed.thought.clone().unwrap_or_default();
    let meaning = match context.purpose {
        Purpose::Iteration => react_meaning(parsed, context.iteration),
        Purpose::ForcedConclusion => react_conclusion(&parsed, &reply.text),
    };
    if meaning != ReplyMeaning::Conclude(thought.clone()) {
        record.thought(ThoughtSource::React, &thought);
    }
    let text = some_text(&thought);
    InterpretedReply {
        text: text.or_else(|| some_text(&reply.text)),
        ..InterpretedReply::new(meaning, reply, without_invention(reply))
    }
}

fn react_meaning(parsed: ReactReply, iteration: u32) -> ReplyMeaning {
    let note = not_executed_note(&parsed.not_executed);
    match parsed.intent {
        Intent::Action(action) => {
            let call = tool_call(format!("react-{iteration}"), action.name, action.parameters);
            ReplyMeaning::Act(vec![PendingCall::known(call, parsed.not_executed)])
        }
        Intent::FinalAnswer(answer) => conclusion(&answer),
        Intent::UnknownTool { action, feedback } => ReplyMeaning::Correct {
            problem: format!("The model asked for a tool that it does not have: {}", action.name),
            feedback: format!("{OBSERVATION}{feedback}{note}"),
        },
        Intent::Malformed { feedback, .. } => ReplyMeaning::Correct {
            // The other lines repeat the format for the model.
            problem: feedback.lines().next().unwrap_or_default().to_owned(),
            feedback: format!("{feedback}{note}"),
        },
    }
}

/// Returns the note about further calls of a reply; empty if there are none.
pub(super) fn not_executed_note(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> =
        names.iter().map(|name| format!("`{}`", short_line(name, SHOWN_NAME_CHARS))).collect();
    let again = if names.len() == 1 { "Request it again if it is" } else { "Request them again if they are" };
    let names = names.join(", ");
    format!("\n\nOnly the first action of a reply is executed. Not executed: {names}. {again} still needed.")
}

/// Interprets a forced conclusion. It need not follow the format; any text is accepted unless it calls a
/// tool.
fn react_conclusion(parsed: &ReactReply, text: &str) -> ReplyMeaning {
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

fn function_calls(
    reply: &ModelReply,
    tools: &[Arc<ToolDefinition>],
    record: &mut Record,
) -> InterpretedReply {
    record.response(&reply.text);
    let meaning =
        ReplyMeaning::Act(reply.tool_calls.iter().map(|call| PendingCall::new(call, tools)).collect());
    let message = Message {
        tool_calls: reply.tool_calls.clone(),
        provider_state: reply.provider_state.clone(),
        ..Message::assistant(reply.text.clone())
    };
    InterpretedReply::new(meaning, reply, message)
}

pub(super) fn tool_call(id: String, name: String, parameters: Map<String, Value>) -> ToolCall {
    ToolCall { id, name, arguments: Value::Object(parameters).to_string() }
}

/// Returns the reply without its tool calls, which are not executed. The provider state contains them too and
/// is dropped: the provider would wait for their results.
pub(super) fn without_calls(reply: &ModelReply) -> Message {
    let provider_state = if reply.tool_calls.is_empty() { reply.provider_state.clone() } else { None };
    Message { provider_state, ..Message::assistant(reply.text.clone()) }
}

/// Returns the reply without a tool result that the model invented, which it would rely on in the next turn.
/// The provider state contains it too and is dropped.
fn without_invention(reply: &ModelReply) -> Message {
    let kept = react::without_invention(&reply.text);
    if kept.len() == reply.text.len() { without_calls(reply) } else { Message::assistant(kept) }
}

pub(super) fn conclusion(text: &str) -> ReplyMeaning {
    let text = text.trim_end().trim_start_matches(['\r', '\n']);
    if text.is_empty() { ReplyMeaning::Empty } else { ReplyMeaning::Conclude(text.to_owned()) }
}

/// Returns the trimmed text, unless it is empty.
pub(super) fn some_text(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

impl InterpretedReply {
    pub(super) fn new(meaning: ReplyMeaning, reply: &ModelReply, message: Message) -> Self {
        let text = some_text(&reply.text).or_else(|| some_text(&reply.thinking));
        let message = (meaning != ReplyMeaning::Empty).then_some(message);
        Self { meaning, text, message }
    }
}

impl PendingCall {
    fn new(requested: &ToolCall, tools: &[Arc<ToolDefinition>]) -> Self {
        let call = match react::resolve(&requested.name, tools) {
            Ok(tool) => Ok(ToolCall { name: tool.name.clone(), ..requested.clone() }),
            Err(unknown) => Err(react::unknown_tool(&unknown, tools)),
        };
        Self { requested: requested.clone(), call, not_executed: Vec::new() }
    }

    /// Creates a call of a tool that exists.
    pub(super) fn known(call: ToolCall, not_executed: Vec<String>) -> Self {
        Self { requested: call.clone(), call: Ok(call), not_executed }
    }
}
