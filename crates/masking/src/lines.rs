//! Lines of a text: real ones, and those of a text that is written into a string with `\n`.

/// Whose lines are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newline {
    /// A line ends at a line feed.
    Real,
    /// A line ends at a backslash and an `n`, or at the quotation mark that ends the string.
    Escaped,
}

/// The ranges of all lines, without what ends them.
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
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.next?;
        let mut at = start;
        while at < self.end {
            if let Some(length) = self.terminator(at) {
                self.next = Some(at + length);
                return Some((start, at));
            }
            // What is escaped with a backslash ends nothing.
            at += if self.newline == Newline::Escaped && self.text.get(at) == Some(&b'\\') { 2 } else { 1 };
        }
        self.next = None;
        Some((start, self.end.max(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, newline: Newline) -> Vec<&str> {
        Lines::within(text.as_bytes(), (0, text.len()), newline)
            .map(|(start, end)| &text[start..end])
            .collect()
    }

    #[test]
    fn real_and_escaped_lines_are_told_apart() {
        assert_eq!(lines("a\n b\\nc\n", Newline::Real), ["a", " b\\nc", ""]);
        assert_eq!(lines(r#"{"a":"b\n c\\nd"}"#, Newline::Escaped), ["{", "a", ":", "b", r" c\\nd", "}"]);
        assert_eq!(lines("a\\", Newline::Escaped), ["a\\"]);
    }
}
