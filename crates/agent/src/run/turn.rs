//! What a reply comes to, read in the way of each loop.
//!
//! Reading is pure: it says what the reply means and what people see of it. What follows is the run's.

use tarsy_domain::{LoopKind, ModelReply, ToolCall, ToolDefinition, resolve_tool_name};

use super::OBSERVATION;
use super::ask::Purpose;
use super::record::{Record, ThoughtSource};
use crate::react::{self, Intent};

/// What a reply comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Turn {
    /// Tools are wanted.
    Act(Vec<Pending>),
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
pub(super) struct Pending {
    /// The call as the model wrote it; the result is linked to it.
    pub(super) asked: ToolCall,
    /// The call to make, or why it is not made.
    pub(super) call: Result<ToolCall, String>,
}

/// Reads a reply; what people see of it goes into the record.
pub(super) fn read(
    reply: &ModelReply,
    purpose: Purpose,
    loop_kind: LoopKind,
    tools: &[ToolDefinition],
    iteration: u32,
    record: &mut Record,
) -> Turn {
    record.thought(ThoughtSource::Native, &reply.thinking);
    match (purpose, loop_kind) {
        (Purpose::Iteration, LoopKind::React) => read_react(reply, tools, iteration, record),
        (Purpose::Iteration, LoopKind::FunctionCalling) => read_calls(reply, tools, record),
        (Purpose::ForcedConclusion, LoopKind::React) => read_react_conclusion(reply, record),
        (Purpose::ForcedConclusion, LoopKind::FunctionCalling) | (_, LoopKind::SingleShot) => {
            read_text(&reply.text)
        }
    }
}

fn read_react(reply: &ModelReply, tools: &[ToolDefinition], iteration: u32, record: &mut Record) -> Turn {
    if reply.text.trim().is_empty() {
        return Turn::AskAgain;
    }
    let parsed = react::parse(&reply.text).with_tools(tools.iter().map(|tool| tool.name.as_str()));
    record.thought(ThoughtSource::React, parsed.thought.as_deref().unwrap_or_default());
    match parsed.intent {
        Intent::Action(action) => {
            let arguments = serde_json::Value::Object(action.parameters).to_string();
            let call = ToolCall { id: format!("react-{iteration}"), name: action.name, arguments };
            Turn::Act(vec![Pending { asked: call.clone(), call: Ok(call) }])
        }
        Intent::FinalAnswer(answer) => read_text(&answer),
        Intent::UnknownTool { action, feedback } => Turn::Correct {
            problem: format!("The model asked for a tool that it does not have: {}", action.name),
            feedback: format!("{OBSERVATION}{feedback}"),
        },
        Intent::Malformed { feedback, .. } => Turn::Correct {
            // The rest repeats the format, which people know.
            problem: feedback.lines().next().unwrap_or_default().to_owned(),
            feedback,
        },
    }
}

/// A conclusion may be in the format or not; what is there is taken.
fn read_react_conclusion(reply: &ModelReply, record: &mut Record) -> Turn {
    let parsed = react::parse(&reply.text);
    match parsed.intent {
        Intent::FinalAnswer(answer) => {
            record.thought(ThoughtSource::React, parsed.thought.as_deref().unwrap_or_default());
            read_text(&answer)
        }
        Intent::Action(_) | Intent::UnknownTool { .. } | Intent::Malformed { .. } => read_text(&reply.text),
    }
}

fn read_calls(reply: &ModelReply, tools: &[ToolDefinition], record: &mut Record) -> Turn {
    if reply.tool_calls.is_empty() {
        return read_text(&reply.text);
    }
    record.response(&reply.text);
    Turn::Act(reply.tool_calls.iter().map(|asked| Pending::new(asked, tools)).collect())
}

fn read_text(text: &str) -> Turn {
    let text = text.trim_end().trim_start_matches(['\r', '\n']);
    if text.is_empty() { Turn::AskAgain } else { Turn::Conclude(text.to_owned()) }
}

impl Pending {
    fn new(asked: &ToolCall, tools: &[ToolDefinition]) -> Self {
        let names = tools.iter().map(|tool| tool.name.as_str());
        let call = match resolve_tool_name(&asked.name, names.clone()) {
            Ok(name) => Ok(ToolCall { name: name.to_owned(), ..asked.clone() }),
            Err(unknown) => Err(react::unknown_tool(&unknown, names)),
        };
        Self { asked: asked.clone(), call }
    }
}
