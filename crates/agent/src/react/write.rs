//! A reply written back in the format, as the prompt asks for it.
//!
//! What was unclear in the original is not restored: this is the reply as it was understood.

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

/// Text that is indented keeps its indentation only on a line of its own.
fn section(formatter: &mut Formatter<'_>, header: &str, text: &str) -> fmt::Result {
    match text {
        "" => writeln!(formatter, "{header}"),
        text if text.starts_with(char::is_whitespace) || text.contains('\n') => {
            writeln!(formatter, "{header}\n{text}")
        }
        text => writeln!(formatter, "{header} {text}"),
    }
}
