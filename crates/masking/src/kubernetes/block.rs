//! Parses YAML by indentation, line by line, with any text around it.
//!
//! A mapping is identified by its column. Under `data` and `stringData` keys are kept, and everything that is
//! indented further belongs to the value.

use super::flow;
use super::object::{ManifestField, ManifestKind, ManifestObject, Values};
use crate::bytes::{line_end, line_start};
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Maximum nesting of manifests inside of manifests.
const MAX_DEPTH: usize = 3;

/// Finds the values of Secrets.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    find_within(text, (0, text.len()), diff(text), MAX_DEPTH, spans);
}

fn find_within(text: &[u8], range: (usize, usize), diff: Option<usize>, depth: usize, spans: &mut Vec<Span>) {
    let mut parser = BlockParser {
        text,
        diff,
        depth,
        mappings: Vec::new(),
        data: None,
        values: Values::default(),
        inner: Vec::new(),
        skip_to: 0,
        is_quotation: false,
    };
    let (mut start, end) = range;
    while start < end {
        let next = line_end(text, start).min(end);
        parser.line(start, next);
        start = next + 1;
    }
    parser.end_document();
    parser.values.finish(spans);
    spans.append(&mut parser.inner);
}

/// Returns the column of the `+` and `-` signs if the text is a diff.
fn diff(text: &[u8]) -> Option<usize> {
    let at = text.windows(3).position(|window| window == b"@@ ")?;
    let start = line_start(text, at, 64)?;
    text.get(start..at)?.iter().all(|byte| *byte == b' ').then_some(at - start)
}

/// Returns the width of a line number before a line, as printed by `cat -n` and others.
fn line_number_width(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| **byte == b' ').count();
    let digits = line.iter().skip(blanks).take_while(|byte| byte.is_ascii_digit()).count();
    let signs = ["\t", "→", " | ", "|"];
    let rest = line.get(blanks + digits..).unwrap_or_default();
    let sign = signs.iter().find(|sign| digits > 0 && rest.starts_with(sign.as_bytes()));
    sign.map_or(0, |sign| blanks + digits + sign.len())
}

struct BlockParser<'t> {
    text: &'t [u8],
    depth: usize,
    mappings: Vec<Mapping>,
    /// The current `data` mapping.
    data: Option<Data>,
    values: Values,
    /// Spans found in manifests inside of values.
    inner: Vec<Span>,
    /// End of a flow collection that was already parsed.
    skip_to: usize,
    /// Column of the signs, if the text is a diff.
    diff: Option<usize>,
    /// Whether the lines are quoted with `>`, as in an e-mail or in Markdown.
    is_quotation: bool,
}

#[derive(Default)]
struct Mapping {
    column: usize,
    object: ManifestObject,
    has_version: bool,
    /// The most recent key.
    field: ManifestField,
    /// Whether the mapping is an item of a list under `items`.
    is_item: bool,
}

/// A mapping of keys to values that may be secret.
struct Data {
    /// Column of the `data` key.
    column: usize,
    /// Column of the keys in the mapping.
    keys: Option<usize>,
    from: usize,
    /// Range of the current value.
    value: Option<(usize, usize)>,
}

