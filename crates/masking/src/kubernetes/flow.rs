//! JSON and YAML's flow style, at one depth of strings inside strings, with anything around them.
//!
//! A walk that never fails: what cannot be JSON begins anew, and what is open at the end of the text is closed there.

use super::object::{Field, Object, ObjectKind, Range, Values};
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Finds the values of Secrets that are written at a depth.
pub(super) fn find(text: &[u8], depth: u32, spans: &mut Vec<Span>) {
    let mut walk = Walk::new(text, depth);
    while walk.step() {}
    walk.close_all();
    walk.values.finish(spans);
}

/// Takes in all values of the collection that begins here, and says where it ends.
pub(super) fn take_values(text: &[u8], from: usize, values: &mut Values) -> usize {
    let mut walk = Walk::new(text, 0);
    walk.at = from;
    walk.taking = 1;
    std::mem::swap(&mut walk.values, values);
    while walk.step() && !walk.frames.is_empty() {}
    std::mem::swap(&mut walk.values, values);
    walk.at
}

struct Walk<'t> {
    text: &'t [u8],
    depth: u32,
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
    /// The key whose value comes next.
    key: Option<Field>,
    /// Whether it is under `data`, and where in the list of values that began.
    is_data: bool,
    from: usize,
    /// Whether it hangs under `items`.
    is_items: bool,
}

impl<'t> Walk<'t> {
    fn new(text: &'t [u8], depth: u32) -> Self {
        Self { text, depth, at: 0, frames: Vec::new(), taking: 0, values: Values::default() }
    }

    /// Reads one sign, string or word. Answers whether there was one.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.get(self.at).copied() else { return false };
        match byte {
            b'{' | b'[' => self.open(byte == b'['),
            b'}' | b']' => self.close(),
            b',' => {
                if let Some(frame) = self.frames.last_mut().filter(|frame| !frame.is_list) {
                    frame.key = None;
                }
                self.at += 1;
            }
            b'"' | b'\\' | b'\'' => self.mark(),
            _ if self.frames.is_empty() || byte <= b' ' || byte == b':' => self.at += 1,
            _ => self.word(),
        }
        true
    }

    fn open(&mut self, is_list: bool) {
        // An object where a key should be: what is open was cut off, and something new begins.
        let is_misplaced = self.frames.last().is_some_and(|frame| !frame.is_list && frame.key.is_none());
        if is_misplaced {
            self.close_all();
        }
        let above = self.frames.last();
        let field = above.and_then(|frame| frame.key).unwrap_or_default();
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
            if !above.is_list {
                above.key = None;
            }
        }
    }

    fn close_all(&mut self) {
        let at = self.at;
        while !self.frames.is_empty() {
            self.close();
        }
        self.at = at;
    }

    /// A quotation mark, a backslash before one, or an escaped end of line.
    fn mark(&mut self) {
        if self.frames.is_empty() {
            self.at += 1;
            return;
        }
        let Some((quote, from)) = Quote::at(self.text, self.at) else {
            let is_blank = matches!(self.text.get(self.at + 1), Some(b'n' | b't' | b'r'));
            self.at += if is_blank { 2 } else { 1 };
            return;
        };
        let own = Quote::json(self.depth);
        if quote == own || (self.depth == 0 && !quote.is_nested()) {
            let closing = quote.close(self.text, from);
            self.scalar(from, closing.end, Wrap::AsNeeded);
            self.at = closing.after.max(from);
        } else {
            // The mark of a string around this one: whatever is open ends with it.
            self.close_all();
            self.at = from;
        }
    }

    fn word(&mut self) {
        let is_value = self.frames.last().is_some_and(|frame| frame.is_list || frame.key.is_some());
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| match byte {
            b',' | b'}' | b']' | b'\n' | b'{' | b'[' | b'"' => true,
            b'\\' => self.depth > 0,
            b':' => !is_value,
            _ => false,
        };
        let length = rest.iter().position(ends).unwrap_or(rest.len()).max(1);
        let kept = rest.get(..length).unwrap_or_default().trim_ascii_end().len();
        let wrap = Wrap::Json(Quote::json(self.depth));
        self.scalar(self.at, self.at + kept, wrap);
        self.at += length;
    }

    /// A string or a word: a key, or a value.
    fn scalar(&mut self, start: usize, end: usize, wrap: Wrap) {
        let content = self.text.get(start..end).unwrap_or_default();
        let Some(frame) = self.frames.last_mut() else { return };
        if !frame.is_list && frame.key.is_none() {
            frame.key = Some(Field::named(content));
            return;
        }
        let is_data = frame.key == Some(Field::Data);
        match frame.key.filter(|_| !frame.is_list) {
            Some(Field::Kind) => frame.object.kind = ObjectKind::named(content),
            Some(Field::Data | Field::Items | Field::Other) | None => {}
        }
        let from = self.values.len();
        if self.taking > 0 || is_data {
            self.values.push(self.text, start, end, wrap);
        }
        let range: Range = (from, self.values.len());
        if let Some(frame) = self.frames.last_mut().filter(|frame| !frame.is_list) {
            if is_data {
                frame.object.data.push(range);
            }
            frame.key = None;
        }
    }
}
