//! Finds calls in the notations of other programs and chat templates.
//!
//! ```text
//! <tool_call>{"name": "k8s.pods", "arguments": {"namespace": "shop"}}</tool_call>
//! ```
//!
//! One pass finds JSON objects, fenced or not (`json`), and tags (`tag`). A JSON object in prose can be data, so
//! callers check whether it names a tool. A notation that the reply quotes is no call (`quotation`). The number of
//! failed attempts is bounded, which keeps the search linear.

mod elements;
mod json;
mod quotation;
mod tag;

use std::ops::Range;

use super::parameters::{JsonFault, JsonStart, read_start};

use quotation::QuoteState;

pub(super) use json::{answer_text, call_in_input};
pub(super) use quotation::RESULTS;

/// Maximum number of texts that look like JSON and are not a call.
const MAX_ATTEMPTS: usize = 64;

/// Tags around several calls, which are part of the notation.
const WRAPPERS: [&str; 6] = [
    "<function_calls>",
    "</function_calls>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
];

/// A call as it was written, before its tool is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenCall {
    pub(super) name: String,
    pub(super) input: String,
}

/// What a notation requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// Calls, at least one.
    Calls(Vec<WrittenCall>),
    /// The final answer.
    Answer(String),
    /// A call whose JSON cannot be parsed.
    Broken(JsonFault),
}

/// Whether a notation can be something else than a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// A tag at the end of the text, or a complete reply that is the JSON of a call.
    Certain,
    /// A tag that a sentence follows: a call, unless the reply has an answer.
    Described,
    /// JSON in prose: data, unless it names a tool.
    Possible,
}

/// A notation in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notation {
    /// Range of the notation, including its fence or tag.
    pub(super) range: Range<usize>,
    pub(super) certainty: Certainty,
    /// The thought inside the notation.
    pub(super) thought: Option<String>,
    pub(super) written: Written,
}

/// The text at one position.
enum Place {
    Notation(Notation),
    /// JSON that is no call, or another text; the number of bytes to skip.
    Other(usize),
    /// A text that starts like JSON and cannot be parsed.
    Failed,
}

/// Finds the notations of a text in order, except those that the text quotes.
pub(super) fn scan(text: &str) -> Vec<Notation> {
    quotation::without_quoted(text, find(text))
}

/// Returns the first notation of a text that is an action.
pub(super) fn first(text: &str) -> Option<Notation> {
    find(text).into_iter().next()
}

fn find(text: &str) -> Vec<Notation> {
    let first = text.len() - text.trim_start().len();
    let mut found = Vec::new();
    let mut quotes = QuoteState::new(text);
    let mut attempts = 0;
    let mut at = 0;
    while let Some(offset) = text[at..].find(['<', '[', '{', '`'])
        && attempts < MAX_ATTEMPTS
    {
        let start = at + offset;
        match place_at(text, start, start == first) {
            Place::Notation(notation) if quotes.is_quoted(start) => at = notation.range.end.max(start + 1),
            Place::Notation(notation) => {
                let notation = notation.with_wrappers(text);
                at = notation.range.end.max(start + 1);
                found.push(notation);
            }
            Place::Other(length) => at = start + length,
            Place::Failed => {
                attempts += 1;
                at = start + 1;
            }
        }
    }
    found
}

fn place_at(text: &str, start: usize, is_first: bool) -> Place {
    let rest = &text[start..];
    if let Some(notation) = tag::at_start(rest) {
        return Place::Notation(notation.moved(start));
    }
    let json = start + (rest.len() - json::inside_fence(rest).len());
    let starts_line = starts_line(&text[..start]);
    let is_json = text[json..].starts_with('{') || (starts_line && text[json..].starts_with('['));
    match is_json.then(|| json_at(text, start, json, is_first)) {
        Some(Place::Notation(notation)) if !starts_line && !ends_line(&text[notation.range.end..]) => {
            Place::Other(notation.range.len())
        }
        Some(place) => place,
        None => Place::Other(skipped(rest)),
    }
}

/// Returns whether the text after `before` starts a line, or follows another call in it.
fn starts_line(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    line.is_empty() || line.ends_with(['\n', ';']) || line.ends_with("functools[")
}

fn ends_line(after: &str) -> bool {
    let rest = after.trim_start_matches([' ', '\t', ']', ';', '.', '`']);
    rest.is_empty() || rest.starts_with('\n')
}

/// Returns the notation whose JSON starts at `json`, and whose fence starts at `start`.
fn json_at(text: &str, start: usize, json: usize, is_first: bool) -> Place {
    match read_start(&text[json..]) {
        JsonStart::Value(value, length) => {
            let end = json::after_fence(text, start, json + length);
            let is_alone = is_first && text[end..].trim().is_empty();
            let notation = json::notation(&value, start..end, is_alone);
            notation.map_or(Place::Other(end - start), Place::Notation)
        }
        JsonStart::Broken(fault) if is_first && json::is_intended_call(&text[json..]) => {
            Place::Notation(Notation {
                range: start..text.len(),
                certainty: Certainty::Certain,
                thought: None,
                written: Written::Broken(fault),
            })
        }
        JsonStart::Broken(_) | JsonStart::NotJson => Place::Failed,
    }
}

/// Returns the length of a text that is not a notation. The characters of a fence are skipped together.
fn skipped(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    ticks.max(1)
}

impl Notation {
    /// Extends the range to the tags around the notation.
    fn with_wrappers(mut self, text: &str) -> Self {
        let (before, after) = (text[..self.range.start].trim_end(), text[self.range.end..].trim_start());
        if let Some(before) = WRAPPERS.iter().find_map(|wrapper| before.strip_suffix(wrapper)) {
            self.range.start = before.len();
        }
        if let Some(after) = WRAPPERS.iter().find_map(|wrapper| after.strip_prefix(wrapper)) {
            self.range.end = text.len() - after.len();
        }
        self
    }

    fn moved(mut self, offset: usize) -> Self {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}
