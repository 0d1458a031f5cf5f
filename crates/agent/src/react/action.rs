//! A tool call as an `Action:` section names it.
//!
//! Only the shape of a name is judged here: which tools exist is not known.

use serde_json::{Map, Value};
use tarsy_domain::ToolName;

use super::parameters::{begins_with_object, parse_parameters};

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The tool's name as it was written, without quotes and prose around it.
    pub name: String,
    /// The input as it was written.
    pub input: String,
    /// The input's meaning.
    pub parameters: Map<String, Value>,
}

impl Action {
    /// A call with the parameters that `input` is read as.
    pub(super) fn read(name: &str, input: &str) -> Self {
        Self { name: name.to_owned(), input: input.to_owned(), parameters: parse_parameters(input) }
    }

    /// A call with these parameters, its input being their JSON.
    pub fn new(name: impl Into<String>, parameters: Map<String, Value>) -> Self {
        let input = Value::Object(parameters.clone()).to_string();
        Self { name: name.into(), input, parameters }
    }
}

/// What an `Action:` section says: a name, and perhaps arguments in parentheses or braces after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedAction<'r> {
    pub(super) name: &'r str,
    pub(super) arguments: Option<&'r str>,
}

/// What models write when they want no tool.
const NO_TOOL: [&str; 8] = ["none", "null", "nil", "n/a", "na", "no", "nothing", "-"];
/// What may surround a name.
const QUOTES: [char; 14] = ['"', '\'', '`', '*', '[', ']', '<', '>', '“', '”', '‘', '’', '«', '»'];
const PUNCTUATION: [char; 8] = ['.', ',', ':', ';', '!', '?', '(', ')'];

/// Reads an `Action:` section; `None` if it names no tool.
pub(super) fn named(section: &str) -> Option<NamedAction<'_>> {
    let text = section.trim_start_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    let ends_name = |(at, c): &(usize, char)| c.is_whitespace() || *c == '(' || (*c == '{' && *at > 0);
    let end = text.char_indices().find(ends_name).map_or(text.len(), |(at, _)| at);
    let name = without_marks(&text[..end]);
    let arguments = match text[end..].strip_prefix('(') {
        Some(inside) => inside_parentheses(inside),
        None => json_object(&text[end..]),
    };
    if name.is_empty() || NO_TOOL.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return None;
    }
    let is_prose = arguments.is_none() && name.chars().all(char::is_alphabetic);
    let line = text.lines().next().filter(|_| is_prose).unwrap_or_default();
    match line.split_whitespace().find_map(named_in_prose) {
        Some(name) => Some(NamedAction { name, arguments: None }),
        None => Some(NamedAction { name, arguments }),
    }
}

/// The tool's name that a line consists of: `server.tool`, with one dot.
pub(super) fn plausible_name(line: &str) -> Option<&str> {
    let name = line.trim().trim_matches(QUOTES);
    let parts = ToolName::parse(name);
    (is_word(parts.server()?) && is_word(parts.tool())).then_some(name)
}

/// A word of a sentence that is surely a tool: `e.g.` is not.
fn named_in_prose(word: &str) -> Option<&str> {
    let name = plausible_name(without_marks(word))?;
    let parts = ToolName::parse(name);
    let is_long = |part: &str| part.len() > 1 && part.starts_with(char::is_alphabetic);
    (is_long(parts.server()?) && is_long(parts.tool())).then_some(name)
}

fn without_marks(word: &str) -> &str {
    word.trim_end_matches(|c| QUOTES.contains(&c) || PUNCTUATION.contains(&c))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// The text from its first character on, if that begins a JSON object, perhaps in a fence.
fn json_object(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = text.strip_prefix("```").map_or(text, |fenced| fenced.trim_start_matches("json").trim_start());
    begins_with_object(text).then_some(text)
}

/// The text up to the parenthesis that closes, quotes respected; the last one there is if they do not match.
fn inside_parentheses(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => return Some(&text[..at]),
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
    }
    text.rfind(')').map(|end| &text[..end])
}
