//! Finds plain YAML scalars that have to be quoted when they contain a placeholder.
//!
//! A placeholder starts with `[`, which starts a list at the beginning of a plain scalar, or anywhere in one
//! inside `[…]` or `{…}`. Then the whole scalar is quoted. Text that only looks like YAML is quoted too,
//! which is harmless. Flow collections that span several lines are not supported.

use crate::bytes::{line_end, skip_blanks};
use crate::span::Span;

/// Maximum length of the continuation of a plain scalar, in bytes.
const MAX_CONTINUATION: usize = 4096;

/// Finds the scalars to quote, for spans in ascending order.
#[derive(Debug)]
pub(crate) struct Scalars<'t> {
    text: &'t [u8],
    /// Start and end of the current line.
    line: (usize, usize),
    indentation: usize,
    /// Start of its key, or of its value after a dash.
    entry: usize,
    /// Start of the value after a key or a dash.
    value: Option<usize>,
    flow: Option<Flow>,
}

impl<'t> Scalars<'t> {
    /// Creates a finder at the start of a text.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let mut scalars = Self { text, line: (0, 0), indentation: 0, entry: 0, value: None, flow: None };
        scalars.read_line(0);
        scalars
    }

    /// Returns the scalar around a span if it has to be quoted.
    pub(crate) fn quoted(&mut self, span: Span) -> Option<(usize, usize)> {
        self.go_to_line(span.start);
        if let Some(flow) = self.flow.as_mut() {
            flow.advance(self.text, span.start);
            let start = flow.scalar?;
            return Some((start, flow_scalar_end(self.text, span.end, self.line.1)));
        }
        if self.value == Some(span.start) {
            return self.block_scalar(span);
        }
        let is_key = span.start == self.entry && is_colon(self.text, span.end);
        is_key.then_some((span.start, span.end))
    }

    fn go_to_line(&mut self, at: usize) {
        if at > self.line.1 {
            let window = self.text.get(self.line.1..at).unwrap_or_default();
            let start = window.iter().rposition(|byte| *byte == b'\n').map(|back| self.line.1 + back + 1);
            self.read_line(start.unwrap_or(self.line.0));
        }
    }

    fn read_line(&mut self, start: usize) {
        self.line = (start, line_end(self.text, start));
        let mut at = skip_spaces(self.text, start);
        self.indentation = at - start;
        self.value = None;
        while self.text.get(at) == Some(&b'-') && self.text.get(at + 1) == Some(&b' ') {
            at = skip_spaces(self.text, at + 2);
            self.value = Some(at);
        }
        self.entry = at;
        if let Some(after) = key_end(self.text, at, self.line.1) {
            self.value = Some(skip_properties(self.text, after));
        }
        let first = self.value.unwrap_or(at);
        let is_link = || {
            let line = self.text.get(first..self.line.1.min(first + 512)).unwrap_or_default();
            line.windows(2).any(|pair| pair == b"](")
        };
        let is_flow = matches!(self.text.get(first), Some(b'[' | b'{')) && !is_link();
        self.flow = is_flow.then(|| Flow::new(first));
    }

    /// Returns the plain scalar that starts with a span: to the end of its line or of its continuation lines.
    fn block_scalar(&self, span: Span) -> Option<(usize, usize)> {
        let line_end = line_end(self.text, span.end);
        let rest = self.text.get(span.end..line_end)?;
        let comment = rest.windows(2).position(|pair| matches!(pair, b" #" | b"\t#"));
        let rest = rest.get(..comment.unwrap_or(rest.len()))?.trim_ascii_end();
        let is_yaml = !rest.windows(2).any(|pair| pair == b": ") && rest.last() != Some(&b':');
        if is_colon(self.text, span.end) || !is_yaml {
            return Some((span.start, span.end));
        }
        let end = span.end + rest.len();
        let end = if comment.is_none() { self.continued(end, line_end) } else { end };
        Some((span.start, end))
    }

    fn continued(&self, mut end: usize, mut line: usize) -> usize {
        let limit = end + MAX_CONTINUATION;
        while line < self.text.len() && line < limit {
            let start = skip_spaces(self.text, line + 1);
            let next = line_end(self.text, start);
            let content = self.text.get(start..next).unwrap_or_default().trim_ascii_end();
            let continues = !content.is_empty() && start - (line + 1) > self.indentation;
            let is_plain = !content.starts_with(b"#") && !content.windows(2).any(|pair| pair == b": ");
            if !continues || !is_plain || content.last() == Some(&b':') {
                break;
            }
            end = start + content.len();
            line = next;
        }
        end
    }
}

fn skip_spaces(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| *byte != b' ').unwrap_or(rest.len())
}

fn is_colon(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b':') && matches!(text.get(at + 1), None | Some(b' ' | b'\n' | b'\r'))
}

/// Returns the end of the key at `at`, including its colon and the blanks after it.
fn key_end(text: &[u8], at: usize, line_end: usize) -> Option<usize> {
    let line = text.get(at..line_end)?;
    let colon = match line.first()? {
        mark @ (b'"' | b'\'') => 2 + line.iter().skip(1).position(|byte| byte == mark)?,
        _ => (0..line.len()).find(|index| is_colon(line, *index) || !is_key_byte(line[*index]))?,
    };
    is_colon(line, colon).then(|| skip_blanks(text, at + colon + 1).min(line_end))
}

fn is_key_byte(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b'"' | b'\'' | b'`' | b'#')
}

/// Skips anchors and tags.
pub(crate) fn skip_properties(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b'&' | b'!')) {
        let rest = text.get(at..).unwrap_or_default();
        let word = rest.iter().take(128).position(|byte| matches!(byte, b' ' | b'\n'));
        let Some(length) = word else { return at };
        at = skip_blanks(text, at + length);
    }
    at
}

/// A scanner of a flow collection that tracks the start of the current plain scalar.
#[derive(Debug)]
struct Flow {
    at: usize,
    scalar: Option<usize>,
    quoted: Option<u8>,
}

impl Flow {
    fn new(at: usize) -> Self {
        Self { at, scalar: None, quoted: None }
    }

    /// Advances to `to`, as if the byte there belonged to a plain scalar unless it is quoted.
    fn advance(&mut self, text: &[u8], to: usize) {
        while self.at < to {
            let Some(byte) = text.get(self.at).copied() else { return };
            self.at += self.step(text, byte);
        }
        if self.quoted.is_none() && self.scalar.is_none() {
            self.scalar = Some(to);
        }
    }

    fn step(&mut self, text: &[u8], byte: u8) -> usize {
        match (self.quoted, byte) {
            (Some(b'"'), b'\\') => return 2,
            (Some(mark), byte) if mark == byte => self.quoted = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if self.scalar.is_none() => self.quoted = Some(byte),
            (None, b'[' | b']' | b'{' | b'}' | b',') => self.scalar = None,
            (None, b':') if is_colon(text, self.at) || self.scalar.is_none() => self.scalar = None,
            (None, b' ' | b'\t' | b'\r') => {}
            (None, _) => self.scalar = self.scalar.or(Some(self.at)),
        }
        1
    }
}

fn flow_scalar_end(text: &[u8], from: usize, line_end: usize) -> usize {
    let rest = text.get(from..line_end).unwrap_or_default();
    let ends = |index: &usize| {
        matches!(rest.get(*index), Some(b',' | b']' | b'}' | b'[' | b'{')) || is_colon(rest, *index)
    };
    let length = (0..rest.len()).find(ends).unwrap_or(rest.len());
    from + rest.get(..length).unwrap_or_default().trim_ascii_end().len()
}
