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
