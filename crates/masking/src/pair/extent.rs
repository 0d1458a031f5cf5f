//! Finds the extent of a value: to its quotation mark, to the end of its line, or to the next pair.

use super::markup;
use super::separator::{PairStyle, ValuePosition};
use crate::bytes::{Class, line_end, line_within, skip_blanks};
use crate::quote::{Quote, ends_field};
use crate::scalar::skip_properties;
use crate::span::Wrap;

/// The range of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_quoted: bool,
    pub(super) wrap: Wrap,
}

impl Value {
    /// Returns the first word of an unquoted value: most kinds contain no blanks.
    pub(super) fn first_word(self, text: &[u8]) -> Self {
        if self.is_quoted || self.wrap != Wrap::AsNeeded {
            return self;
        }
        let bytes = text.get(self.start..self.end).unwrap_or_default();
        let word = bytes.iter().position(u8::is_ascii_whitespace).unwrap_or(bytes.len());
        Self { end: self.start + word, ..self }
    }
}

/// Maximum size of a quoted value that spans lines, in bytes.
const MAX_QUOTED: usize = 4096;

/// Returns the value at a position.
pub(super) fn read(text: &[u8], position: &ValuePosition) -> Option<Value> {
    if position.style == PairStyle::Element {
        let (start, end) = markup::text_within(text, position.at, MAX_QUOTED)?;
        return some(start, end, Wrap::AsNeeded);
    }
    let at = if position.style == PairStyle::Line { skip_properties(text, position.at) } else { position.at };
    // A tag of CloudFormation, Ansible or GitLab refers to a value elsewhere.
    let is_reference = text.get(position.at) == Some(&b'!') && text.get(position.at + 1) != Some(&b'!');
    if position.style == PairStyle::Line && is_reference && at > position.at {
        return None;
    }
    let start = opening(text, at);
    if let Some((quote, from)) = Quote::at(text, start) {
        return quoted(text, position, quote, from);
    }
    match text.get(start)? {
        b'{' | b'[' if !text.get(start..)?.starts_with(b"{{") => None,
        b'|' | b'>' if position.style == PairStyle::Line => block(text, position, start),
        b'\n' | b'\r' => None,
        b'<' | b'(' => framed(text, start).or_else(|| bare(text, position, start)),
        _ => bare(text, position, start),
    }
}

/// Returns a value in brackets as a whole, so that it is recognized: `<set to the key …>`, `(hidden)`.
fn framed(text: &[u8], start: usize) -> Option<Value> {
    let line = line_within(text, start, 160);
    let closing = if line.first() == Some(&b'<') { b'>' } else { b')' };
    let end = start + line.iter().position(|byte| *byte == closing)? + 1;
    some(start, end, Wrap::AsNeeded).filter(|_| ends_value(text, end))
}

fn some(start: usize, end: usize, wrap: Wrap) -> Option<Value> {
    (start < end).then_some(Value { start, end, is_quoted: false, wrap })
}

/// Returns the offset of the quotation mark, after a list bracket and string prefixes.
fn opening(text: &[u8], at: usize) -> usize {
    let inner = if text.get(at) == Some(&b'[') { skip_blanks(text, at + 1) } else { at };
    let at = if Quote::at(text, inner).is_some() { inner } else { at };
    let is_letter = matches!(text.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'$' | b'@' | b'L'));
    if is_letter && matches!(text.get(at + 1), Some(b'"' | b'\'')) { at + 1 } else { at }
}

fn quoted(text: &[u8], position: &ValuePosition, quote: Quote, from: usize) -> Option<Value> {
    if let Some(value) = tripled(text, quote, from) {
        return Some(value);
    }
    let mut closing = quote.close(text, from);
    let next = text.get(closing.end + 1).copied();
    if !closing.is_closed() && text.get(closing.end) == Some(&b'\n') && matches!(next, Some(b' ' | b'\t')) {
        let over = quote.close_over_lines(text, from, MAX_QUOTED);
        if over.is_closed() {
            closing = over;
        }
    }
    // An apparent opening mark may be the end of the string that contains the name.
    let first = *text.get(from)?;
    let is_other_end = position.quote.is_none() && matches!(first, b',' | b'}' | b']' | b':' | b'\n' | b')');
    let end = closing.end;
    (from < end && !is_other_end).then_some(Value { start: from, end, is_quoted: true, wrap: Wrap::Never })
}

