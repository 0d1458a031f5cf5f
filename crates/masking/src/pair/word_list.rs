//! Word lists, written as one text.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list that is built on first use.
pub(super) type WordList = LazyLock<HashSet<&'static str>>;

/// Splits a text into its words.
pub(super) fn list(words: &'static str) -> HashSet<&'static str> {
    words.split_ascii_whitespace().collect()
}
