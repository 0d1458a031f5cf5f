//! A call with its name and input, as they were meant.
//!
//! Some models write the whole call as the input of an action; then the call inside counts.

use std::borrow::Cow;

use super::action::{self, named};
use super::calls::Draft;
use super::draft_call::{CallSource, DraftCall};
use super::notation::{self, Certainty};
use super::parameters::{InputForm, JsonStart, parse_input, read_start};
use super::tools::ReplyTools;

/// A call with an input.
#[derive(Debug, Clone)]
pub(super) struct CompleteCall<'c> {
    pub(super) call: &'c DraftCall<'c>,
    pub(super) name: Cow<'c, str>,
    pub(super) input: Cow<'c, str>,
}

impl<'c> CompleteCall<'c> {
    /// Returns the call if it has an input, or its tool needs none.
    pub(super) fn new(call: &'c DraftCall<'c>, tools: ReplyTools<'_>) -> Option<Self> {
        let input = call.input(tools)?;
        if let Some(inner) =
            notation::call_in_input(input).filter(|inner| is_inside(&inner.name, &call.name, tools))
        {
            return Some(Self { call, name: Cow::Owned(inner.name), input: Cow::Owned(inner.input) });
        }
        if let Some(inner) = named(input).filter(|inner| tools.are_equal(inner.name, &call.name))
            && let Some(arguments) = inner.arguments
        {
            return Some(Self {
                call,
                name: Cow::Borrowed(&call.name),
                input: Cow::Borrowed(arguments.trim()),
            });
        }
        Some(Self { call, name: Cow::Borrowed(&call.name), input: Cow::Borrowed(input) })
    }

    /// Returns whether the name is the name of a tool, as far as that is known.
    pub(super) fn is_proper(&self, tools: ReplyTools<'_>) -> bool {
        self.name.contains('.') || tools.accepts(&self.name)
    }

    /// Returns whether the call takes precedence over a final answer.
    pub(super) fn beats_an_answer(&self) -> bool {
        match self.call.source {
            CallSource::Section | CallSource::Notation(Certainty::Certain) => true,
            CallSource::Recovered | CallSource::Notation(Certainty::Described | Certainty::Possible) => false,
        }
    }

    /// Returns whether the call can be nothing else: it is an `Action:` section or a tag.
    pub(super) fn is_certain(&self) -> bool {
        self.call.source != CallSource::Notation(Certainty::Possible)
    }

    /// Returns whether text follows the JSON of the input, as after a call that is quoted in an answer.
    pub(super) fn is_followed_by_text(&self) -> bool {
        let Some(JsonStart::Value(_, length)) = self.call.input.as_deref().map(read_start) else {
            return false;
        };
        let rest = self.call.input.as_deref().and_then(|input| input.get(length..)).unwrap_or_default();
        !rest.trim_matches(|c: char| c.is_whitespace() || c == '`').is_empty()
    }

    /// Returns the final answer that the input of an action such as `Final Answer` is.
    pub(super) fn answer(&self) -> Option<String> {
        if !action::is_answer(&self.name) || is_nothing(&self.input) {
            return None;
        }
        Some(notation::answer_text(&self.input)).filter(|answer| !answer.trim().is_empty())
    }

    /// Returns the thought before the call, or else the thought of its sections.
    pub(super) fn thought<'a>(&'a self, draft: &'a Draft<'_>) -> Option<&'a str> {
        self.call.thought.as_deref().or(draft.thought.as_deref())
    }
}

/// Returns whether a call inside the input of another one is the intended one: both have the same name, or only the
/// inner one is known.
fn is_inside(inner: &str, outer: &str, tools: ReplyTools<'_>) -> bool {
    tools.are_equal(inner, outer) || (tools.find(inner).is_some() && tools.find(outer).is_none())
}

fn is_nothing(input: &str) -> bool {
    let parsed = parse_input(input);
    parsed.form == InputForm::Empty || parsed.parameters.is_empty()
}
