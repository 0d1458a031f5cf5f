//! The text of one file and positions in it.
//!
//! Lines and columns start at 1; columns count characters. This module does not parse YAML.

/// A file's name and text.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePosition {
    /// Line, starting at 1.
    pub(crate) line: usize,
    /// Column in characters, starting at 1.
    pub(crate) column: usize,
}

/// A range of a text; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceSpan {
    pub(crate) start: SourcePosition,
    pub(crate) end: SourcePosition,
}

impl SourceSpan {
    pub(crate) const START: Self =
        Self { start: SourcePosition { line: 1, column: 1 }, end: SourcePosition { line: 1, column: 1 } };

    /// Returns the span of `length` characters at `column` of the line where this span starts.
    fn on_line_at(self, column: usize, length: usize) -> Self {
        let at = |column| SourcePosition { line: self.start.line, column };
        Self { start: at(column), end: at(column + length) }
    }
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Returns a line without its line break; empty beyond the last line.
    pub(crate) fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.saturating_sub(1)).unwrap_or_default()
    }

    /// Returns the span, or the end of the text if the span starts beyond it. The parser reports such
    /// positions at the end of a broken file.
    pub(crate) fn clamp(&self, span: SourceSpan) -> SourceSpan {
        let lines = self.text.lines().count();
        if span.start.line <= lines {
            return span;
        }
        let line = lines.max(1);
        let end = SourcePosition { line, column: self.line(line).chars().count() + 1 };
        SourceSpan { start: end, end }
    }

    /// Returns the first occurrence of `needle` in a span, or the span itself if there is none.
    ///
    /// The file does not always contain the text of a scalar literally: it can be folded or escaped.
    pub(crate) fn find(&self, span: SourceSpan, needle: &str) -> SourceSpan {
        let last = span.end.line.max(span.start.line);
        for number in span.start.line..=last {
            let skipped = if number == span.start.line { span.start.column - 1 } else { 0 };
            let line = self.line(number);
            let from = line.char_indices().nth(skipped).map_or(line.len(), |(offset, _)| offset);
            if let Some(offset) = line[from..].find(needle) {
                let column = line[..from + offset].chars().count() + 1;
                let line_span = SourceSpan { start: SourcePosition { line: number, column }, ..span };
                return line_span.on_line_at(column, needle.chars().count());
            }
        }
        span
    }

    /// Returns the position `offset` bytes into the text of a scalar, or the whole scalar if the file does
    /// not contain the text literally.
    pub(crate) fn inside(&self, span: SourceSpan, text: &str, offset: usize) -> SourceSpan {
        // The final line break of a block scalar is not part of its line.
        let text = text.trim_end();
        let found = self.find(span, text);
        if found == span && !self.contains_at(span, text) {
            return span;
        }
        let skipped = text.get(..offset).map_or(0, |before| before.chars().count());
        found.on_line_at(found.start.column + skipped, 1)
    }

    fn contains_at(&self, span: SourceSpan, text: &str) -> bool {
        self.line(span.start.line)
            .chars()
            .skip(span.start.column - 1)
            .take(text.chars().count())
            .eq(text.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: (usize, usize), end: (usize, usize)) -> SourceSpan {
        let position = |(line, column)| SourcePosition { line, column };
        SourceSpan { start: position(start), end: position(end) }
    }

    #[test]
    fn a_token_is_found_inside_a_scalar_of_several_lines() {
        let source = Source::new("a.yaml", "k: |\n  one\n  ü ${TWO}\n");
        assert_eq!(source.find(span((1, 4), (4, 1)), "${TWO}"), span((3, 5), (3, 11)));
        assert_eq!(source.find(span((1, 4), (4, 1)), "${SIX}"), span((1, 4), (4, 1)));
    }

    #[test]
    fn an_offset_points_into_a_quoted_scalar_unless_it_is_escaped() {
        let source = Source::new("a.yaml", "k: \"ü == x\"\nl: \"\\u00fc == x\"\nm: abc");
        assert_eq!(source.inside(span((1, 4), (1, 12)), "ü == x", 3), span((1, 7), (1, 8)));
        assert_eq!(source.inside(span((2, 4), (2, 17)), "ü == x", 3), span((2, 4), (2, 17)));
        assert_eq!(source.inside(span((3, 4), (3, 7)), "abc", 3), span((3, 7), (3, 8)));
    }
}
