//! Parses the ReAct text format, including the deviations that models produce.
//!
//! ```text
//! Thought: The pod restarts. I look at its log.
//! Action: kubernetes.pods_log
//! Action Input: {"name": "web-0", "namespace": "shop"}
//! ```
//!
//! [`parse_with_tools`] parses one complete reply in a few passes, each linear in its length: `sections` finds the
//! start of each section, `calls` collects the calls in them, also in other notations (`notation`), `interpret`
//! decides what counts, `parameters` parses the input. Parsing never fails: a reply without an action or answer
//! results in feedback for the model.
//!
//! Nothing here calls a tool. [`parse`] is for a reply whose tools are not known.

mod action;
mod calls;
mod complete;
mod draft_call;
mod feedback;
mod fence;
mod header;
mod interpret;
mod label;
mod notation;
mod parameters;
mod preamble;
mod quote;
mod sections;
mod text_reply;
mod thinking;
mod tools;
mod turn;
mod write;

use std::borrow::Cow;
use std::sync::Arc;

use tarsy_domain::ToolDefinition;

pub use action::Action;
pub(crate) use feedback::unknown_tool;
pub use parameters::parse_parameters;
pub(crate) use text_reply::{TextReply, parse_text};
pub(crate) use tools::resolve;

use tools::ReplyTools;

/// A parsed reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReactReply {
    /// The thought: `None` without such a section, empty if the section has no text.
    pub thought: Option<String>,
    /// What the model requests.
    pub intent: Intent,
    /// Names of further calls in the reply. Only the first call of a reply is executed.
    pub not_executed: Vec<String>,
}

/// What a reply requests.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// A tool call.
    Action(Action),
    /// The final answer.
    FinalAnswer(String),
    /// A call of a tool that does not exist.
    UnknownTool {
        /// The requested call.
        action: Action,
        /// Feedback for the model.
        feedback: String,
    },
    /// Neither a call nor an answer.
    Malformed {
        /// The named tool, if there is one.
        action: Option<String>,
        /// The input, if there is one.
        input: Option<String>,
        /// Feedback for the model.
        feedback: String,
    },
}

/// Parses a reply whose tools are not known: any name of the form `server.tool` is accepted.
pub fn parse(reply: &str) -> ReactReply {
    parse_among(reply, ReplyTools::Any)
}

/// Parses a reply that can call these tools.
///
/// A similar spelling of a name is replaced by the exact name, and the input is adapted to the schema of the tool.
/// Any other name is an unknown tool, with feedback that describes the nearest tools.
pub fn parse_with_tools(reply: &str, tools: &[Arc<ToolDefinition>]) -> ReactReply {
    parse_among(reply, ReplyTools::Known(tools))
}

fn parse_among(reply: &str, tools: ReplyTools<'_>) -> ReactReply {
    let reply = with_unix_line_breaks(reply);
    let reply = quote::without_marks(&reply);
    let (thinking, text) = thinking::split(&reply);
    let read = interpret::interpret(text, tools);
    ReactReply { thought: read.thought.or_else(|| thinking.map(str::to_owned)), ..read }
}

/// Returns whether a reply starts with a header of the format or a call in another notation, and not with prose.
pub(crate) fn starts_turn(reply: &str) -> bool {
    let (_, text) = thinking::split(reply);
    let line = text.trim_start().lines().next().unwrap_or_default();
    line.starts_with(['{', '<', '['])
        || header::at_start(line).is_some_and(|found| !found.ordinary && !found.listed)
}

/// Returns the reply without a tool result that the model invented: the part that [`parse`] reads.
pub(crate) fn without_invention(reply: &str) -> &str {
    let plain = with_unix_line_breaks(reply);
    let plain = quote::without_marks(&plain);
    let (_, text) = thinking::split(&plain);
    let Some(end) = interpret::invention(text) else { return reply };
    // Line breaks and quote marks make `reply` longer than `plain`, but the number of lines is equal, and an
    // invented result starts a line.
    let lines = plain[..plain.len() - text.len() + end].matches('\n').count();
    let kept = reply.split_inclusive('\n').take(lines).map(str::len).sum();
    reply[..kept].trim_end()
}

fn with_unix_line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invented_result_after_an_action_is_removed() {
        let kept = "Thought: ü\nAction: a.b\nAction Input: {}";
        for invented in [
            "\nObservation: x\nThought: y",
            "\n\n**Observation:**\nx\n",
            "\n[Based on the log]",
            "\nObservation: x",
        ] {
            assert_eq!(without_invention(&format!("{kept}{invented}")), kept, "{invented}");
        }
    }

    #[test]
    fn line_breaks_and_thinking_are_unchanged() {
        let kept =
            "<think>\r\nObservation: z\n</think>\r\nThought: x\r\n\r\nAction: a.b\nAction Input:\r\n  c: 1";
        assert_eq!(without_invention(&format!("{kept}\r\nObservation: x\r\nThought: y")), kept);
        let odd = "a\rb\r\r\nAction: a.b\rc\nAction Input: {}";
        assert_eq!(without_invention(&format!("{odd}\nObservation: x")), odd);
    }

    #[test]
    fn a_reply_without_an_invented_result_is_unchanged() {
        for reply in [
            "",
            "\r\n",
            "Thought: x\nAction: a.b\nAction Input: {}\n\n",
            "Observation: x\nThought: y\nAction: a.b\nAction Input: {}\r\n",
            "Thought: x\nFinal Answer: y\n**Observation:** z\n",
        ] {
            assert_eq!(without_invention(reply), reply);
        }
    }

    #[test]
    fn the_kept_part_is_parsed_like_the_complete_reply() {
        let pieces = [
            "Thought: x\r\n",
            "Action: a.b\n",
            "Action Input: c: 1\n",
            "Observation: y\r\n",
            "Final Answer: z\n",
            "</think>",
            "```\n",
        ];
        for number in 0..pieces.len().pow(5) {
            let digits = (0..5).map(|place| number / pieces.len().pow(place) % pieces.len());
            let reply: String = digits.map(|digit| pieces[digit]).collect();
            let (whole, kept) = (parse(&reply), parse(without_invention(&reply)));
            if !matches!(whole.intent, Intent::Malformed { .. }) {
                assert_eq!(kept, whole, "{reply}");
            }
        }
    }
}
