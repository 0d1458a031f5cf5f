//! Lines of a text: real ones, and those of a text that is written into a string with `\n`.

/// Whose lines are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newline {
    /// A line ends at a line feed.
    Real,
    /// A line ends at a backslash and an `n`; the text ends at a quotation mark or where the real line does.
    Escaped,
}

/// A line, without what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the string that it is in ends with it.
    pub(crate) is_last: bool,
}

/// All lines of a part of a text.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t [u8],
    newline: Newline,
    next: Option<usize>,
    end: usize,
}

impl<'t> Lines<'t> {
    /// The lines of a part of a text.
    pub(crate) fn within(text: &'t [u8], (start, end): (usize, usize), newline: Newline) -> Self {
        Self { text, newline, next: Some(start), end: end.min(text.len()) }
    }

    /// How long what ends a line at this place is.
    fn terminator(&self, at: usize) -> Option<usize> {
        let byte = *self.text.get(at)?;
        match self.newline {
            Newline::Real => (byte == b'\n').then_some(1),
            Newline::Escaped => match byte {
                b'\n' | b'"' => Some(1),
                b'\\' if self.text.get(at + 1) == Some(&b'n') => Some(2),
                _ => None,
            },
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let start = self.next?;
        let mut at = start;
        while at < self.end {
            if let Some(length) = self.terminator(at) {
                self.next = Some(at + length);
                let is_last = self.newline == Newline::Escaped && length == 1;
                return Some(Line { start, end: at, is_last });
            }
            // What is escaped with a backslash ends nothing.
            at += if self.newline == Newline::Escaped && self.text.get(at) == Some(&b'\\') { 2 } else { 1 };
        }
        self.next = None;
        Some(Line { start, end: self.end.max(start), is_last: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, newline: Newline) -> Vec<&str> {
        Lines::within(text.as_bytes(), (0, text.len()), newline)
            .map(|line| &text[line.start..line.end])
            .collect()
    }

    #[test]
    fn real_and_escaped_lines_are_told_apart() {
        assert_eq!(lines("a\n b\\nc\n", Newline::Real), ["a", " b\\nc", ""]);
        assert_eq!(lines(r#"{"a":"b\n c\\nd"}"#, Newline::Escaped), ["{", "a", ":", "b", r" c\\nd", "}"]);
        assert_eq!(lines("a\\", Newline::Escaped), ["a\\"]);
    }
}
