//! Lists of words, written as one text.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list that is made when it is first asked.
pub(super) type WordList = LazyLock<HashSet<&'static str>>;

/// The words of a text.
pub(super) fn list(words: &'static str) -> HashSet<&'static str> {
    words.split_ascii_whitespace().collect()
}
