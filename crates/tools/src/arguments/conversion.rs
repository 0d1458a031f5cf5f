//! The conversions of a single value to the types of its schema.
//!
//! Only conversions with one meaning are here. `"a,b"` is not split into a list, because a comma may belong
//! to the value; `"0644"` is not a number, because it may be octal; `1` is not `true`.

use serde_json::{Number, Value};
use tarsy_domain::json_schema::SchemaObject;

use super::keyword::{listed_values, types};
use super::number_text::NumberTexts;

/// Integers up to this magnitude have an exact floating-point value.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The conversions within the arguments of one call.
pub(super) struct Conversions<'a> {
    numbers: NumberTexts<'a>,
}

impl<'a> Conversions<'a> {
    /// Creates the conversions for arguments that were parsed from this text.
    pub(super) fn new(written: &'a str) -> Self {
        Self { numbers: NumberTexts::new(written) }
    }

    /// Returns the values that `value` may stand for in a place with this schema. The caller picks the first
    /// one that the schema accepts.
    pub(super) fn of(&self, schema: &SchemaObject, value: &Value) -> Vec<Value> {
        let by_type = types(schema).into_iter().filter_map(|kind| self.converted(kind, value));
        by_type.chain(listed_equivalent(schema, value)).collect()
    }

    fn converted(&self, kind: &str, value: &Value) -> Option<Value> {
        match (kind, value) {
            ("integer", Value::String(text)) => integer(text),
            ("number", Value::String(text)) => number(text).map(Value::Number),
            ("boolean", Value::String(text)) => boolean(text),
            ("null", Value::String(_)) => is_null(value).then_some(Value::Null),
            ("string", Value::Number(number)) => self.numbers.text_of(number).map(Value::String),
            ("string", Value::Bool(value)) => Some(Value::String(value.to_string())),
            ("object", Value::String(text)) => json(text).filter(Value::is_object),
            ("array", Value::String(text)) => json(text).map(into_list).or_else(|| single_text(text)),
            ("array", Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Some(into_list(value.clone())),
            _ => None,
        }
    }
}

fn into_list(value: Value) -> Value {
    if value.is_array() { value } else { Value::Array(vec![value]) }
}

fn integer(text: &str) -> Option<Value> {
    let number = number(text)?;
    if number.is_f64() { as_integer(&number) } else { Some(Value::Number(number)) }
}

/// Returns an integral floating-point number as an integer.
pub(super) fn as_integer(number: &Number) -> Option<Value> {
    let number = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= MAX_EXACT)?;
    #[expect(clippy::cast_possible_truncation, reason = "the number is integral and in range")]
    let integer = number as i64;
    Some(Value::from(integer))
}

/// Parses a number: `5`, `-1.5`, `1e5`, `1_000`.
fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits = without_separators(text)?;
    serde_json::from_str(&digits).ok()
}

/// Removes underscores between digits. `None` if there are others.
fn without_separators(text: &str) -> Option<String> {
    let is_digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let separators = text.match_indices('_').map(|(at, _)| at);
    let mut separators =
        separators.map(|at| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)));
    separators.all(|is_between_digits| is_between_digits).then(|| text.replace('_', ""))
}

fn boolean(text: &str) -> Option<Value> {
    let is_one_of = |words: [&str; 2]| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    match (is_one_of(["true", "yes"]), is_one_of(["false", "no"])) {
        (true, _) => Some(Value::Bool(true)),
        (_, true) => Some(Value::Bool(false)),
        (false, false) => None,
    }
}

/// Returns whether a value is null or a word for it.
pub(super) fn is_null(value: &Value) -> bool {
    let is_word = |text: &str| ["null", "none"].iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    value.is_null() || value.as_str().is_some_and(is_word)
}

fn json(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.starts_with(['{', '[']) { serde_json::from_str(text).ok() } else { None }
}

/// Returns a list of one text. A text with separators may be meant as several.
fn single_text(text: &str) -> Option<Value> {
    let is_list = text.trim_start().starts_with('[') || text.contains([',', ';', '\n']);
    (!is_list && !text.trim().is_empty()).then(|| Value::Array(vec![Value::from(text)]))
}

/// Returns the only listed value that is written like `value`, apart from quotes and case.
fn listed_equivalent(schema: &SchemaObject, value: &Value) -> Option<Value> {
    let written = plain_text(value)?;
    let listed = listed_values(schema)?;
    let equals = |listed: &&Value| plain_text(listed).is_some_and(|text| text.eq_ignore_ascii_case(&written));
    let mut found = listed.iter().filter(equals);
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
