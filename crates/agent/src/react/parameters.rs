//! The parameters that an action's input means.
//!
//! Read in this order, each attempt once: JSON (also fenced, also with prose after it, also as Python or a hasty hand
//! would write it), YAML where lines are nested, a list of `key: value` and `key=value`, one plain value, and else
//! the text as it is under `input`. What a tool makes of its parameters is not known here.

mod alignment;
mod json;
mod loose;
mod pairs;
mod scalar;
mod yaml;

use serde_json::{Map, Value};

/// The key for input that has no keys of its own.
const INPUT: &str = "input";

/// What models write for no parameters.
const NOTHING: [&str; 4] = ["none", "n/a", "(none)", "no input"];

/// Reads an input; whatever it is, it becomes parameters.
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

/// Whether a text begins with an object in JSON, or nearly.
pub(super) fn begins_with_object(text: &str) -> bool {
    text.starts_with('{') && json::read(text).is_some()
}

/// Reads keys with their values, or items.
fn lines(text: &str) -> Option<Value> {
    let text = alignment::aligned(text);
    yaml::read(&text).or_else(|| pairs::read(&text).map(Value::Object))
}

/// The text inside its fence or back-ticks, without blank lines around it.
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

/// The indentation of the first line belongs to the others', so only whole blank lines are dropped.
fn without_blank_lines(text: &str) -> &str {
    let blanks = text.len() - text.trim_start().len();
    let start = text[..blanks].rfind('\n').map_or(0, |end| end + 1);
    text[start..].trim_end()
}

/// Whether a key without quotes may hold this character.
fn is_key_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '@')
}
