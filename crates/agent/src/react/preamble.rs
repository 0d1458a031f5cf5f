//! The text before the first header: a sentence, or a report without headers.

/// The text before the first header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preamble {
    Blank,
    /// One paragraph.
    Paragraph,
    /// One paragraph and a blank line.
    Ended,
    /// Several paragraphs, or a heading.
    Report,
}

impl Preamble {
    /// Returns the state after another line.
    pub(super) fn with(self, line: &str) -> Self {
        match (self, line.trim().is_empty()) {
            (_, false) if line.starts_with('#') => Self::Report,
            (Self::Blank | Self::Paragraph, false) => Self::Paragraph,
            (Self::Paragraph | Self::Ended, true) => Self::Ended,
            (Self::Ended | Self::Report, false) | (Self::Report, true) => Self::Report,
            (Self::Blank, true) => Self::Blank,
        }
    }
}

/// Returns whether a line starts a part of a report: a heading, or a bold label, perhaps in a list.
pub(super) fn is_part(line: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '•' | '.' | ')' | ' ' | '\t');
    let text = line.trim_start_matches(is_mark);
    text.starts_with('#') || text.starts_with("**") || text.starts_with("* **")
}