impl BlockParser<'_> {
    fn line(&mut self, start: usize, end: usize) {
        let start = start + line_number_width(self.text.get(start..end).unwrap_or_default());
        let line = self.text.get(start..end).unwrap_or_default();
        let is_quotation = line.first() == Some(&b'>');
        let sign = self.diff.filter(|column| matches!(line.get(*column), Some(b'+' | b'-')));
        let marks = if is_quotation { 1 } else { sign.map_or(0, |column| column + 1) };
        let column = marks + line.iter().skip(marks).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let content = line.get(column..).unwrap_or_default().trim_ascii_end();
        if start < self.skip_to || content.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.is_quotation, is_quotation) != is_quotation {
            self.end_document();
        }
        if content.starts_with(b"```") || (column == 0 && (content.starts_with(b"---") || content == b"..."))
        {
            return self.end_document();
        }
        if self.data.as_ref().is_some_and(|data| column > data.column) {
            return self.data_line(start + column, column, content.len());
        }
        if content.first() != Some(&b'#') {
            self.end_data();
            self.mapping_line(start + column, column, content.len());
        }
    }

    /// Parses a line outside of `data`: list dashes, then a key.
    fn mapping_line(&mut self, mut at: usize, mut column: usize, length: usize) {
        let end = at + length;
        self.end_mappings(column);
        let mut is_item = false;
        while self.text.get(at) == Some(&b'-') && matches!(self.text.get(at + 1), Some(b' ')) && at + 1 < end
        {
            is_item = self.mappings.last().is_some_and(|above| above.field == ManifestField::Items);
            let blanks = self
                .text
                .get(at + 1..end)
                .unwrap_or_default()
                .iter()
                .take_while(|byte| **byte == b' ')
                .count();
            at += 1 + blanks;
            column += 1 + blanks;
        }
        let Some((name, value)) = key(self.text, at, end) else { return };
        if self.mappings.last().is_none_or(|mapping| mapping.column < column) {
            self.mappings.push(Mapping { column, is_item, ..Mapping::default() });
        }
        self.entry(ManifestField::named(name), column, value, end);
    }

    fn entry(&mut self, field: ManifestField, column: usize, value: usize, end: usize) {
        let content = self.text.get(value..end).unwrap_or_default();
        let Some(mapping) = self.mappings.last_mut() else { return };
        mapping.field = field;
        match field {
            ManifestField::Kind => mapping.object.set_kind(ManifestKind::named(unquoted(content))),
            ManifestField::ApiVersion => self.begin_object(),
            ManifestField::Data => self.begin_data(column, value, end),
            ManifestField::Items | ManifestField::Other => {}
        }
    }

    /// Starts a new object: objects may follow each other without a separator.
    fn begin_object(&mut self) {
        let Some(mapping) = self.mappings.last_mut() else { return };
        if std::mem::replace(&mut mapping.has_version, true) {
            let object = std::mem::take(&mut mapping.object);
            self.values.end(object);
        }
    }

    fn begin_data(&mut self, column: usize, value: usize, end: usize) {
        let from = self.values.len();
        let value = skip_properties(self.text, value, end);
        match self.text.get(value).filter(|_| value < end) {
            Some(b'{' | b'[') => {
                self.skip_to = flow::take_values(self.text, value, &mut self.values);
                let range = (from, self.values.len());
                if let Some(mapping) = self.mappings.last_mut() {
                    mapping.object.data.push(range);
                }
            }
            Some(b'#') | None => self.data = Some(Data { column, keys: None, from, value: None }),
            Some(_) => self.data = Some(Data { column, keys: None, from, value: Some((value, end)) }),
        }
    }

    /// Parses a line under `data`: a key with its value, or a continuation of the previous value.
    fn data_line(&mut self, at: usize, column: usize, length: usize) {
        let end = at + length;
        let Some(data) = self.data.as_mut() else { return };
        let keys = *data.keys.get_or_insert(column);
        if column > keys {
            data.value = Some(data.value.map_or((at, end), |(start, _)| (start, end)));
            return;
        }
        if self.text.get(at) == Some(&b'#') {
            return;
        }
        self.end_value();
        let value = match key(self.text, at, end) {
            Some((_, value)) => (skip_properties(self.text, value, end) < end)
                .then(|| (skip_properties(self.text, value, end), end)),
            None => Some((at, end)),
        };
        if let Some(data) = self.data.as_mut() {
            data.value = value;
        }
    }

    fn end_value(&mut self) {
        let Some((start, end)) = self.data.as_mut().and_then(|data| data.value.take()) else { return };
        let value = self.text.get(start..end).unwrap_or_default();
        if self.depth > 0 && value.len() > 16 && value.windows(6).any(|word| word == b"Secret") {
            // The first line is the block header.
            find_within(self.text, (start, end), self.diff, self.depth - 1, &mut self.inner);
        }
        let (start, end, wrap) = extent(self.text, start, end);
        self.values.push(self.text, start, end, wrap);
    }

    fn end_data(&mut self) {
        self.end_value();
        let Some(data) = self.data.take() else { return };
        let range = (data.from, self.values.len());
        if let Some(mapping) = self.mappings.last_mut() {
            mapping.object.data.push(range);
        }
    }

    /// Ends all mappings to the right of a column.
    fn end_mappings(&mut self, column: usize) {
        while self.mappings.last().is_some_and(|mapping| mapping.column > column) {
            let Some(mapping) = self.mappings.pop() else { return };
            let mut untyped = self.values.end(mapping.object);
            if let Some(above) = self.mappings.last_mut().filter(|_| mapping.is_item) {
                above.object.untyped.append(&mut untyped);
            }
        }
    }

    fn end_document(&mut self) {
        self.end_data();
        self.end_mappings(0);
        if let Some(mapping) = self.mappings.pop() {
            self.values.end(mapping.object);
        }
    }
}

