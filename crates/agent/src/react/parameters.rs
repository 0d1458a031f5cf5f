//! Parses the input of an action into parameters.
//!
//! The formats are tried in this order, each once: JSON (also fenced, followed by prose, or with the
//! deviations of Python literals), nested YAML, a list of `key: value` and `key=value`, a single scalar, and
//! finally the text under the key `input`. The schema of the tool is not known here.

mod alignment;
mod json;
mod loose;
mod pairs;
mod scalar;
mod yaml;

use serde_json::{Map, Value};

/// The key for input without keys.
const INPUT: &str = "input";

/// Texts that models write when there are no parameters.
const NOTHING: [&str; 4] = ["none", "n/a", "(none)", "no input"];

/// Parses an input. Never fails.
pub fn parse_parameters(input: &str) -> Map<String, Value> {
    let text = unwrapped(input);
    if text.is_empty() || NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing)) {
        return Map::new();
    }
    let value = json::read(text.trim_start()).or_else(|| lines(text)).unwrap_or_else(|| scalar::typed(text));
    match value {
        Value::Object(parameters) => parameters,
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Map::from_iter([(INPUT.to_owned(), other)])
        }
    }
}

/// Returns whether a text starts with a JSON object, possibly with deviations.
pub(super) fn begins_with_object(text: &str) -> bool {
    text.starts_with('{') && json::read(text).is_some()
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
