//! The result of masking: a text without secrets, and the number of masked values by kind.

use std::collections::BTreeMap;

/// Prefix of the text that replaces a withheld one.
pub const WITHHELD: &str = "[WITHHELD: ";

/// A text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masked {
    /// The text with placeholders instead of secrets.
    pub text: String,
    /// Number of masked values, by the name of the kind or of the custom pattern.
    pub counts: BTreeMap<String, usize>,
}

impl Masked {
    /// Creates the replacement of a text that could not be masked.
    pub(crate) fn withheld(bytes: usize, why: &str) -> Self {
        let text = format!("{WITHHELD}this text of {bytes} bytes could not be masked ({why})]");
        Self { text, counts: BTreeMap::new() }
    }

    /// Returns whether the text was withheld.
    pub fn is_withheld(&self) -> bool {
        self.text.starts_with(WITHHELD)
    }

    /// Returns the total number of masked values.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}
