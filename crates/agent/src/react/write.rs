//! Writes a parsed reply in the format of the prompt.
//!
//! The result is the reply as it was interpreted, not the original text.

use std::fmt::{self, Display, Formatter};

use super::{Action, Intent, ReactReply};

impl Display for ReactReply {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if let Some(thought) = &self.thought {
            section(formatter, "Thought:", thought)?;
        }
        match &self.intent {
            Intent::Action(Action { name, input, .. })
            | Intent::UnknownTool { action: Action { name, input, .. }, .. } => {
                section(formatter, "Action:", name)?;
                section(formatter, "Action Input:", input)
            }
            Intent::FinalAnswer(answer) => section(formatter, "Final Answer:", answer),
            Intent::Malformed { action, input, .. } => {
                action.iter().try_for_each(|name| section(formatter, "Action:", name))?;
                input.iter().try_for_each(|input| section(formatter, "Action Input:", input))
            }
        }
    }
}

/// Writes a section. Indented or multi-line text starts on its own line, which keeps its indentation.
fn section(formatter: &mut Formatter<'_>, header: &str, text: &str) -> fmt::Result {
    match text {
        "" => writeln!(formatter, "{header}"),
        text if text.starts_with(char::is_whitespace) || text.contains('\n') => {
            writeln!(formatter, "{header}\n{text}")
        }
        text => writeln!(formatter, "{header} {text}"),
    }
}
