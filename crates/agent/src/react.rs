//! Parses the ReAct text format, including the deviations that models produce.
//!
//! ```text
//! Thought: The pod restarts. I look at its log.
//! Action: kubernetes.pods_log
//! Action Input: {"name": "web-0", "namespace": "shop"}
//! ```
//!
//! [`parse`] parses one complete reply in a few passes, each linear in its length: `sections` finds the start
//! of each section, `interpret` decides which of them count, `parameters` parses the input. Parsing never
//! fails: a reply without an action or answer results in feedback for the model.
//!
//! Nothing here calls a tool. The available tools are unknown until [`ReactReply::with_tools`].

mod action;
mod feedback;
mod fence;
mod header;
mod interpret;
mod parameters;
mod sections;
mod thinking;
mod write;

use std::borrow::Cow;

use tarsy_domain::resolve_tool_name;

pub use action::Action;
pub(crate) use feedback::unknown_tool;
pub use parameters::parse_parameters;

/// A parsed reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReactReply {
    /// The thought: `None` without such a section, empty if the section has no text.
    pub thought: Option<String>,
    /// What the model requests.
    pub intent: Intent,
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

/// Parses a reply.
pub fn parse(reply: &str) -> ReactReply {
    let reply = with_unix_line_breaks(reply);
    let (thinking, text) = thinking::split(&reply);
    let read = interpret::interpret(text);
    ReactReply { thought: read.thought.or_else(|| thinking.map(str::to_owned)), intent: read.intent }
}

/// Returns the reply without a tool result that the model invented: the part that [`parse`] reads.
pub(crate) fn without_invention(reply: &str) -> &str {
    let plain = with_unix_line_breaks(reply);
    let (_, text) = thinking::split(&plain);
    let Some(end) = interpret::invention(text) else { return reply };
    // Line breaks can be longer in `reply` than in `plain`, but their number is equal, and an invented result
    // starts a line.
    let lines = plain[..plain.len() - text.len() + end].matches('\n').count();
    let kept = reply.split_inclusive('\n').take(lines).map(str::len).sum();
    reply[..kept].trim_end()
}

impl ReactReply {
    /// Resolves the tool name of an action among the available tools.
    ///
    /// A similar spelling is replaced by the exact name. Any other name is an unknown tool, with feedback
    /// that suggests the closest names and lists all.
    #[must_use]
    pub fn with_tools<'a>(self, tools: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let intent = match self.intent {
            Intent::Action(action) | Intent::UnknownTool { action, .. } => resolve(action, tools),
            Intent::FinalAnswer(_) | Intent::Malformed { .. } => self.intent,
        };
        Self { intent, ..self }
    }
}

fn resolve<'a>(mut action: Action, tools: impl IntoIterator<Item = &'a str> + Clone) -> Intent {
    match resolve_tool_name(&action.name, tools.clone()) {
        Ok(name) => {
            name.clone_into(&mut action.name);
            Intent::Action(action)
        }
        Err(unknown) => Intent::UnknownTool { action, feedback: feedback::unknown_tool(&unknown, tools) },
    }
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
