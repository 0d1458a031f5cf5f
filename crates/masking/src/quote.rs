//! Quotation marks, also those inside strings inside strings, where each has backslashes before it.
//!
//! A mark that is `\"` in a text belongs to a string within a string. Its content may hold `\\\"`, but not `"`.

/// An opening quotation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote {
    mark: u8,
    /// How many backslashes stand before it.
    slashes: usize,
}

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
    /// The double quotation mark of JSON inside a number of strings.
    pub(crate) const fn json(depth: u32) -> Self {
        Self { mark: b'"', slashes: (1 << depth) - 1 }
    }

    /// The mark that stands here, and the place after it.
    pub(crate) fn at(text: &[u8], at: usize) -> Option<(Self, usize)> {
        let rest = text.get(at..)?;
        // Deeper than seven backslashes is three strings inside each other.
        let slashes = rest.iter().take(8).take_while(|byte| **byte == b'\\').count();
        let mark = *rest.get(slashes)?;
        let is_mark = matches!(mark, b'"' | b'\'') || (mark == b'`' && slashes == 0);
        let is_level = (slashes + 1).is_power_of_two();
        (is_mark && is_level).then_some((Self { mark, slashes }, at + slashes + 1))
    }

    /// How it is written.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b'\\', self.slashes));
        out.push(self.mark);
    }

    /// Whether it stands inside another string.
    pub(crate) const fn is_nested(self) -> bool {
        self.slashes > 0
    }

    /// Where the text that it opens ends: at its other half, at the end of the string around it, or of the line.
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
        let mut slashes = 0;
        while let Some(byte) = text.get(at).copied() {
            if stops(byte) {
                break;
            }
            if byte == b'\\' {
                slashes += 1;
                at += 1;
                continue;
            }
            if byte == self.mark {
                if let Some(closing) = self.closes(text, at, slashes) {
                    return closing;
                }
                if self.is_doubled(text, at) {
                    at += 1;
                }
            }
            slashes = 0;
            at += 1;
        }
        Closing { end: at, after: at }
    }

    /// Whether the mark at this place, after so many backslashes, is the other half or ends what is around it.
    fn closes(self, text: &[u8], at: usize, slashes: usize) -> Option<Closing> {
        if self.slashes == 0 && self.mark != b'"' {
            let escaped = slashes % 2 == 1 && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
            return (!escaped && !self.is_doubled(text, at)).then_some(Closing { end: at, after: at + 1 });
        }
        // A backslash of the content is written with `2 * (self.slashes + 1)` of them at this depth.
        let own = slashes % (2 * (self.slashes + 1));
        match own.cmp(&self.slashes) {
            std::cmp::Ordering::Equal => Some(Closing { end: at - self.slashes, after: at + 1 }),
            std::cmp::Ordering::Less => Some(Closing { end: at - own, after: at - own }),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// YAML writes a single mark inside single marks twice.
    fn is_doubled(self, text: &[u8], at: usize) -> bool {
        self.mark == b'\'' && self.slashes == 0 && text.get(at + 1) == Some(&b'\'')
    }
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
        assert_eq!(content(r#"\"a\\\"b\" c"#), r#"a\\\"b"#);
        assert_eq!(content(r#"\"a\\\\\" c"#), r"a\\\\");
        assert_eq!(content("'it''s' b"), "it''s");
        assert_eq!(content(r"'C:\' b"), r"C:\");
        assert_eq!(content(r"'it\'s' b"), r"it\'s");
    }

    #[test]
    fn content_without_another_half_ends_with_what_is_around_it() {
        assert_eq!(content("\"a\nb\""), "a");
        assert_eq!(content(r#"\"a" b"#), "a");
        assert_eq!(content("\"a"), "a");
    }
}
