//! Quotation marks, and where the text between them ends.

use crate::bytes::skip_blanks;

/// An opening quotation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote(pub(crate) u8);

/// Where a quoted text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closing {
    /// The end of its content.
    pub(crate) end: usize,
    /// The place after the closing mark; the same as `end` where there is none.
    pub(crate) after: usize,
}

impl Closing {
    /// Whether there was a closing mark.
    pub(crate) fn is_closed(self) -> bool {
        self.after > self.end
    }
}

impl Quote {
    /// The mark that stands here, and the place after it.
    pub(crate) fn at(text: &[u8], at: usize) -> Option<(Self, usize)> {
        let mark = text.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        Some((Self(*mark), at + 1))
    }

    /// Where the text that it opens ends: at its other half, or at the end of the line.
    pub(crate) fn close(self, text: &[u8], from: usize) -> Closing {
        self.close_until(text, from, |byte| byte == b'\n')
    }

    /// The same, for texts that may go on over lines, up to a limit.
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
            // The first double mark may be the end of the string around this one.
            if byte == b'"' && !std::mem::replace(&mut has_mark, true) && ends_field(text, at + 1) {
                return Closing { end: at, after: at };
            }
            at += if self.is_escape(text, at) || byte == self.0 { 2 } else { 1 };
        }
        Closing { end: at.min(text.len()), after: at.min(text.len()) }
    }

    /// Whether the byte here takes its meaning from the next. Between single marks most backslashes are just that.
    fn is_escape(self, text: &[u8], at: usize) -> bool {
        let is_inside =
            || text.get(at + 1) == Some(&self.0) && text.get(at + 2).is_some_and(u8::is_ascii_alphanumeric);
        text.get(at) == Some(&b'\\') && (self.0 == b'"' || is_inside())
    }

    /// YAML writes a single mark inside single marks twice.
    fn is_doubled(self, text: &[u8], at: usize) -> bool {
        self.0 == b'\'' && text.get(at + 1) == Some(&b'\'')
    }
}

/// Whether nothing is here, or what follows a field of JSON.
pub(crate) fn ends_field(text: &[u8], at: usize) -> bool {
    let next = text.get(skip_blanks(text, at));
    next.is_none_or(|byte| matches!(byte, b',' | b':' | b'}' | b']' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of the quoted text at the start.
    fn content(text: &str) -> &str {
        let (quote, from) = Quote::at(text.as_bytes(), 0).unwrap();
        &text[from..quote.close(text.as_bytes(), from).end]
    }

    #[test]
    fn content_ends_at_the_other_half() {
        assert_eq!(content(r#""a" b"#), "a");
        assert_eq!(content(r#""a\"b" c"#), r#"a\"b"#);
        assert_eq!(content(r#""a\\" c""#), r"a\\");
        assert_eq!(content("'it''s' b"), "it''s");
        assert_eq!(content(r"'C:\' b"), r"C:\");
        assert_eq!(content(r"'it\'s' b"), r"it\'s");
    }

    #[test]
    fn content_without_another_half_ends_with_its_line() {
        assert_eq!(content("\"a\nb\""), "a");
        assert_eq!(content("\"a"), "a");
        assert_eq!(content(r#"'a","b":"it's"}"#), "a");
        assert_eq!(content(r#"'{"a":"b"}' c"#), r#"{"a":"b"}"#);
    }
}
