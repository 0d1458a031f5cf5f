//! A reply that is quoted as a whole: every line starts with `>`.

use std::borrow::Cow;

/// Removes the quote marks of a text in which every line has one.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    let is_quoted = |line: &str| line.is_empty() || line.starts_with('>');
    if !text.starts_with('>') || !text.lines().all(is_quoted) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let line = line.strip_prefix('>').unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line)
    });
    Cow::Owned(lines.collect())
}
