//! Parses input that is JSON or starts with JSON.
//!
//! Strict JSON is tried first, then JSON with deviations (`loose`). Scalars without quotes are not parsed
//! here.

use serde_json::{Deserializer, Value};

use super::loose;

/// Parses the value at the start of a text.
///
/// Any text can follow an object, such as an explanation. A list must end its line, because prose can start
/// with a bracket too, and a quoted string must be the complete text.
pub(super) fn read(text: &str) -> Option<Value> {
    let first = text.chars().next()?;
    let (value, length) = match first {
        '{' | '[' => strict(text).or_else(|| loose::read(text))?,
        '"' | '\'' => loose::read(text)?,
        _ => return None,
    };
    let rest = &text[length..];
    let fits = match first {
        '{' => true,
        '[' => rest.trim_start_matches([' ', '\t', '`']).starts_with('\n') || rest.trim().is_empty(),
        _ => rest.trim().is_empty(),
    };
    fits.then_some(value)
}

fn strict(text: &str) -> Option<(Value, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}
