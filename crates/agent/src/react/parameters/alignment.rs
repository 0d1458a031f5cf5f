//! Restores the indentation of the first line of an input that starts after `Action Input:`.
//!
//! ```text
//! Action Input: namespace: shop
//!               name: web-0
//! ```
//!
//! Only the first line is changed. The lines are parsed elsewhere.

use std::borrow::Cow;

use super::pairs;

/// Characters that start a block scalar, a tag or an anchor.
const OPENERS: [char; 4] = ['|', '>', '!', '&'];
/// Characters at the end of a line that continues on the next one.
const UNFINISHED: [char; 11] = [':', ',', ';', '\\', '|', '&', '+', '=', '(', '[', '{'];

/// Indents the first key like the key below it, if the first value ends with its line.
pub(super) fn aligned(text: &str) -> Cow<'_, str> {
    match lost_indentation(text) {
        Some(leading) => Cow::Owned(format!("{leading}{text}")),
        None => Cow::Borrowed(text),
    }
}

fn lost_indentation(text: &str) -> Option<&str> {
    let (first, below) = text.split_once('\n')?;
    let next = below.lines().find(|line| !line.trim().is_empty())?;
    let (leading, next) = next.split_at(next.len() - next.trim_start().len());
    let (sign, value) = pairs::first_pair(first.trim_start())?;
    let (next_sign, _) = pairs::first_pair(next)?;
    let lost = leading.get(first.len() - first.trim_start().len()..)?;
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
