//! Classes of bytes, runs of them, and where a word can begin.
//!
//! Everything works on bytes and never slices text by the character, so a surprise cannot print a piece of the text
//! in a panic's message.

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
    /// What RFC 6750 allows in a bearer token.
    Bearer,
    /// What names of settings are made of: letters, digits, `_`, `-` and `.`.
    Name,
    /// Anything that is visible and not a quotation mark, a bracket, a comma or a backslash.
    Path,
}

const CLASSES: usize = Class::Path as usize + 1;

impl Class {
    /// Whether a byte is in the class.
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

    /// Where the run of this class that begins at a place ends, looking no further than a limit.
    pub(crate) fn end_within(self, text: &[u8], from: usize, limit: usize) -> usize {
        let window = text.get(from..text.len().min(from.saturating_add(limit))).unwrap_or_default();
        from + window.iter().position(|byte| !self.has(*byte)).unwrap_or(window.len())
    }
}

/// Where runs end. It remembers the last run of each class, so that looking at the same run from many places costs
/// one walk over it.
#[derive(Debug)]
pub(crate) struct Runs<'t> {
    text: &'t [u8],
    known: [(usize, usize); CLASSES],
}

impl<'t> Runs<'t> {
    /// Nothing known yet.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, known: [(0, 0); CLASSES] }
    }

    /// Where the run of a class that begins at a place ends.
    pub(crate) fn end(&mut self, class: Class, from: usize) -> usize {
        let Some(known) = self.known.get_mut(class as usize) else { return from };
        if !(known.0 <= from && from < known.1) {
            *known = (from, class.end_within(self.text, from, usize::MAX));
        }
        known.1
    }
}

/// Whether a word can begin here: what is before is no letter, digit or `_`, or the end of an escape in a URL.
pub(crate) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|index| text.get(index)).copied();
    let is_hex = |back| before(back).is_some_and(|byte| byte.is_ascii_hexdigit());
    before(1).is_none_or(|last| !Class::Word.has(last)) || (before(3) == Some(b'%') && is_hex(1) && is_hex(2))
}

/// Where a byte is next.
pub(crate) fn position(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    text.get(from..)?.iter().position(|other| *other == byte).map(|at| from + at)
}

/// Where the line of a place begins.
pub(crate) fn line_start(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let from = at.saturating_sub(limit);
    let window = text.get(from..at)?;
    match window.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => Some(from + end + 1),
        None => (from == 0).then_some(0),
    }
}

/// Where the line of a place ends.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// The rest of the line of a place, or the start of that.
pub(crate) fn line_within(text: &[u8], from: usize, limit: usize) -> &[u8] {
    let window = text.get(from..text.len().min(from.saturating_add(limit))).unwrap_or_default();
    let end = window.iter().position(|byte| *byte == b'\n').unwrap_or(window.len());
    window.get(..end).unwrap_or_default()
}

/// The first place from here on that is not a space or a tab.
pub(crate) fn skip_blanks(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len())
}

/// Whether a text begins with a word, whatever its case.
pub(crate) fn starts_with_ignoring_case(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a short text has a word in it, whatever its case.
pub(crate) fn contains_ignoring_case(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_after_escapes_and_signs() {
        let begins = |text: &str| begins_word(text.as_bytes(), text.len());
        assert!(["", " ", "=", "-", "%3D"].iter().all(|text| begins(text)));
        assert!(["a", "_", "an", "3D"].iter().all(|text| !begins(text)));
    }

    #[test]
    fn runs_end_where_their_class_does() {
        let mut runs = Runs::new(b"abc1-def g");
        assert_eq!(runs.end(Class::Alnum, 0), 4);
        assert_eq!(runs.end(Class::Alnum, 2), 4);
        assert_eq!(runs.end(Class::Dashed, 2), 8);
        assert_eq!(runs.end(Class::Alnum, 8), 8);
        assert_eq!(runs.end(Class::Alnum, 99), 99);
    }
}