/// Returns a triple-quoted value, as in TOML and Python.
fn tripled(text: &[u8], quote: Quote, from: usize) -> Option<Value> {
    let marks = [quote.0; 3];
    let inner = text.get(from..text.len().min(from + MAX_QUOTED))?.strip_prefix(&marks[..2])?;
    let closing = inner.windows(3).position(|three| three == marks);
    let length = closing.or_else(|| inner.starts_with(b"\n").then_some(inner.len()))?;
    let start = from + 2 + inner.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = start.max(from + 2 + inner.get(..length)?.trim_ascii_end().len());
    (start < end).then_some(Value { start, end, is_quoted: true, wrap: Wrap::Never })
}

/// Returns a YAML block scalar: `|` or `>`, and the lines that are indented further than the name.
fn block(text: &[u8], position: &ValuePosition, start: usize) -> Option<Value> {
    let first = line_end(text, start);
    let header = text.get(start + 1..first)?.trim_ascii_end();
    if !header.iter().all(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')) {
        return bare(text, position, start);
    }
    let indentation = position.indentation?;
    let (mut end, mut line) = (start, first);
    while line < text.len() {
        let next = line_end(text, line + 1);
        let content = text.get(line + 1..next)?;
        let indented = content.iter().take_while(|byte| **byte == b' ').count();
        if !content.trim_ascii().is_empty() {
            if indented <= indentation {
                break;
            }
            end = line + 1 + content.trim_ascii_end().len();
        }
        line = next;
    }
    some(start, end, Wrap::Quotes(b'\'')).filter(|value| value.end > first)
}

fn bare(text: &[u8], position: &ValuePosition, start: usize) -> Option<Value> {
    let json = position
        .quote
        .filter(|_| matches!(position.style, PairStyle::Colon | PairStyle::Line | PairStyle::Listed));
    if let Some(quote) = json
        && let Some(end) = json_literal(text, start)
    {
        return some(start, end, Wrap::Quotes(quote.0));
    }
    if json.is_some() && position.style == PairStyle::Colon {
        return None;
    }
    if position.style == PairStyle::Line {
        return some(start, end_of_line_value(text, start, position.before), Wrap::AsNeeded);
    }
    let mut end = start;
    while let Some(length) = part(text, end, position) {
        end += length;
    }
    if position.style == PairStyle::Below {
        return some(start, end, Wrap::Quotes(b'\''));
    }
    let is_sentence = position.indentation.is_none() && text.get(start..end)?.ends_with(b".");
    some(start, if is_sentence { end - 1 } else { end }, Wrap::AsNeeded)
}

/// Returns the end of a number or word instead of a JSON string.
fn json_literal(text: &[u8], start: usize) -> Option<usize> {
    let end = Class::Name.end_within(text, start, 64);
    let next = text.get(skip_blanks(text, end)).copied();
    (end > start && matches!(next, None | Some(b',' | b'}' | b']' | b'\n' | b'\r'))).then_some(end)
}

/// Returns the end of the line, or of the string that starts with the name; a comment is excluded.
fn end_of_line_value(text: &[u8], start: usize, before: Option<u8>) -> usize {
    let line = text.get(start..line_end(text, start)).unwrap_or_default();
    let mut end = 0;
    while let Some(byte) = line.get(end).copied() {
        match byte {
            b' ' | b'\t' if line.get(end + 1) == Some(&b'#') => break,
            b'"' | b'\'' if before == Some(byte) => break,
            b'"' if before == Some(b'\'') && ends_field(line, end + 1) => break,
            _ => end += 1,
        }
    }
    let kept = line.get(..end.min(line.len())).unwrap_or_default();
    start + kept.trim_ascii_end().len()
}

/// Returns the number of bytes of an unquoted value at `at`, or `None` at its end.
fn part(text: &[u8], at: usize, position: &ValuePosition) -> Option<usize> {
    let byte = *text.get(at)?;
    match byte {
        0..=b' ' | 0x7f => None,
        b'"' | b'\'' | b'`' if position.before == Some(byte) || ends_value(text, at + 1) => None,
        b'&' | b'#' if position.style == PairStyle::Parameter => None,
        b',' | b';' | b'&' if is_next_pair(text, at + 1) => None,
        b')' | b']' | b'}' | b'>' if ends_value(text, at + 1) => None,
        b'<' if text.get(at + 1) == Some(&b'/') => None,
        _ => Some(1),
    }
}

/// Returns whether the byte at `at` cannot belong to the value before it.
fn ends_value(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b',' | b';' | b':' | b')' | b']' | b'}' | b'>' | b'"' | b'\'' | b'`' | b'.')
    })
}

/// Returns whether another pair or the end of the value is at `at`.
fn is_next_pair(text: &[u8], at: usize) -> bool {
    if ends_value(text, at) {
        return true;
    }
    let name = Class::Name.end_within(text, at, 64);
    name > at && matches!(text.get(name), Some(b'=' | b':' | b' '))
}
