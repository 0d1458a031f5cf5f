//! Feedback for a model whose reply cannot be interpreted: what is missing, and the format.
//!
//! The texts are part of recorded conversations. The run decides when and how often they are sent.

use tarsy_domain::UnknownTool;

/// Why a reply is neither a call nor an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatFault {
    NothingRecognized,
    ThoughtOnly,
    ActionWithoutInput,
    InputWithoutAction,
    EmptyAnswer,
    /// The reply was cut at an invented result, and the text before it is incomplete.
    StoppedAtResult,
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

/// Returns the feedback on a reply that is neither a call nor an answer.
pub(super) fn malformed(fault: FormatFault) -> String {
    let missing = match fault {
        FormatFault::NothingRecognized => {
            "it has no `Thought:`, no `Action:` and no `Final Answer:` at the start of a line."
        }
        FormatFault::ThoughtOnly => "it has a thought, but no action and no final answer.",
        FormatFault::ActionWithoutInput => {
            "its `Action:` has no `Action Input:`. A tool without parameters has an empty one."
        }
        FormatFault::InputWithoutAction => {
            "its `Action Input:` has no `Action:` with the name of a tool before it."
        }
        FormatFault::EmptyAnswer => "it is incomplete, nothing stands after `Final Answer:`.",
        FormatFault::StoppedAtResult => {
            "it stops where a result begins (`Observation:`), which is ours to write, before it has a complete \
             action or a final answer."
        }
    };
    format!("{LEAD}{missing}\n\n{FORMAT}")
}

/// Returns the feedback on a name that cannot be a tool name.
pub(super) fn not_a_tool_name(name: &str) -> String {
    format!("{NO_SUCH_TOOL} `{}`. The name of a tool has the form `server.tool`.", shown(name))
}

/// Returns the feedback on a tool that does not exist, with the available tools.
pub(crate) fn unknown_tool<'a>(unknown: &UnknownTool, tools: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = format!("{NO_SUCH_TOOL} `{}`.", shown(&unknown.requested));
    if !unknown.nearest.is_empty() {
        let nearest: Vec<String> = unknown.nearest.iter().map(|name| format!("`{name}`")).collect();
        text += &format!(" Did you mean {}?", nearest.join(" or "));
    }
    let tools: Vec<&str> = tools.into_iter().collect();
    if tools.is_empty() {
        text += " No tools are available: give your final answer.";
    } else {
        text += &format!(" Available tools: {}.", tools.join(", "));
    }
    text
}

/// Returns whether the text after `Observation:` repeats feedback and is not an invented result.
pub(super) fn is_echo(observation: &str) -> bool {
    let observation = observation.trim_start();
    HINTS.iter().any(|hint| observation.starts_with(hint))
}

fn shown(name: &str) -> String {
    let mut characters = name.chars();
    let beginning: String = characters.by_ref().take(SHOWN_NAME_CHARS).collect();
    if characters.next().is_some() { beginning + "…" } else { beginning }
}
