//! Decides which sections of a reply count.
//!
//! The last action and the first final answer count. A complete action takes precedence over a final answer,
//! unless it was recovered or names no server: some models write `Action: Finish` when they are done. A final
//! answer that counts extends to the end of the reply.

use super::action::{Action, NamedAction, named, plausible_name};
use super::feedback::{self, FormatFault};
use super::fence;
use super::header::Header;
use super::sections::Sections;
use super::{Intent, ReactReply};

/// Interprets the text of a reply.
pub(super) fn interpret(reply: &str) -> ReactReply {
    let sections = Sections::of(reply);
    let answer = sections.marks().iter().position(|mark| mark.header == Header::FinalAnswer);
    let before = Draft::of(&sections, 0..answer.unwrap_or(sections.marks().len()));
    let Some(answer) = answer else {
        return before.reply();
    };
    let after = Draft::of(&sections, answer + 1..sections.marks().len());
    let mut calls =
        [after.complete(), before.complete()].into_iter().flatten().filter(|call| !call.recovered);
    if let Some(call) = calls.clone().find(CompleteAction::names_a_server) {
        return call.reply(call.thought.or(before.thought));
    }
    match (block(fence::without_stray(sections.text_to_end(answer))), calls.next_back()) {
        ("", Some(call)) => call.reply(call.thought.or(before.thought)),
        ("", None) if before.cut => before.malformed(FormatFault::StoppedAtResult),
        ("", None) => before.malformed(FormatFault::EmptyAnswer),
        (text, _) => ReactReply {
            thought: before.thought.map(str::to_owned),
            intent: Intent::FinalAnswer(text.to_owned()),
        },
    }
}

/// Returns the offset of a tool result that the model invented.
pub(super) fn invention(reply: &str) -> Option<usize> {
    Sections::of(reply).invention()
}

/// The content of a range of sections; later sections replace earlier ones.
#[derive(Debug, Default, Clone, Copy)]
struct Draft<'r> {
    thought: Option<&'r str>,
    action: Option<NamedAction<'r>>,
    /// The thought before the action.
    action_thought: Option<&'r str>,
    input: Option<&'r str>,
    recovered: bool,
    /// Whether the reply continues with a result that the model invented.
    cut: bool,
}

/// An action with its input.
#[derive(Debug, Clone, Copy)]
struct CompleteAction<'r> {
    thought: Option<&'r str>,
    name: &'r str,
    input: &'r str,
    recovered: bool,
}

impl<'r> Draft<'r> {
    fn of(sections: &Sections<'r>, range: std::ops::Range<usize>) -> Self {
        let mut draft = Self { cut: sections.invention().is_some(), ..Self::default() };
        for index in range.clone() {
            let mark = sections.marks()[index];
            let text = sections.text(index);
            match mark.header {
                Header::Thought => draft.think(text),
                Header::Action => draft.act(named(text), mark.recovered),
                Header::ActionInput => {
                    let before = if index > range.start {
                        prose_before(sections, index)
                    } else if range.start == 0 {
                        Some(sections.preamble())
                    } else {
                        None
                    };
                    draft.recover(before);
                    draft.input = Some(block(fence::without_stray(text)));
                }
                Header::FinalAnswer | Header::Observation => {}
            }
        }
        draft
    }

    /// Sets the thought, unless it is empty and there is an earlier one.
    fn think(&mut self, text: &'r str) {
        let text = fence::without_stray(text).trim();
        if !text.is_empty() || self.thought.is_none() {
            self.thought = Some(text);
        }
    }

    /// Sets the action and discards the input of an earlier one.
    fn act(&mut self, action: Option<NamedAction<'r>>, recovered: bool) {
        self.action = action;
        self.action_thought = self.thought;
        self.input = None;
        self.recovered = recovered;
    }

    /// Uses the last line before an input as its action, if the line is a tool name.
    fn recover(&mut self, before: Option<&'r str>) {
        let Some(before) = before.map(str::trim_end) else { return };
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let Some(name) = plausible_name(&before[line..]) else { return };
        if self.thought == Some(before.trim()) {
            self.thought = Some(before[..line].trim());
        }
        self.act(Some(NamedAction { name, arguments: None }), true);
    }

    /// Returns the action if it has an input: a separate section, or arguments after its name.
    fn complete(&self) -> Option<CompleteAction<'r>> {
        let action = self.action?;
        let input = match (self.input, action.arguments) {
            (Some(""), Some(arguments)) | (None, Some(arguments)) => arguments.trim(),
            (Some(input), _) => input,
            (None, None) => return None,
        };
        let thought = self.action_thought.or(self.thought);
        Some(CompleteAction { thought, name: action.name, input, recovered: self.recovered })
    }

    fn reply(&self) -> ReactReply {
        match self.complete() {
            Some(call) => call.reply(call.thought),
            None => self.malformed(self.fault()),
        }
    }

    fn fault(&self) -> FormatFault {
        if self.cut {
            return FormatFault::StoppedAtResult;
        }
        match (self.action, self.input, self.thought) {
            (Some(_), _, _) => FormatFault::ActionWithoutInput,
            (None, Some(_), _) => FormatFault::InputWithoutAction,
            (None, None, Some(_)) => FormatFault::ThoughtOnly,
            (None, None, None) => FormatFault::NothingRecognized,
        }
    }

    fn malformed(&self, fault: FormatFault) -> ReactReply {
        let action = self.action.map(|action| action.name.to_owned());
        ReactReply {
            thought: self.thought.map(str::to_owned),
            intent: Intent::Malformed {
                action,
                input: self.input.map(str::to_owned),
                feedback: feedback::malformed(fault),
            },
        }
    }
}

impl CompleteAction<'_> {
    fn names_a_server(&self) -> bool {
        self.name.contains('.')
    }

    fn reply(&self, thought: Option<&str>) -> ReactReply {
        let action = Action::parse(self.name, self.input);
        let intent = if self.names_a_server() {
            Intent::Action(action)
        } else {
            Intent::UnknownTool { feedback: feedback::not_a_tool_name(&action.name), action }
        };
        ReactReply { thought: thought.map(str::to_owned), intent }
    }
}

/// Returns the previous section if it can contain an action without a header.
fn prose_before<'r>(sections: &Sections<'r>, index: usize) -> Option<&'r str> {
    let before = index.checked_sub(1)?;
    let is_prose = matches!(sections.marks()[before].header, Header::Thought | Header::Observation);
    is_prose.then(|| sections.text(before))
}

/// Returns the text without surrounding blank lines, keeping the indentation of its first line.
fn block(text: &str) -> &str {
    let leading = text.len() - text.trim_start().len();
    let start = text[..leading].rfind('\n').map_or(leading, |end| end + 1);
    text[start..].trim_end()
}
