//! Names that are values of a field: `name: DB_PASSWORD`, with `value: …` in the next or the previous field.

use crate::bytes::{Class, contains_ignoring_case, skip_blanks, starts_with_ignoring_case};
use crate::quote::Quote;

/// Maximum distance between the two fields, in bytes.
const MAX_DISTANCE: usize = 160;

/// Names of the field that contains the name.
const FIELDS: &[&str] = &["name", "key", "type"];

/// Returns whether a name is the value of a field such as `name` or `key`.
pub(super) fn is_named(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(24)..start).unwrap_or_default();
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'\'' | b' ' | b':' | b'=' | b'\t');
    let marks = window.iter().rev().take_while(|byte| is_mark(byte)).count();
    let signs = window.get(window.len() - marks..).unwrap_or_default();
    let word = window.get(..window.len() - marks).unwrap_or_default();
    let ends = |name: &&str| {
        word.len() >= name.len() && starts_with_ignoring_case(&word[word.len() - name.len()..], name)
    };
    signs.iter().any(|byte| matches!(byte, b':' | b'=')) && FIELDS.iter().any(ends)
}

/// Returns the start of the value in the field after the name.
pub(super) fn after(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..text.len().min(at + MAX_DISTANCE))?;
    let gap = rest.iter().position(|byte| !is_gap(*byte))?;
    let field = rest.get(gap..)?;
    let is_value = starts_with_ignoring_case(field, "value")
        && !starts_with_ignoring_case(field, "valuefrom")
        || starts_with_ignoring_case(field, "parametervalue");
    if is_value { value(text, at + gap) } else { None }
}

/// Returns the start of the value in the field before the name.
pub(super) fn before(text: &[u8], start: usize) -> Option<usize> {
    let from = start.saturating_sub(MAX_DISTANCE);
    let window = text.get(from..start)?;
    let word = window.windows(5).rposition(|word| word.eq_ignore_ascii_case(b"value"))?;
    let at = value(text, from + word)?;
    let end = match Quote::at(text, at) {
        Some((quote, from)) => quote.close(text, from).after,
        None => at + text.get(at..start)?.iter().position(|byte| matches!(byte, b',' | b'\n' | b' '))?,
    };
    let between = text.get(end..start)?;
    let is_field = |byte: u8| is_gap(byte) || matches!(byte, b':' | b'=') || byte.is_ascii_alphabetic();
    let is_next = between.iter().all(|byte| is_field(*byte)) && between.len() < 32;
    (is_next && FIELDS.iter().any(|name| contains_ignoring_case(between, name))).then_some(at)
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b';')
}

/// Returns the start of the value of the field whose name is at `at`.
fn value(text: &[u8], at: usize) -> Option<usize> {
    let end = Class::Alnum.end_within(text, at, 32);
    let end = Quote::at(text, end).map_or(end, |(_, after)| after);
    let sign = skip_blanks(text, end);
    matches!(text.get(sign), Some(b':' | b'=')).then(|| skip_blanks(text, sign + 1))
}
