//! A call as it was found in a reply, perhaps without an input.

use std::borrow::Cow;

use super::notation::Certainty;
use super::tools::ReplyTools;

/// How a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallSource {
    /// An `Action:` section.
    Section,
    /// A name without a header, before an input.
    Recovered,
    /// Another notation, in prose.
    Notation(Certainty),
}

/// A call, perhaps without an input.
#[derive(Debug, Clone)]
pub(super) struct DraftCall<'r> {
    /// The text before the call.
    pub(super) thought: Option<Cow<'r, str>>,
    pub(super) name: Cow<'r, str>,
    pub(super) source: CallSource,
    /// Arguments after the name.
    pub(super) arguments: Option<Cow<'r, str>>,
    /// The `Action Input:` section.
    pub(super) input: Option<Cow<'r, str>>,
}

impl DraftCall<'_> {
    /// Returns the input: a separate section, arguments after the name, or nothing for a tool that needs none.
    pub(super) fn input(&self, tools: ReplyTools<'_>) -> Option<&str> {
        match (self.input.as_deref(), self.arguments.as_deref()) {
            (Some("") | None, Some(arguments)) => Some(arguments.trim()),
            (Some(input), _) => Some(input),
            (None, None) => tools.needs_no_input(&self.name).then_some(""),
        }
    }

    /// Returns whether the input is a separate section.
    pub(super) fn has_section(&self) -> bool {
        self.input.is_some()
    }

    /// Returns whether the input is written.
    pub(super) fn has_input(&self) -> bool {
        self.input.is_some() || self.arguments.is_some()
    }
}
