//! Parses JSON and YAML's flow style, with any text around it.
//!
//! The parser never fails: it restarts where the text cannot be JSON, and closes what is open at the end of
//! the text.

use super::object::{ManifestField, ManifestKind, ManifestObject, Values};
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Finds the values of Secrets.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    let mut parser = FlowParser::new(text);
    while parser.step() {}
    parser.close_all();
    parser.values.finish(spans);
}

/// Adds all values of the collection at `from`, and returns its end.
pub(super) fn take_values(text: &[u8], from: usize, values: &mut Values) -> usize {
    let mut parser = FlowParser::new(text);
    parser.at = from;
    parser.data_depth = 1;
    std::mem::swap(&mut parser.values, values);
    while parser.step() && !parser.frames.is_empty() {}
    std::mem::swap(&mut parser.values, values);
    parser.at
}

struct FlowParser<'t> {
    text: &'t [u8],
    at: usize,
    frames: Vec<Frame>,
    /// Number of open frames under `data`; while there are any, values are collected.
    data_depth: usize,
    values: Values,
}

#[derive(Default)]
struct Frame {
    object: ManifestObject,
    is_list: bool,
    /// The most recent key.
    key: ManifestField,
    /// What must come next in an object.
    expects: Expects,
    /// Whether the frame is under `data`.
    is_data: bool,
    /// Index of its first value.
    from: usize,
    /// Whether the frame is under `items`.
    is_items: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Expects {
    #[default]
    Key,
    Colon,
    Value,
    Comma,
}

impl<'t> FlowParser<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, frames: Vec::new(), data_depth: 0, values: Values::default() }
    }

    /// Reads one token and returns whether there was one.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.get(self.at).copied() else { return false };
        match byte {
            b'{' | b'[' => self.open(byte == b'['),
            b'}' | b']' => self.close(),
            b',' | b':' => self.separator(byte),
            b'"' | b'\'' if !self.frames.is_empty() => self.quoted(),
            _ if self.frames.is_empty() || byte <= b' ' => self.at += 1,
            _ => self.word(),
        }
        true
    }

    fn separator(&mut self, byte: u8) {
        self.at += 1;
        if let Some(frame) = self.frames.last_mut() {
            frame.expects = match (byte, frame.expects) {
                (b',', _) => Expects::Key,
                (_, Expects::Colon) => Expects::Value,
                (_, expects) => expects,
            };
        }
    }

    fn open(&mut self, is_list: bool) {
        // A value is not possible here: the open frames were truncated, and a new document starts.
        if self.frames.last().is_some_and(|frame| !frame.is_list && frame.expects != Expects::Value) {
            self.close_all();
        }
        let above = self.frames.last();
        let field = above.map_or(ManifestField::Other, |frame| frame.key);
        let is_data = field == ManifestField::Data && above.is_some_and(|frame| !frame.is_list);
        let is_items = match above {
            Some(frame) if frame.is_list => frame.is_items && !is_list,
            Some(_) | None => field == ManifestField::Items && is_list,
        };
        self.data_depth += usize::from(is_data);
        let from = self.values.len();
        self.frames.push(Frame { is_list, is_data, from, is_items, ..Frame::default() });
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        let Some(frame) = self.frames.pop() else { return };
        self.data_depth -= usize::from(frame.is_data && self.data_depth > 0);
        let range = (frame.from, self.values.len());
        let mut untyped = if frame.is_list { frame.object.untyped } else { self.values.end(frame.object) };
        if let Some(above) = self.frames.last_mut() {
            if frame.is_data {
                above.object.data.push(range);
            }
            if frame.is_items {
                above.object.untyped.append(&mut untyped);
            }
            above.expects = Expects::Comma;
        }
    }

    fn close_all(&mut self) {
        let at = self.at;
        while !self.frames.is_empty() {
            self.close();
        }
        self.at = at;
    }

    /// Reads a quoted string.
    fn quoted(&mut self) {
        let Some((quote, from)) = Quote::at(self.text, self.at) else { return };
        let closing = quote.close(self.text, from);
        self.string(from, closing.end);
        self.at = closing.after.max(from);
    }

    /// Handles a quoted string: a key or a value. The comma before it may be missing.
    fn string(&mut self, start: usize, end: usize) {
        match self.frames.last_mut() {
            Some(frame) if !frame.is_list && frame.expects != Expects::Value => {
                frame.key = ManifestField::named(self.text.get(start..end).unwrap_or_default());
                frame.expects = Expects::Colon;
            }
            Some(_) | None => self.value(start, end, Wrap::Never),
        }
    }

    /// Reads an unquoted word: a key or a value where one is expected.
    fn word(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let is_value = frame.is_list || frame.expects == Expects::Value;
        let start = self.at;
        let end = word_end(self.text, start, is_value);
        self.at = end.max(start + 1);
        let content = self.text.get(start..end).unwrap_or_default().trim_ascii_end();
        if is_value {
            self.value(start, start + content.len(), Wrap::Quotes(b'"'));
        } else if frame.expects == Expects::Key {
            frame.key = ManifestField::named(content);
            frame.expects = Expects::Colon;
        } else {
            self.close_all();
        }
    }

    fn value(&mut self, start: usize, end: usize, wrap: Wrap) {
        let content = self.text.get(start..end).unwrap_or_default();
        let Some(frame) = self.frames.last_mut() else { return };
        let field = if frame.is_list { ManifestField::Other } else { frame.key };
        frame.expects = Expects::Comma;
        if field == ManifestField::Kind {
            frame.object.set_kind(ManifestKind::named(content));
        }
        let from = self.values.len();
        if self.data_depth > 0 || field == ManifestField::Data {
            self.values.push(self.text, start, end, wrap);
        }
        if field == ManifestField::Data {
            frame.object.data.push((from, self.values.len()));
        }
    }
}

fn word_end(text: &[u8], start: usize, is_value: bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let ends = |byte: &u8| match byte {
        b',' | b'}' | b']' | b'\n' | b'{' | b'[' | b'"' => true,
        b':' => !is_value,
        _ => false,
    };
    start + rest.iter().position(ends).unwrap_or(rest.len())
}
