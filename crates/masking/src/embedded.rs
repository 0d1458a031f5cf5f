//! Embedded strings: JSON, YAML or logs inside a string, with escapes like `\n` and `\"`.
//!
//! An embedded string is unescaped and masked as a separate text, and its edits are escaped again. Detectors
//! therefore do not have to handle escapes, however deeply strings are nested.

use crate::bytes::{line_end, position};
use crate::edit::Edit;

/// A part of a line with escapes: a quoted string, or the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Embedded {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The quotation mark around it, which has to be escaped inside.
    mark: u8,
}

/// Finds all strings with escapes.
pub(crate) fn find(text: &[u8]) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(slash) = position(text, from, b'\\') {
        let line = text.get(from..slash).unwrap_or_default();
        let start = line.iter().rposition(|byte| *byte == b'\n').map_or(from, |end| from + end + 1);
        let end = line_end(text, slash);
        let known = found.len();
        let mut pieces =
            LineScanner { text, end, piece: start, has_closing: true, has_bare: false, found: &mut found };
        pieces.read(start);
        // Escapes outside of quotation marks: the whole line is inside a string that started earlier.
        if pieces.has_bare {
            found.truncate(known);
            found.push(Embedded { start, end, mark: bare_mark(text.get(start..end).unwrap_or_default()) });
        }
        from = end;
    }
    found
}

/// Splits a line into strings.
struct LineScanner<'t, 'f> {
    text: &'t [u8],
    /// End of the line.
    end: usize,
    /// Start of the part outside of quotation marks that is being read.
    piece: usize,
    /// Whether a later single quote may close a string. Searching only once keeps this linear.
    has_closing: bool,
    /// Whether escapes occur outside of quotation marks.
    has_bare: bool,
    found: &'f mut Vec<Embedded>,
}

impl LineScanner<'_, '_> {
    fn read(&mut self, start: usize) {
        let mut at = start;
        while at < self.end {
            let closing = match self.text.get(at) {
                Some(b'\\') => {
                    at += 1;
                    None
                }
                Some(b'"') => Some(self.closing(at + 1, b'"').unwrap_or(self.end)),
                Some(b'\'') if self.has_closing && self.opens(at) => {
                    let closing = self.closing(at + 1, b'\'');
                    self.has_closing = closing.is_some();
                    closing
                }
                Some(_) | None => None,
            };
            if let Some(closing) = closing {
                let mark = self.text.get(at).copied().unwrap_or(b'"');
                self.has_bare |= self.has_escapes(self.piece, at);
                if self.has_escapes(at + 1, closing) {
                    self.found.push(Embedded { start: at + 1, end: closing, mark });
                }
                self.piece = closing + 1;
                at = closing;
            }
            at += 1;
        }
        self.has_bare |= self.has_escapes(self.piece, self.end);
    }

    /// Returns whether a single quote opens a string and is not an apostrophe.
    fn opens(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.text.get(before));
        before.is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'[' | b'(' | b'{' | b',' | b':' | b'='))
    }

    fn closing(&self, from: usize, mark: u8) -> Option<usize> {
        let mut at = from;
        while at < self.end {
            let byte = *self.text.get(at)?;
            let closes = || {
                let next = self.text.get(at + 1);
                mark == b'"' || next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'\'')
            };
            if byte == mark && closes() {
                return Some(at);
            }
            at += if byte == b'\\' { 2 } else { 1 };
        }
        None
    }

    fn has_escapes(&self, start: usize, end: usize) -> bool {
        let piece = self.text.get(start..end).unwrap_or_default();
        let is_escape = |two: &[u8]| two[0] == b'\\' && (two[1] == b'u' || escape(two).is_some());
        piece.windows(2).any(is_escape)
    }
}

/// Returns the quotation mark to escape in a line that is part of a string, or 0 if the line contains an
/// unescaped one.
fn bare_mark(line: &[u8]) -> u8 {
    let is_bare = line.iter().enumerate().any(|(at, byte)| {
        *byte == b'"' && at.checked_sub(1).and_then(|before| line.get(before)) != Some(&b'\\')
    });
    if is_bare { 0 } else { b'"' }
}

