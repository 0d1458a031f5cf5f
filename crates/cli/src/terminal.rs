//! Texts of others on a terminal: they must not move its cursor, change its colours or ring its bell.

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;

/// Says something to stderr, on a line of its own.
pub(crate) fn say(what: &(impl Display + ?Sized)) -> anyhow::Result<()> {
    writeln!(std::io::stderr(), "{}", printable(&what.to_string())).context("writing to stderr")
}

/// The text without what a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect()
}

/// The text on one line, and no longer than this.
pub(crate) fn line_of(text: &str, characters: usize) -> String {
    let line = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// The end of the text on one line, no longer than this.
pub(crate) fn tail_of(text: &str, characters: usize) -> String {
    let line = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let surplus = line.chars().count().saturating_sub(characters);
    line.chars().skip(surplus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_command_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mred\u{7}\n\tb"), "a[31mred\n\tb");
    }

    #[test]
    fn a_text_becomes_one_line() {
        assert_eq!(line_of("  one\n  two  three", 7), "one two…");
        assert_eq!(line_of("one", 7), "one");
    }

    #[test]
    fn a_text_is_shown_by_its_end() {
        assert_eq!(tail_of("one\n two  three", 7), "o three");
        assert_eq!(tail_of("one", 7), "one");
    }
}
