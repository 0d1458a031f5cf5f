//! Untrusted text on a terminal: control characters are removed, so that it cannot move the cursor or change colors.

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;

/// Prints a line to stderr.
pub(crate) fn eprint_line(text: &(impl Display + ?Sized)) -> anyhow::Result<()> {
    writeln!(std::io::stderr(), "{}", sanitize(&text.to_string())).context("writing to stderr")
}

/// Removes control characters except newlines and tabs.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect()
}

/// Joins the text into one line and truncates it.
pub(crate) fn single_line(text: &str, characters: usize) -> String {
    let line = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// Joins the text into one line and keeps its end.
pub(crate) fn single_line_tail(text: &str, characters: usize) -> String {
    let line = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let surplus = line.chars().count().saturating_sub(characters);
    line.chars().skip(surplus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_control_characters() {
        assert_eq!(sanitize("a\u{1b}[31mred\u{7}\n\tb"), "a[31mred\n\tb");
    }

    #[test]
    fn joins_lines_and_truncates() {
        assert_eq!(single_line("  one\n  two  three", 7), "one two…");
        assert_eq!(single_line("one", 7), "one");
    }

    #[test]
    fn keeps_the_end_of_a_text() {
        assert_eq!(single_line_tail("one\n two  three", 7), "o three");
        assert_eq!(single_line_tail("one", 7), "one");
    }
}
