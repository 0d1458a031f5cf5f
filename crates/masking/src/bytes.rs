//! Byte classes, runs of bytes, and boundaries of words and lines.
//!
//! Everything works on bytes and never slices a `str`, so no panic message can contain a part of the text.

/// A class of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// `0-9`
    Digit,
    /// `0-9a-fA-F`
    Hex,
    /// `0-9A-Z`
    Upper,
    /// `0-9a-z`
    Lower,
    /// `0-9A-Za-z`
    Alnum,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`: URL-safe Base64.
    Dashed,
    /// Base64 with its padding.
    Base64,
    /// Characters of a bearer token (RFC 6750).
    Bearer,
    /// Characters of names of settings: letters, digits, `_`, `-` and `.`.
    Name,
    /// Visible characters except quotation marks, brackets, commas and backslashes.
    Path,
}

const CLASSES: usize = Class::Path as usize + 1;

impl Class {
    /// Returns whether the class contains a byte.
    pub(crate) const fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => alnum && !byte.is_ascii_lowercase(),
            Self::Lower => alnum && !byte.is_ascii_uppercase(),
            Self::Alnum => alnum,
            Self::Word => alnum || byte == b'_',
            Self::Dashed => alnum || matches!(byte, b'_' | b'-'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'='),
            Self::Bearer => alnum || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'='),
            Self::Name => alnum || matches!(byte, b'_' | b'-' | b'.'),
            Self::Path => {
                byte > b' '
                    && byte != 0x7f
                    && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b',' | b'<' | b'>')
                    && !matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|')
            }
        }
    }

    /// Returns the end of the run of this class that starts at `from`, at most `limit` bytes long.
    pub(crate) fn end_within(self, text: &[u8], from: usize, limit: usize) -> usize {
        let window = text.get(from..text.len().min(from.saturating_add(limit))).unwrap_or_default();
        from + window.iter().position(|byte| !self.has(*byte)).unwrap_or(window.len())
    }
}

/// Finds the ends of runs. The last run of each class is cached, so that several lookups in one run cost one
/// pass.
#[derive(Debug)]
pub(crate) struct Runs<'t> {
    text: &'t [u8],
    known: [(usize, usize); CLASSES],
}

impl<'t> Runs<'t> {
    /// Creates an empty cache.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, known: [(0, 0); CLASSES] }
    }

    /// Returns the end of the run of `class` that contains `from`.
    pub(crate) fn end(&mut self, class: Class, from: usize) -> usize {
        let Some(known) = self.known.get_mut(class as usize) else { return from };
        if !(known.0 <= from && from < known.1) {
            *known = (from, class.end_within(self.text, from, usize::MAX));
        }
        known.1
    }
}

/// Returns whether a word can start at `at`: after a byte that is not a letter, digit or `_`, or after a URL
/// escape.
pub(crate) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|index| text.get(index)).copied();
    let is_hex = |back| before(back).is_some_and(|byte| byte.is_ascii_hexdigit());
    before(1).is_none_or(|last| !Class::Word.has(last)) || (before(3) == Some(b'%') && is_hex(1) && is_hex(2))
}

/// Returns the next offset of a byte.
pub(crate) fn position(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    text.get(from..)?.iter().position(|other| *other == byte).map(|at| from + at)
}

/// Returns the start of the line that contains `at`, or `None` if it is more than `limit` bytes back.
pub(crate) fn line_start(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let from = at.saturating_sub(limit);
    let window = text.get(from..at)?;
    match window.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => Some(from + end + 1),
        None => (from == 0).then_some(0),
    }
}

/// Returns the end of the line that contains `at`.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// Returns the rest of the line from `from`, at most `limit` bytes.
pub(crate) fn line_within(text: &[u8], from: usize, limit: usize) -> &[u8] {
    let window = text.get(from..text.len().min(from.saturating_add(limit))).unwrap_or_default();
    let end = window.iter().position(|byte| *byte == b'\n').unwrap_or(window.len());
    window.get(..end).unwrap_or_default()
}

/// Skips spaces and tabs.
pub(crate) fn skip_blanks(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len())
}

/// Returns whether a text starts with a word, ignoring case.
pub(crate) fn starts_with_ignoring_case(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether a short text contains a word, ignoring case.
pub(crate) fn contains_ignoring_case(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_after_escapes_and_punctuation() {
        let begins = |text: &str| begins_word(text.as_bytes(), text.len());
        assert!(["", " ", "=", "-", "%3D"].iter().all(|text| begins(text)));
        assert!(["a", "_", "an", "3D"].iter().all(|text| !begins(text)));
    }

    #[test]
    fn runs_end_with_their_class() {
        let mut runs = Runs::new(b"abc1-def g");
        assert_eq!(runs.end(Class::Alnum, 0), 4);
        assert_eq!(runs.end(Class::Alnum, 2), 4);
        assert_eq!(runs.end(Class::Dashed, 2), 8);
        assert_eq!(runs.end(Class::Alnum, 8), 8);
        assert_eq!(runs.end(Class::Alnum, 99), 99);
    }
}
