//! The numbers of a JSON text as they are written.
//!
//! A parsed number has lost its spelling: `1.10` is a version and not `1.1`, and an id of 25 digits is not
//! `1.2e24`. A number that becomes a string must keep the digits that the model wrote.

use serde_json::Number;

/// The numbers in a JSON text, outside its strings.
pub(super) struct NumberTexts<'a>(Vec<&'a str>);

impl<'a> NumberTexts<'a> {
    pub(super) fn new(json: &'a str) -> Self {
        let mut numbers = Vec::new();
        for part in outside_strings(json) {
            let words =
                part.split(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '-' | '+' | '.'));
            numbers.extend(
                words.filter(|word| word.starts_with(|char: char| char == '-' || char.is_ascii_digit())),
            );
        }
        Self(numbers)
    }

    /// Returns how a number is written; `None` if the text contains several spellings or none.
    pub(super) fn text_of(&self, number: &Number) -> Option<String> {
        if !number.is_f64() {
            return Some(number.to_string());
        }
        let is_equal = |text: &&&str| text.parse::<f64>().ok() == number.as_f64();
        let mut found = self.0.iter().filter(is_equal);
        let first = found.next()?;
        found.all(|other| other == first).then(|| (*first).to_owned())
    }
}

/// Returns the parts of a JSON text between its strings.
fn outside_strings(json: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), json);
    while let Some(quote) = rest.find('"') {
        parts.push(&rest[..quote]);
        rest = &rest[quote + 1..];
        rest = end_of_string(rest).map_or("", |end| &rest[end..]);
    }
    parts.push(rest);
    parts
}

/// Returns the position after the closing quote of a string whose opening quote was read.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