impl Embedded {
    /// Returns the unescaped text.
    pub(crate) fn read(&self, text: &[u8]) -> Vec<u8> {
        unescaped(text.get(self.start..self.end).unwrap_or_default())
    }

    /// Translates edits of the unescaped text to edits of the enclosing text.
    pub(crate) fn translate(&self, text: &[u8], inner: Vec<Edit>, edits: &mut Vec<Edit>) {
        let mut cursor =
            EscapeCursor { raw: text.get(self.start..self.end).unwrap_or_default(), raw_at: 0, at: 0 };
        for edit in inner {
            let start = self.start + cursor.to(edit.start);
            let end = self.start + cursor.to(edit.end);
            edits.push(Edit { start, end, text: self.escaped(&edit.text) });
        }
    }

    fn escaped(&self, text: &str) -> String {
        text.chars().fold(String::with_capacity(text.len() + 2), |mut escaped, char| {
            if char == '\\' || char == char::from(self.mark) {
                escaped.push('\\');
            }
            escaped.push(char);
            escaped
        })
    }
}

/// Maps offsets in the unescaped text to offsets in the escaped one, in ascending order.
struct EscapeCursor<'t> {
    raw: &'t [u8],
    raw_at: usize,
    at: usize,
}

impl EscapeCursor<'_> {
    fn to(&mut self, at: usize) -> usize {
        while self.at < at
            && let Some(rest) = self.raw.get(self.raw_at..).filter(|rest| !rest.is_empty())
        {
            let (char, length) = escape(rest).unwrap_or(('?', 1));
            self.at += if length == 1 { 1 } else { char.len_utf8() };
            self.raw_at += length;
        }
        self.raw_at
    }
}

/// Unescapes a text.
pub(crate) fn unescaped(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(slash) = position(raw, at, b'\\') {
        out.extend_from_slice(raw.get(at..slash).unwrap_or_default());
        match raw.get(slash..).and_then(escape) {
            Some((char, length)) => {
                out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                at = slash + length;
            }
            None => {
                out.push(b'\\');
                at = slash + 1;
            }
        }
    }
    out.extend_from_slice(raw.get(at..).unwrap_or_default());
    out
}

/// Returns the character of the escape at the start, and the length of the escape.
fn escape(raw: &[u8]) -> Option<(char, usize)> {
    if raw.first() != Some(&b'\\') {
        return None;
    }
    let char = match raw.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        mark @ (b'"' | b'\'' | b'\\' | b'/') => char::from(*mark),
        b'u' => {
            let digits = std::str::from_utf8(raw.get(2..6)?).ok()?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            return Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6));
        }
        _ => return None,
    };
    Some((char, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let read = |piece: &Embedded| String::from_utf8(piece.read(text.as_bytes())).unwrap();
        find(text.as_bytes()).iter().map(read).collect()
    }

    #[test]
    fn unescapes_strings() {
        assert_eq!(pieces(r#"{"a":"b\nc","d":"e"}"#), ["b\nc"]);
        assert_eq!(pieces(r#"{"a":"{\"b\":\"c\\nd\"}"}"#), [r#"{"b":"c\nd"}"#]);
        assert_eq!(pieces(r#"{'a': 'it\'s\n', 'b': 1}"#), ["it's\n"]);
        assert_eq!(pieces(r#"it's {\"a\": 1} "b" C:\dir"#), [r#"it's {"a": 1} "b" C:\dir"#]);
        assert_eq!(pieces("a\\nb\n\"c\\u00e9\\td"), ["a\nb", "cé\td"]);
        assert_eq!(pieces(r#"a "b" \ \d"#), Vec::<String>::new());
    }

    #[test]
    fn escapes_edits_again() {
        let text = r#"{"a":"x\u00e9y\n\"z"}"#;
        let [piece] = find(text.as_bytes())[..] else { panic!() };
        let mut edits = Vec::new();
        let inner = Edit { start: 3, end: 6, text: "\"q\"".to_owned() };
        piece.translate(text.as_bytes(), vec![inner], &mut edits);
        assert_eq!(&text[edits[0].start..edits[0].end], r#"y\n\""#);
        assert_eq!(edits[0].text, r#"\"q\""#);
    }
}
