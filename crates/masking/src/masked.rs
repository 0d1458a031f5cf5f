//! What comes out of masking: a text without secrets, and how many of which kind there were.

use std::collections::BTreeMap;

/// How a text begins that is withheld because it could not be masked.
pub const WITHHELD: &str = "[WITHHELD: ";

/// A text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masked {
    /// The text, with placeholders where the secrets were.
    pub text: String,
    /// How many places were masked, by the name of the kind or of the custom pattern.
    pub counts: BTreeMap<String, usize>,
}

impl Masked {
    /// Nothing of a text, because masking it was not possible.
    pub(crate) fn withheld(bytes: usize, why: &str) -> Self {
        let text = format!("{WITHHELD}this text of {bytes} bytes could not be masked ({why})]");
        Self { text, counts: BTreeMap::new() }
    }

    /// Whether the text was withheld as a whole.
    pub fn is_withheld(&self) -> bool {
        self.text.starts_with(WITHHELD)
    }

    /// How many places were masked in all.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}
