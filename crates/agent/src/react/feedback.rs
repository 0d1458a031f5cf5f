//! Feedback for a model whose reply cannot be interpreted: what is missing, and the format.
//!
//! The texts are part of recorded conversations. The run decides when and how often they are sent.

mod unknown;

use tarsy_domain::ToolDefinition;

pub(crate) use unknown::unknown_tool;

use super::parameters::{JsonFault, required_parameters};
use crate::escape::short_line;

/// Why a reply is neither a call nor an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FormatFault<'t> {
    NothingRecognized,
    ThoughtOnly,
    ActionWithoutInput {
        /// The named tool, if it is known.
        tool: Option<&'t ToolDefinition>,
    },
    InputWithoutAction,
    EmptyAnswer,
    /// The reply was cut at an invented result, and the text before it is incomplete.
    StoppedAtResult,
    /// The input was intended as JSON.
    BrokenInput(JsonFault),
    /// A call in another notation was intended as JSON.
    BrokenCall(JsonFault),
}

/// Start of feedback about the format.
const LEAD: &str = "This reply could not be followed: ";
const NO_SUCH_TOOL: &str = "Unknown tool";
const FORMAT: &str = "Reply in one of these two forms. To use a tool, and then stop:

Thought: what you know and what you need
Action: server.tool
Action Input: {\"parameter\": \"value\"}

When you are done:

Thought: why you are done
Final Answer: your complete answer";

/// Starts of feedback texts that models tend to repeat after `Observation:`.
const HINTS: [&str; 4] = [LEAD, NO_SUCH_TOOL, "Please specify", "Error in reasoning"];

/// Maximum number of characters of a name in feedback; longer ones are probably sentences.
const SHOWN_NAME_CHARS: usize = 80;
/// Maximum number of required parameters that are named.
const SHOWN_PARAMETERS: usize = 8;

/// Returns the feedback on a reply that is neither a call nor an answer.
pub(super) fn malformed(fault: &FormatFault<'_>) -> String {
    format!("{LEAD}{}\n\n{FORMAT}", explanation(fault))
}

/// Returns what is wrong, without the format.
pub(super) fn explanation(fault: &FormatFault<'_>) -> String {
    let text = match fault {
        FormatFault::NothingRecognized => {
            "it has no `Thought:`, no `Action:` and no `Final Answer:` at the start of a line."
        }
        FormatFault::ThoughtOnly => "it has a thought, but no action and no final answer.",
        FormatFault::ActionWithoutInput { tool } => return action_without_input(*tool),
        FormatFault::InputWithoutAction => {
            "its `Action Input:` has no `Action:` with the name of a tool before it."
        }
        FormatFault::EmptyAnswer => "it is incomplete, nothing stands after `Final Answer:`.",
        FormatFault::StoppedAtResult => {
            "it stops where a result begins (`Observation:`), which is ours to write, before it has a complete \
             action or a final answer."
        }
        FormatFault::BrokenInput(fault) => return broken("`Action Input:`", fault),
        FormatFault::BrokenCall(fault) => return broken("tool call", fault),
    };
    text.to_owned()
}

fn action_without_input(tool: Option<&ToolDefinition>) -> String {
    let required = tool.and_then(required_parameters).unwrap_or_default();
    let Some(tool) = tool.filter(|_| !required.is_empty()) else {
        return "its `Action:` has no `Action Input:`. A tool without parameters has an empty one."
            .to_owned();
    };
    let required: Vec<String> = required.iter().take(SHOWN_PARAMETERS).map(|name| quoted(name)).collect();
    format!("its `Action:` has no `Action Input:`. {} requires {}.", quoted(&tool.name), required.join(", "))
}

fn broken(part: &str, fault: &JsonFault) -> String {
    let (line, column) = fault.position;
    let near = match fault.near.trim() {
        "" => "at its end".to_owned(),
        near => format!("near `{}`", near.replace('`', "'")),
    };
    format!(
        "the JSON of its {part} is broken at line {line}, column {column}, {near}: expected {}. Quotes inside a string \
         must be written as \\\".",
        fault.expected
    )
}

/// Returns the feedback on a name that cannot be a tool name.
pub(super) fn not_a_tool_name(name: &str) -> String {
    format!("{NO_SUCH_TOOL} `{}`. The name of a tool has the form `server.tool`.", shown(name))
}

/// Returns whether the text after `Observation:` repeats feedback and is not an invented result.
pub(super) fn is_echo(observation: &str) -> bool {
    let observation = observation.trim_start();
    HINTS.iter().any(|hint| observation.starts_with(hint))
}

fn quoted(name: &str) -> String {
    format!("`{}`", short_line(name, SHOWN_NAME_CHARS))
}

fn shown(name: &str) -> String {
    let mut characters = name.chars();
    let beginning: String = characters.by_ref().take(SHOWN_NAME_CHARS).collect();
    if characters.next().is_some() { beginning + "…" } else { beginning }
}
