//! Notations that a reply quotes: calls in a log, a transcript or an example are not calls of the model.
//!
//! A tool result can contain the notation of a call, and an analysis can quote it. Code spans, quotes and fences with
//! other content are quotations, and so is a notation that a paragraph of other text follows.

use serde_json::Value;

use super::{Certainty, Notation};
use crate::react::parameters::{JsonStart, read_start};

/// Texts that start a result which the model invented.
pub(in crate::react) const RESULTS: [&str; 4] =
    ["Observation:", "<tool_response", "<tool_result", "[TOOL_RESULTS]"];
/// Texts that can follow the last call of a reply.
const ENDS: [&str; 14] = [
    "```",
    "`",
    "]",
    ";",
    ".",
    "</tool_call>",
    "</tool_calls>",
    "</function_calls>",
    "[/TOOL_CALLS]",
    "</s>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
];
/// Maximum length in bytes of a text after a call that describes the call, as in "This lists the pods."
const MAX_DESCRIPTION: usize = 240;

/// A position in a text, with the quotes that are open there. It only moves forward.
pub(super) struct QuoteState<'t> {
    text: &'t str,
    at: usize,
    /// First character of the line that is not blank.
    first: Option<usize>,
    /// Number of backticks in the line.
    ticks: usize,
    /// Start of the content of the open fence.
    fence: Option<usize>,
}

impl<'t> QuoteState<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, first: None, ticks: 0, fence: None }
    }

    /// Returns whether the text at an offset is quoted.
    pub(super) fn is_quoted(&mut self, offset: usize) -> bool {
        self.advance(offset);
        let in_fence = self.fence.is_some_and(|content| {
            self.text.get(content..offset).is_some_and(|text| !text.trim().is_empty())
        });
        let in_code = self.ticks % 2 == 1 && !self.is_in_fence_line(offset);
        let in_quote = self.first.is_some_and(|first| self.text[first..].starts_with('>'));
        in_fence || in_code || in_quote || self.text[..offset].ends_with(['"', '\''])
    }

    fn advance(&mut self, offset: usize) {
        let bytes = self.text.as_bytes();
        while self.at < offset {
            match bytes[self.at] {
                b'\n' => self.end_line(),
                b' ' | b'\t' => {}
                byte => {
                    self.ticks += usize::from(byte == b'`');
                    self.first = self.first.or(Some(self.at));
                }
            }
            self.at += 1;
        }
    }

    fn end_line(&mut self) {
        if self.is_in_fence_line(self.at) {
            self.fence = if self.fence.is_none() { Some(self.at + 1) } else { None };
        }
        (self.first, self.ticks) = (None, 0);
    }

    /// Returns whether the line up to `end` starts with a fence and has no other one.
    fn is_in_fence_line(&self, end: usize) -> bool {
        let fenced = self.first.and_then(|first| self.text[first..end].strip_prefix("```"));
        fenced.is_some_and(|rest| !rest.contains("```"))
    }
}

/// Removes the notations that other text follows, unless it only describes the call.
pub(super) fn without_quoted(text: &str, mut notations: Vec<Notation>) -> Vec<Notation> {
    let (Some(first), Some(last)) = (notations.first(), notations.last()) else { return notations };
    let has_heading = || text.lines().any(|line| line.starts_with('#'));
    let mut after_last = text_after(&text[last.range.end..]);
    if text[..first.range.start].trim().is_empty() {
        after_last = without_data(after_last);
    }
    if is_other_text(after_last) || (!after_last.is_empty() && has_heading()) {
        return Vec::new();
    }
    let ends: Vec<usize> = notations.iter().skip(1).map(|next| next.range.start).collect();
    for (index, notation) in notations.iter_mut().enumerate() {
        let end = ends.get(index).copied().unwrap_or(text.len());
        let after = text_after(&text[notation.range.end.min(end)..end]);
        if !after.is_empty() && notation.certainty == Certainty::Certain {
            notation.certainty = Certainty::Described;
        }
    }
    notations
}

/// Returns the text between a call and an invented result, without the marks that can follow a call.
fn text_after(text: &str) -> &str {
    let end = RESULTS.iter().filter_map(|result| text.find(result)).min().unwrap_or(text.len());
    let mut rest = text[..end].trim();
    while let Some(after) = ENDS.iter().find_map(|end| rest.strip_prefix(end)) {
        rest = after.trim_start();
    }
    rest
}

/// Removes JSON at the start of a text. After a reply that starts with a call it is no analysis: weak models
/// copy the alert or invent a result there.
fn without_data(text: &str) -> &str {
    let mut rest = text;
    while let JsonStart::Value(Value::Object(_) | Value::Array(_), length) = read_start(rest) {
        rest = rest[length..].trim_start();
    }
    rest
}

fn is_other_text(text: &str) -> bool {
    text.len() > MAX_DESCRIPTION || text.contains("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_quotes_and_fences_with_other_content_are_quoted() {
        let cases = [
            ("X", false),
            ("It says X", false),
            ("It says `X`", true),
            ("It says \"X\"", true),
            ("> X", true),
            ("a > X", false),
            ("```\nX\n```", false),
            ("```\nlog\nX\n```", true),
            ("```\nlog\n```\nX", false),
            ("`a` X", false),
            ("`a\nX", false),
            ("```json X", false),
        ];
        for (text, expected) in cases {
            let offset = text.find('X').unwrap();
            assert_eq!(QuoteState::new(text).is_quoted(offset), expected, "{text}");
        }
    }
}
