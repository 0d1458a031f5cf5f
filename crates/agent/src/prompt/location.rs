//! A location in a template: line and column, computed from a byte range or a line number.
//!
//! Lines and columns start at 1; columns count characters.

use std::ops::Range;

use minijinja::Error;

/// A range of a template on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateLocation {
    /// Line, starting at 1.
    pub(crate) line: usize,
    /// Column in characters, starting at 1.
    pub(crate) column: usize,
    /// Number of characters, at least 1.
    pub(crate) length: usize,
    /// The complete line.
    pub(crate) excerpt: String,
}

impl TemplateLocation {
    /// Returns the location of an error, as precise as the error is.
    pub(crate) fn of_error(error: &Error, source: &str) -> Self {
        match (error.range().filter(|range| source.get(range.clone()).is_some()), error.line()) {
            (Some(range), _) => Self::of_range(source, range),
            (None, Some(line)) => Self::of_line(source, line),
            (None, None) => Self::of_range(source, 0..0),
        }
    }

    /// Returns the location of a byte range, cut at the end of its first line.
    pub(crate) fn of_range(source: &str, range: Range<usize>) -> Self {
        let start = source[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let excerpt = source[start..].lines().next().unwrap_or_default();
        let width = |text: &str| text.chars().count();
        let end = range.end.min(start + excerpt.len()).max(range.start);
        Self {
            line: source[..start].matches('\n').count() + 1,
            column: width(&source[start..range.start]) + 1,
            length: width(&source[range.start..end]).max(1),
            excerpt: excerpt.to_owned(),
        }
    }

    fn of_line(source: &str, line: usize) -> Self {
        let before: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let text = source[before..].lines().next().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        Self::of_range(source, before + indent..before + text.trim_end().len().max(indent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_range(source: &str, range: Range<usize>) -> (usize, usize, usize, String) {
        let TemplateLocation { line, column, length, excerpt } = TemplateLocation::of_range(source, range);
        (line, column, length, excerpt)
    }

    #[test]
    fn columns_count_characters_and_a_range_ends_with_its_line() {
        assert_eq!(of_range("a\nüü{{ x }}\nb", 9..10), (2, 6, 1, "üü{{ x }}".into()));
        assert_eq!(of_range("ab\ncd\r\nef", 4..9), (2, 2, 1, "cd".into()));
        assert_eq!(of_range("", 0..0), (1, 1, 1, String::new()));
        assert_eq!(of_range("a\n", 2..2), (2, 1, 1, String::new()));
    }

    #[test]
    fn a_line_without_a_column_is_marked_from_its_first_character() {
        let TemplateLocation { line, column, length, .. } = TemplateLocation::of_line("a\n  bc \n", 2);
        assert_eq!((line, column, length), (2, 3, 2));
    }
}
