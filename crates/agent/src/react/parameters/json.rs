//! Parses input that is JSON or starts with JSON.
//!
//! Strict JSON is tried first, then JSON with deviations, then known kinds of damage: doubled braces, escaped
//! quotes, missing brackets. Scalars without quotes are not parsed here.

use serde_json::{Deserializer, Value};

use super::fault::JsonFault;
use super::{is_key_character, loose};

/// Maximum number of strings in strings that are parsed as JSON.
const MAX_STRINGS: usize = 3;

/// The JSON at the start of a text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::react) enum JsonStart {
    /// A value and its length.
    Value(Value, usize),
    /// JSON was intended, but cannot be parsed.
    Broken(JsonFault),
    /// Another text.
    NotJson,
}

/// Parses an input.
///
/// Any text can follow an object, such as an explanation. A list must end its line, because prose can start
/// with a bracket too, and a quoted string must be the complete text. A string that contains JSON is parsed
/// too.
pub(super) fn read(text: &str) -> JsonStart {
    let mut start = read_start(text);
    for _ in 0..MAX_STRINGS {
        let JsonStart::Value(Value::String(inner), length) = &start else { break };
        let JsonStart::Value(value, _) = fitting(inner.trim_start(), read_start(inner.trim_start())) else {
            break;
        };
        start = JsonStart::Value(value, *length);
    }
    fitting(text, start)
}

/// Discards a value that is followed by text which must not follow it.
fn fitting(text: &str, start: JsonStart) -> JsonStart {
    let JsonStart::Value(_, length) = &start else { return start };
    let rest = &text[*length..];
    let fits = match text.as_bytes().first() {
        Some(b'{') => true,
        Some(b'[') => rest.trim_start_matches([' ', '\t', '`']).starts_with('\n') || rest.trim().is_empty(),
        Some(_) | None => rest.trim().is_empty(),
    };
    if fits { start } else { JsonStart::NotJson }
}

/// Parses the value at the start of a text.
pub(in crate::react) fn read_start(text: &str) -> JsonStart {
    let read = match text.as_bytes().first() {
        Some(b'{' | b'[') => strict(text).or_else(|| loose::read(text)),
        Some(b'"' | b'\'') => loose::read(text),
        Some(_) | None => return JsonStart::NotJson,
    };
    if let Some((value, length)) =
        read.or_else(|| escaped(text)).or_else(|| doubled(text)).or_else(|| typographic(text))
    {
        return JsonStart::Value(value, length);
    }
    if !is_intended(text) {
        return JsonStart::NotJson;
    }
    match loose::repair(text) {
        Ok((value, length)) => JsonStart::Value(value, length),
        Err(fault) if text.starts_with('{') => JsonStart::Broken(fault),
        Err(_) => JsonStart::NotJson,
    }
}

fn strict(text: &str) -> Option<(Value, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// Parses `{\"a\": 1}`: an object whose quotes are escaped as in a string.
fn escaped(text: &str) -> Option<(Value, usize)> {
    text.strip_prefix('{')?.trim_start().strip_prefix("\\\"")?;
    let text = text.trim_end();
    match loose::read(&format!("\"{text}\""))? {
        (Value::String(inner), length) if length == text.len() + 2 => {
            let (value, _) = strict(&inner).or_else(|| loose::read(&inner))?;
            Some((value, text.len()))
        }
        (_, _) => None,
    }
}

/// Parses `{{"a": 1}}`: an object with the doubled braces of a template.
fn doubled(text: &str) -> Option<(Value, usize)> {
    text.strip_prefix("{{")?.trim_start().strip_prefix('"')?;
    let text = text.trim_end();
    let single = text.replace("{{", "{").replace("}}", "}");
    let (value, length) = strict(&single).or_else(|| loose::read(&single))?;
    (length == single.len()).then_some((value, text.len()))
}

/// Parses `{“a”： 1}`: an object with the quotes or the punctuation of another script.
fn typographic(text: &str) -> Option<(Value, usize)> {
    const QUOTES: [char; 3] = ['“', '”', '＂'];
    let inside = text.strip_prefix('{')?.trim_start();
    if !inside.starts_with(['"', '“', '”', '＂']) || !text.contains(['“', '”', '＂', '：', '，'])
    {
        return None;
    }
    let text = text.trim_end();
    let plain = text.replace(QUOTES, "\"").replace('：', ":").replace('，', ",");
    let (value, length) = strict(&plain).or_else(|| loose::read(&plain))?;
    (length == plain.len()).then_some((value, text.len()))
}

/// Returns whether a text that is not JSON was intended as JSON: it starts with a bracket and a quote, or with a
/// brace and a key. `{app="web"}` is a query.
fn is_intended(text: &str) -> bool {
    let inside = |open: char| text.strip_prefix(open).map(str::trim_start);
    if let Some(list) = inside('[') {
        return list.starts_with(['{', '[', '"', '\'']);
    }
    let Some(object) = inside('{') else { return false };
    let key = object.trim_start_matches(is_key_character);
    object.starts_with(['"', '\'']) || (key.len() < object.len() && key.trim_start().starts_with(':'))
}
