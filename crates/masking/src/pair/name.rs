//! The name around a word, and its words.

use crate::bytes::Class;

/// Maximum length of a name on each side of the word, in bytes.
const MAX_NAME: usize = 96;

/// Returns start and end of the name that contains a word.
pub(super) fn around(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let window = text.get(start.saturating_sub(MAX_NAME)..start).unwrap_or_default();
    let before = window.iter().rev().take_while(|byte| Class::Name.has(**byte)).count();
    let mut name = start - before;
    if name == start && text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(b"key")) {
        name = spaced(text, start);
    }
    // The needle `sig=` includes the separator.
    let end = if text.get(end.saturating_sub(1)) == Some(&b'=') { end - 1 } else { end };
    let stop = Class::Name.end_within(text, end, MAX_NAME);
    let kept =
        text.get(name..stop).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'.').count();
    (name, (stop - kept).max(end))
}

/// Returns the start of a name like `API key`.
fn spaced(text: &[u8], start: usize) -> usize {
    let words = "api access secret private auth encryption signing master license account unseal";
    let before = |word: &str| {
        let from = start.checked_sub(word.len() + 1)?;
        let is_word = text.get(from..start - 1)?.eq_ignore_ascii_case(word.as_bytes());
        (is_word && text.get(start - 1) == Some(&b' ') && crate::bytes::begins_word(text, from))
            .then_some(from)
    };
    words.split(' ').find_map(before).unwrap_or(start)
}

/// The words of a name in lower case: `DB_PASSWORD`, `dbPassword` and `db.password` are `db` and `password`.
#[derive(Debug)]
pub(super) struct Words {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Words {
    /// Splits a name.
    pub(super) fn of(name: &[u8]) -> Self {
        let mut words = Self { text: Vec::with_capacity(name.len()), ends: Vec::with_capacity(8) };
        for (index, byte) in name.iter().copied().enumerate() {
            let at = |index: usize| name.get(index).copied().unwrap_or(b'_');
            let before = if index == 0 { b'_' } else { at(index - 1) };
            let is_hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || (before.is_ascii_uppercase()
                        && at(index + 1).is_ascii_lowercase()
                        && at(index + 1) != b's'));
            if is_hump || !byte.is_ascii_alphanumeric() {
                words.end_word();
            }
            if byte.is_ascii_alphanumeric() {
                words.text.push(byte.to_ascii_lowercase());
            }
        }
        words.end_word();
        words
    }

    fn end_word(&mut self) {
        if self.ends.last().copied().unwrap_or(0) < self.text.len() {
            self.ends.push(self.text.len());
        }
    }

    /// Returns the number of words.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a word without trailing digits.
    pub(super) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let word = self.ends.get(index).and_then(|end| self.text.get(start..*end)).unwrap_or_default();
        std::str::from_utf8(word).unwrap_or_default().trim_end_matches(|digit: char| digit.is_ascii_digit())
    }

    /// Returns all words in order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names_into_words() {
        let words = |name: &str| Words::of(name.as_bytes()).iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words("DB_PASSWORD2"), ["db", "password"]);
        assert_eq!(words("spring.datasource.dbPassword"), ["spring", "datasource", "db", "password"]);
        assert_eq!(words("AWSSecretKey"), ["aws", "secret", "key"]);
        assert_eq!(words("X-Api-Key"), ["x", "api", "key"]);
    }
}
