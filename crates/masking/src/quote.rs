//! Quotation marks and the end of quoted text.

use crate::bytes::skip_blanks;

/// An opening quotation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote(pub(crate) u8);

/// The end of a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closing {
    /// End of the content.
    pub(crate) end: usize,
    /// Offset after the closing mark; equal to `end` if there is none.
    pub(crate) after: usize,
}

impl Closing {
    /// Returns whether there is a closing mark.
    pub(crate) fn is_closed(self) -> bool {
        self.after > self.end
    }
}

impl Quote {
    /// Returns the mark at `at` and the offset after it.
    pub(crate) fn at(text: &[u8], at: usize) -> Option<(Self, usize)> {
        let mark = text.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        Some((Self(*mark), at + 1))
    }

    /// Returns the end of the quoted text: at the closing mark, or at the end of the line.
    pub(crate) fn close(self, text: &[u8], from: usize) -> Closing {
        self.close_until(text, from, |byte| byte == b'\n')
    }

    /// Like [`Quote::close`], for text that may span lines, up to a limit.
    pub(crate) fn close_over_lines(self, text: &[u8], from: usize, limit: usize) -> Closing {
        let window = text.get(..text.len().min(from.saturating_add(limit))).unwrap_or(text);
        self.close_until(window, from, |_| false)
    }

    fn close_until(self, text: &[u8], from: usize, stops: impl Fn(u8) -> bool) -> Closing {
        let mut at = from;
        let mut has_mark = self.0 == b'"';
        while let Some(byte) = text.get(at).copied().filter(|byte| !stops(*byte)) {
            if byte == self.0 && !self.is_doubled(text, at) {
                return Closing { end: at, after: at + 1 };
            }
            // The first double quote may be the end of the enclosing string.
            if byte == b'"' && !std::mem::replace(&mut has_mark, true) && ends_field(text, at + 1) {
                return Closing { end: at, after: at };
            }
            at += if self.is_escape(text, at) || byte == self.0 { 2 } else { 1 };
        }
        Closing { end: at.min(text.len()), after: at.min(text.len()) }
    }

    /// Returns whether the byte at `at` starts an escape. Between single quotes most backslashes are literal.
    fn is_escape(self, text: &[u8], at: usize) -> bool {
        let is_inside =
            || text.get(at + 1) == Some(&self.0) && text.get(at + 2).is_some_and(u8::is_ascii_alphanumeric);
        text.get(at) == Some(&b'\\') && (self.0 == b'"' || is_inside())
    }

    /// Returns whether a single quote is doubled, which is YAML's escape for it.
    fn is_doubled(self, text: &[u8], at: usize) -> bool {
        self.0 == b'\'' && text.get(at + 1) == Some(&b'\'')
    }
}

/// Returns whether the text ends at `at`, or continues as after a JSON field.
pub(crate) fn ends_field(text: &[u8], at: usize) -> bool {
    let next = text.get(skip_blanks(text, at));
    next.is_none_or(|byte| matches!(byte, b',' | b':' | b'}' | b']' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the content of the quoted text at the start.
    fn content(text: &str) -> &str {
        let (quote, from) = Quote::at(text.as_bytes(), 0).unwrap();
        &text[from..quote.close(text.as_bytes(), from).end]
    }

    #[test]
    fn content_ends_at_the_closing_mark() {
        assert_eq!(content(r#""a" b"#), "a");
        assert_eq!(content(r#""a\"b" c"#), r#"a\"b"#);
        assert_eq!(content(r#""a\\" c""#), r"a\\");
        assert_eq!(content("'it''s' b"), "it''s");
        assert_eq!(content(r"'C:\' b"), r"C:\");
        assert_eq!(content(r"'it\'s' b"), r"it\'s");
    }

    #[test]
    fn unclosed_content_ends_with_its_line() {
        assert_eq!(content("\"a\nb\""), "a");
        assert_eq!(content("\"a"), "a");
        assert_eq!(content(r#"'a","b":"it's"}"#), "a");
        assert_eq!(content(r#"'{"a":"b"}' c"#), r#"{"a":"b"}"#);
    }
}
