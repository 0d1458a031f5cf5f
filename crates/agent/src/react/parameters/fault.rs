//! Where JSON is broken.

/// Maximum number of characters of a text that are shown in a fault.
const SHOWN_CHARACTERS: usize = 20;

/// The position of an error in a JSON text, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::react) struct JsonFault {
    /// Line and column, starting at 1.
    pub(in crate::react) position: (usize, usize),
    /// The text at the position, up to the end of its line.
    pub(in crate::react) near: String,
    pub(in crate::react) expected: &'static str,
}

impl JsonFault {
    /// Describes a fault at an offset of a text.
    pub(super) fn new(text: &str, at: usize, expected: &'static str) -> Self {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let position = (text[..at].matches('\n').count() + 1, text[line..at].chars().count() + 1);
        let rest = text[at..].lines().next().unwrap_or_default();
        Self { position, near: rest.chars().take(SHOWN_CHARACTERS).collect(), expected }
    }
}
