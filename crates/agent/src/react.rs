//! The ReAct text format, read as models really write it.
//!
//! ```text
//! Thought: The pod restarts. I look at its log.
//! Action: kubernetes.pods_log
//! Action Input: {"name": "web-0", "namespace": "shop"}
//! ```
//!
//! [`parse`] reads one complete reply in a few passes, each linear in its length: `sections` finds where each
//! section begins, `reading` decides which of them count, `parameters` reads the input. Whatever the text is,
//! there is a result; a reply that asks for nothing becomes feedback that tells the model what was missing.
//!
//! Nothing here calls a tool or knows which tools there are, until [`ReactReply::with_tools`] is told.

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

/// A model's reply as the ReAct grammar reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReactReply {
    /// What the model says it thinks: `None` without such a section, empty when it has a header and no text.
    pub thought: Option<String>,
    /// What the model wants.
    pub intent: Intent,
}

/// What a reply asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// A tool is to be called.
    Action(Action),
    /// The work is done, and this is its result.
    FinalAnswer(String),
    /// A tool is to be called that does not exist.
    UnknownTool {
        /// The call as it was asked for.
        action: Action,
        /// What to tell the model.
        feedback: String,
    },
    /// The reply asks for nothing that can be done.
    Malformed {
        /// The tool that was named, if one was.
        action: Option<String>,
        /// The input that was written, if there was one.
        input: Option<String>,
        /// What to tell the model.
        feedback: String,
    },
}

/// Reads a reply.
pub fn parse(reply: &str) -> ReactReply {
    let reply = with_plain_line_ends(reply);
    let (thinking, text) = thinking::split(&reply);
    let read = interpret::read(text);
    ReactReply { thought: read.thought.or_else(|| thinking.map(str::to_owned)), intent: read.intent }
}

/// The reply up to where it goes on with a result that the model made up: as much of it as [`parse`] reads.
pub(crate) fn without_invention(reply: &str) -> &str {
    let plain = with_plain_line_ends(reply);
    let (_, text) = thinking::split(&plain);
    let Some(end) = interpret::invention(text) else { return reply };
    // Line ends may be longer here than there, but there are as many; what is made up begins a line.
    let lines = plain[..plain.len() - text.len() + end].matches('\n').count();
    let kept = reply.split_inclusive('\n').take(lines).map(str::len).sum();
    reply[..kept].trim_end()
}

impl ReactReply {
    /// Judges the action by the tools there are.
    ///
    /// A forgiving spelling becomes the tool's own name. Anything else is an unknown tool, with feedback that names
    /// the nearest ones and lists all.
    #[must_use]
    pub fn with_tools<'a>(self, tools: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let intent = match self.intent {
            Intent::Action(action) | Intent::UnknownTool { action, .. } => judge(action, tools),
            Intent::FinalAnswer(_) | Intent::Malformed { .. } => self.intent,
        };
        Self { intent, ..self }
    }
}

fn judge<'a>(mut action: Action, tools: impl IntoIterator<Item = &'a str> + Clone) -> Intent {
    match resolve_tool_name(&action.name, tools.clone()) {
        Ok(name) => {
            name.clone_into(&mut action.name);
            Intent::Action(action)
        }
        Err(unknown) => Intent::UnknownTool { action, feedback: feedback::unknown_tool(&unknown, tools) },
    }
}

fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_up_after_an_action_is_left_out() {
        let kept = "Thought: ü\nAction: a.b\nAction Input: {}";
        for made_up in [
            "\nObservation: x\nThought: y",
            "\n\n**Observation:**\nx\n",
            "\n[Based on the log]",
            "\nObservation: x",
        ] {
            assert_eq!(without_invention(&format!("{kept}{made_up}")), kept, "{made_up}");
        }
    }

    #[test]
    fn line_ends_and_thinking_are_kept_as_they_are() {
        let kept =
            "<think>\r\nObservation: z\n</think>\r\nThought: x\r\n\r\nAction: a.b\nAction Input:\r\n  c: 1";
        assert_eq!(without_invention(&format!("{kept}\r\nObservation: x\r\nThought: y")), kept);
        let odd = "a\rb\r\r\nAction: a.b\rc\nAction Input: {}";
        assert_eq!(without_invention(&format!("{odd}\nObservation: x")), odd);
    }

    #[test]
    fn a_reply_that_makes_nothing_up_is_kept_whole() {
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
    fn what_is_kept_is_read_like_the_whole() {
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
