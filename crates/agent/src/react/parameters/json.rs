//! Input that is JSON, or begins with it.
//!
//! Strict JSON is tried first; what is nearly JSON is left to `loose`. Plain words and numbers are not read here.

use serde_json::{Deserializer, Value};

use super::loose;

/// Reads the value that a text begins with.
///
/// After an object anything may follow, such as the reasons for it. After a list only what begins a new line may,
/// because prose can begin with a bracket too, and a text in quotes must be all there is.
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
