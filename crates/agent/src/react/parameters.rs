//! Parses the input of an action into parameters.
//!
//! The formats are tried in this order, each once: JSON (also fenced, followed by prose, inside a string, or
//! damaged), nested YAML, a list of `key: value` and `key=value`, a single scalar, and finally the text under the
//! key `input`. `fit` adapts the result to the schema of a tool.

mod alignment;
mod fault;
mod fit;
mod json;
mod loose;
mod pairs;
mod scalar;
mod yaml;

use serde_json::{Map, Value};

pub(super) use fault::JsonFault;
pub(super) use fit::{fitted, required_parameters};
pub(super) use json::{JsonStart, read_start};
pub(super) use scalar::typed;

/// The key for input without keys.
const INPUT: &str = "input";

/// Texts that models write when there are no parameters.
const NOTHING: [&str; 4] = ["none", "n/a", "(none)", "no input"];

/// A parsed input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedInput<'i> {
    pub(super) parameters: Map<String, Value>,
    pub(super) form: InputForm,
    /// The input without fences and surrounding blank lines.
    pub(super) text: &'i str,
}

/// The form of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputForm {
    Empty,
    JsonObject,
    /// YAML, or a list of keys and values.
    Lines,
    /// A value without a key, stored under [`INPUT`].
    Value,
    /// Intended as JSON, but broken; the text is stored under [`INPUT`].
    Broken(JsonFault),
}

/// Parses an input. Never fails.
pub fn parse_parameters(input: &str) -> Map<String, Value> {
    parse_input(input).parameters
}

/// Parses an input; also returns its form.
pub(super) fn parse_input(input: &str) -> ParsedInput<'_> {
    let text = unwrapped(input);
    if text.is_empty() || NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing)) {
        return ParsedInput { parameters: Map::new(), form: InputForm::Empty, text };
    }
    let (value, form) = match json::read(text.trim_start()) {
        JsonStart::Value(value, _) => (value, InputForm::JsonObject),
        JsonStart::Broken(fault) => (Value::from(text.trim()), InputForm::Broken(fault)),
        JsonStart::NotJson => (lines(text).unwrap_or_else(|| scalar::typed(text)), InputForm::Lines),
    };
    let (parameters, form) = match (value, form) {
        (Value::Object(parameters), form) => (parameters, form),
        (value, form @ InputForm::Broken(_)) => (Map::from_iter([(INPUT.to_owned(), value)]), form),
        (value, InputForm::Empty | InputForm::JsonObject | InputForm::Lines | InputForm::Value) => {
            (Map::from_iter([(INPUT.to_owned(), value)]), InputForm::Value)
        }
    };
    ParsedInput { parameters, form, text }
}

/// Returns whether a text starts with a JSON object, possibly with deviations or damaged.
pub(super) fn begins_with_object(text: &str) -> bool {
    text.starts_with('{') && read_start(text) != JsonStart::NotJson
}

/// Parses lines with keys and values, or items.
fn lines(text: &str) -> Option<Value> {
    let text = alignment::aligned(text);
    yaml::read(&text).or_else(|| pairs::read(&text).map(Value::Object))
}

/// Returns the text inside its fence or backticks, without surrounding blank lines.
fn unwrapped(input: &str) -> &str {
    let text = without_blank_lines(input);
    if let Some(fenced) = text.trim_start().strip_prefix("```") {
        let body = fenced.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let end = body.find("\n```").or_else(|| body.rfind("```")).unwrap_or(body.len());
        return without_blank_lines(&body[..end]);
    }
    let inside = text.trim_start().strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    inside.filter(|inside| !inside.contains('`')).map_or(text, str::trim)
}

/// Removes surrounding blank lines. The indentation of the first line is kept, because it relates to the
/// other lines.
fn without_blank_lines(text: &str) -> &str {
    let leading = text.len() - text.trim_start().len();
    let start = text[..leading].rfind('\n').map_or(0, |end| end + 1);
    text[start..].trim_end()
}

/// Returns whether a key without quotes can contain a character.
fn is_key_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '@')
}
