//! The line of a file that a diagnostic refers to, with a mark and without secrets.
//!
//! A line can contain a credential. `sensitive` finds it by the text of the line; this module also takes the
//! enclosing keys into account. Both work on the text alone, so that they also work in a file that is not
//! valid YAML.

use crate::expand;
use crate::sensitive::{self, HIDDEN, NamedValue, hides_values, named_values};
use crate::source::{Source, SourceSpan};

/// A line without secrets, and the range to mark in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) line: String,
    /// Column of the mark, starting at 1.
    pub(crate) column: usize,
    /// Number of characters to mark, at least 1.
    pub(crate) length: usize,
}

/// Maximum number of characters; longer lines are cut around the mark.
const MAX_WIDTH: usize = 140;

impl Excerpt {
    pub(crate) fn new(source: &Source, span: SourceSpan) -> Self {
        let line = source.line(span.start.line);
        let hidden_from = hidden_from(source, span.start.line);
        let column = span.start.column.min(line.chars().count() + 1);
        let end = if span.end.line == span.start.line { span.end.column } else { usize::MAX };
        let excerpt = match hidden_from {
            Some(at) => {
                let visible = &line[..at];
                let width = visible.chars().count();
                let hidden = column > width;
                Self {
                    line: format!("{visible}{HIDDEN}"),
                    column: column.min(width + 1),
                    length: if hidden { HIDDEN.len() } else { end.min(width + 1).saturating_sub(column) },
                }
            }
            None => {
                let length = end.min(line.chars().count() + 1).saturating_sub(column);
                Self { line: line.to_owned(), column, length }
            }
        };
        excerpt.cut()
    }

    /// Shortens a long line to the part around the mark.
    fn cut(self) -> Self {
        let Self { line, column, length } = self;
        if line.chars().count() <= MAX_WIDTH {
            return Self { line, column, length: length.max(1) };
        }
        let skipped = (column - 1).saturating_sub(MAX_WIDTH / 2);
        let kept: String = line.chars().skip(skipped).take(MAX_WIDTH).collect();
        let column = column - skipped;
        let length = length.clamp(1, (MAX_WIDTH + 1).saturating_sub(column).max(1));
        Self { line: kept, column, length }
    }
}

/// Returns the byte offset from which a line must not be shown.
fn hidden_from(source: &Source, number: usize) -> Option<usize> {
    let line = source.line(number);
    let by_key = is_value_of_secret(source, number).then(|| {
        let indent = indent(line);
        keys(line).find(|key| key.start == indent).map_or(indent, |key| key.value)
    });
    // A bare reference to a variable is not secret.
    let by_key = by_key.filter(|at| !expand::is_reference(line[*at..].trim().trim_matches(['"', '\''])));
    by_key.into_iter().chain(sensitive::hidden_from(line)).min()
}

/// Returns whether a line is below a key with secret values, or is the value of a flag or key on the previous
/// line.
fn is_value_of_secret(source: &Source, number: usize) -> bool {
    let lines: Vec<&str> = source.text.lines().take(number).collect();
    let mut above = lines.iter().rev().filter(|line| !line.trim().is_empty());
    let Some(line) = above.next() else { return false };
    let mut depth = indent(line);
    let is_entry = keys(line).any(|key| key.start == depth);
    for (distance, line) in above.enumerate() {
        if distance == 0 && !is_entry && announces_secret(line) {
            return true;
        }
        if indent(line) >= depth {
            continue;
        }
        depth = indent(line);
        if keys(line).any(|key| key.hides_lines_below()) {
            return true;
        }
    }
    false
}

/// Returns whether a line ends with `--token` or `token:`, so that the value is on the next line.
fn announces_secret(line: &str) -> bool {
    let line = line.trim_end_matches([' ', '\t', ',', '"', '\'']);
    let last = line.split_whitespace().next_back().unwrap_or_default().trim_start_matches(['"', '\'', '[']);
    (last.starts_with("--") || last.ends_with(':')) && hides_values(last.trim_end_matches(':'))
}

/// Returns the keys on a line.
fn keys(line: &str) -> impl Iterator<Item = NamedValue<'_>> {
    named_values(line).into_iter().filter(|found| found.is_key)
}

/// Returns the indentation of a line in bytes, list markers included.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourcePosition;

    fn excerpt(text: &str, line: usize, column: usize, length: usize) -> (String, usize, usize) {
        let start = SourcePosition { line, column };
        let end = SourcePosition { line, column: column + length };
        let excerpt = Excerpt::new(&Source::new("a.yaml", text), SourceSpan { start, end });
        (excerpt.line, excerpt.column, excerpt.length)
    }

    #[test]
    fn an_ordinary_line_is_unchanged() {
        assert_eq!(excerpt("a:\n  max_tokens: 5", 2, 15, 1), ("  max_tokens: 5".into(), 15, 1));
        assert_eq!(excerpt("api_key_env: X", 1, 14, 1), ("api_key_env: X".into(), 14, 1));
    }

    #[test]
    fn values_of_secret_keys_are_hidden() {
        let cases = [
            ("bearer_token: abc", 1, "bearer_token: [hidden]"),
            ("bearer_tokn: abc", 1, "bearer_tokn: [hidden]"),
            ("- accessToken: abc", 1, "- accessToken: [hidden]"),
            ("t: {type: http, bearer_token: abc}", 1, "t: {type: http, bearer_token: [hidden]"),
            ("env:\n  PORT: abc", 2, "  PORT: [hidden]"),
            ("env: {PORT: abc}", 1, "env: [hidden]"),
            ("token: |\n  abc", 2, "  [hidden]"),
            ("headers:\n  X:\n    - abc", 3, "    - [hidden]"),
            ("\"api key\" : abc", 1, "\"api key\" : [hidden]"),
            ("token: ${TOKEN}", 1, "token: ${TOKEN}"),
            ("token: ${TOKEN:-abc}", 1, "token: [hidden]"),
            ("url: 'https://me:abc@host/path'", 1, "url: 'https://[hidden]"),
            ("url: https://host:80/a@b", 1, "url: https://host:80/a@b"),
            ("args: [--verbose, --api-token, abc]", 1, "args: [--verbose, --api-token[hidden]"),
            ("args: [--password=abc]", 1, "args: [--password[hidden]"),
            ("args: [--tokens, '5', --token]", 1, "args: [--tokens, '5', --token]"),
            ("args:\n  - --token\n  - abc", 3, "  - [hidden]"),
            ("{token:\nabc}", 2, "[hidden]"),
            ("token:\nother: abc", 2, "other: abc"),
        ];
        for (text, line, expected) in cases {
            assert_eq!(excerpt(text, line, 99, 1).0, expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let line = format!("{}x{}", "a".repeat(500), "b".repeat(500));
        let (kept, column, length) = excerpt(&line, 1, 501, 900);
        assert_eq!((kept.chars().nth(column - 1), kept.len()), (Some('x'), 140));
        assert_eq!(column + length, 141);
    }

    #[test]
    fn the_mark_stays_on_the_key_or_moves_to_what_is_hidden() {
        assert_eq!(excerpt("token: abc", 1, 1, 5), ("token: [hidden]".into(), 1, 5));
        assert_eq!(excerpt("token: abc", 1, 8, 3), ("token: [hidden]".into(), 8, 8));
        assert_eq!(excerpt("token: abc", 1, 9, 2), ("token: [hidden]".into(), 8, 8));
    }
}
