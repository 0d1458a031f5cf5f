//! Input whose first line lost its indentation, because it stands behind `Action Input:` and the others below it.
//!
//! ```text
//! Action Input: namespace: shop
//!               name: web-0
//! ```
//!
//! Only the first line is moved. What the lines mean is not decided here.

use std::borrow::Cow;

use super::pairs;

/// With these a text in several lines, a tag or an anchor begins.
const OPENERS: [char; 4] = ['|', '>', '!', '&'];
/// A line that ends with one of these goes on in the next.
const UNFINISHED: [char; 11] = [':', ',', ';', '\\', '|', '&', '+', '=', '(', '[', '{'];

/// The text with its first key as deep as the key below it, if the first value ends with its line.
pub(super) fn aligned(text: &str) -> Cow<'_, str> {
    match lost_indentation(text) {
        Some(blanks) => Cow::Owned(format!("{blanks}{text}")),
        None => Cow::Borrowed(text),
    }
}

fn lost_indentation(text: &str) -> Option<&str> {
    let (first, below) = text.split_once('\n')?;
    let next = below.lines().find(|line| !line.trim().is_empty())?;
    let (blanks, next) = next.split_at(next.len() - next.trim_start().len());
    let (sign, value) = pairs::first_pair(first.trim_start())?;
    let (next_sign, _) = pairs::first_pair(next)?;
    let lost = blanks.get(first.len() - first.trim_start().len()..)?;
    (!lost.is_empty() && sign == next_sign && is_finished(value.trim())).then_some(lost)
}

fn is_finished(value: &str) -> bool {
    let count = |characters: [char; 3]| value.matches(characters).count();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let is_closed = quote.is_none_or(|quote| value.len() > 1 && value.ends_with(quote));
    !value.is_empty()
        && is_closed
        && !value.starts_with(OPENERS)
        && !value.ends_with(UNFINISHED)
        && count(['(', '[', '{']) == count([')', ']', '}'])
}
