//! JSON and YAML's flow style, with anything around them.
//!
//! A walk that never fails: what cannot be JSON begins anew, and what is open at the end of the text is closed there.

use super::object::{Field, Object, ObjectKind, Values};
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Finds the values of Secrets.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    let mut walk = Walk::new(text);
    while walk.step() {}
    walk.close_all();
    walk.values.finish(spans);
}

/// Takes in all values of the collection that begins here, and says where it ends.
pub(super) fn take_values(text: &[u8], from: usize, values: &mut Values) -> usize {
    let mut walk = Walk::new(text);
    walk.at = from;
    walk.taking = 1;
    std::mem::swap(&mut walk.values, values);
    while walk.step() && !walk.frames.is_empty() {}
    std::mem::swap(&mut walk.values, values);
    walk.at
}

struct Walk<'t> {
    text: &'t [u8],
    at: usize,
    frames: Vec<Frame>,
    /// How many open frames are under `data`; while there are any, values are kept.
    taking: usize,
    values: Values,
}

#[derive(Default)]
struct Frame {
    object: Object,
    is_list: bool,
    /// The key that was read last, and what must come next in an object.
    key: Field,
    expects: Expects,
    /// Whether it is under `data`, and where in the list of values that began.
    is_data: bool,
    from: usize,
    /// Whether it hangs under `items`.
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

impl<'t> Walk<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, frames: Vec::new(), taking: 0, values: Values::default() }
    }

    /// Reads one sign, string or word. Answers whether there was one.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.get(self.at).copied() else { return false };
        match byte {
            b'{' | b'[' => self.open(byte == b'['),
            b'}' | b']' => self.close(),
            b',' | b':' => self.separator(byte),
            b'"' | b'\'' if !self.frames.is_empty() => self.mark(),
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
        // Where no value can be, what is open was cut off, and something new begins.
        if self.frames.last().is_some_and(|frame| !frame.is_list && frame.expects != Expects::Value) {
            self.close_all();
        }
        let above = self.frames.last();
        let field = above.map_or(Field::Other, |frame| frame.key);
        let is_data = field == Field::Data && above.is_some_and(|frame| !frame.is_list);
        let is_items = match above {
            Some(frame) if frame.is_list => frame.is_items && !is_list,
            Some(_) | None => field == Field::Items && is_list,
        };
        self.taking += usize::from(is_data);
        let from = self.values.len();
        self.frames.push(Frame { is_list, is_data, from, is_items, ..Frame::default() });
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        let Some(frame) = self.frames.pop() else { return };
        self.taking -= usize::from(frame.is_data && self.taking > 0);
        let range = (frame.from, self.values.len());
        let mut handed = if frame.is_list { frame.object.handed } else { self.values.end(frame.object) };
        if let Some(above) = self.frames.last_mut() {
            if frame.is_data {
                above.object.data.push(range);
            }
            if frame.is_items {
                above.object.handed.append(&mut handed);
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

    /// A quotation mark: a string begins.
    fn mark(&mut self) {
        let Some((quote, from)) = Quote::at(self.text, self.at) else { return };
        let closing = quote.close(self.text, from);
        self.string(from, closing.end);
        self.at = closing.after.max(from);
    }

    /// Something in quotation marks: a key, or a value. A comma may be missing before it.
    fn string(&mut self, start: usize, end: usize) {
        match self.frames.last_mut() {
            Some(frame) if !frame.is_list && frame.expects != Expects::Value => {
                frame.key = Field::named(self.text.get(start..end).unwrap_or_default());
                frame.expects = Expects::Colon;
            }
            Some(_) | None => self.value(start, end, Wrap::Never),
        }
    }

    /// Something without them, which must be where it can be.
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
            frame.key = Field::named(content);
            frame.expects = Expects::Colon;
        } else {
            self.close_all();
        }
    }

    fn value(&mut self, start: usize, end: usize, wrap: Wrap) {
        let content = self.text.get(start..end).unwrap_or_default();
        let Some(frame) = self.frames.last_mut() else { return };
        let field = if frame.is_list { Field::Other } else { frame.key };
        frame.expects = Expects::Comma;
        if field == Field::Kind {
            frame.object.is(ObjectKind::named(content));
        }
        let from = self.values.len();
        if self.taking > 0 || field == Field::Data {
            self.values.push(self.text, start, end, wrap);
        }
        if field == Field::Data {
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