/// Returns the key at `at` and the start of its value.
fn key(text: &[u8], at: usize, end: usize) -> Option<(&[u8], usize)> {
    let line = text.get(at..end)?;
    // The explicit form has the key after a question mark, and the value after a colon on the next line.
    if let Some(name) = line.strip_prefix(b"? ") {
        return Some((name, end));
    }
    if line.starts_with(b": ") {
        return Some((b"", at + 2));
    }
    let is_colon = |index: usize| {
        line.get(index) == Some(&b':') && matches!(line.get(index + 1), None | Some(b' ' | b'\t'))
    };
    let (name, colon) = match Quote::at(line, 0) {
        Some((quote, from)) => {
            let closing = quote.close(line, from);
            (line.get(from..closing.end)?, closing.after)
        }
        None => {
            let colon = (0..line.len()).find(|index| is_colon(*index))?;
            (line.get(..colon)?, colon)
        }
    };
    let colon = colon + line.get(colon..)?.iter().take_while(|byte| **byte == b' ').count();
    is_colon(colon).then(|| {
        let blanks = line.iter().skip(colon + 1).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (name.trim_ascii_end(), at + colon + 1 + blanks)
    })
}

fn unquoted(value: &[u8]) -> &[u8] {
    let value = value.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let inner = |mark: &[u8]| value.strip_prefix(mark).and_then(|value| value.strip_suffix(mark));
    inner(b"\"").or_else(|| inner(b"'")).unwrap_or(value)
}

/// Skips an anchor. A tag belongs to the value: a placeholder is not `!!binary`.
fn skip_properties(text: &[u8], at: usize, end: usize) -> usize {
    let Some(line) = text.get(at..end).filter(|line| line.first() == Some(&b'&')) else { return at };
    let word = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    let blanks = line.iter().skip(word).take_while(|byte| **byte == b' ').count();
    at + word + blanks
}

/// Returns the part of a value to mask and its quotation: existing quotation marks and comments are kept.
fn extent(text: &[u8], start: usize, end: usize) -> (usize, usize, Wrap) {
    let value = text.get(start..end).unwrap_or_default();
    if value.contains(&b'\n') {
        return (start, end, Wrap::Quotes(b'\''));
    }
    if let Some((quote, from)) = Quote::at(text, start) {
        let closing = quote.close(text.get(..end).unwrap_or(text), from);
        let rest = text.get(closing.after..end).unwrap_or_default().trim_ascii();
        if closing.is_closed() && (rest.is_empty() || rest.starts_with(b"#")) {
            return (from, closing.end, Wrap::Never);
        }
    }
    let comment = value.windows(2).position(|two| two == b" #");
    let kept = value.get(..comment.unwrap_or(value.len())).unwrap_or_default().trim_ascii_end();
    (start, start + kept.len(), Wrap::Quotes(b'\''))
}
