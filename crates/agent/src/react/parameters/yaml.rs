//! Parses input that is nested YAML.
//!
//! Flat lists of `key: value` are parsed by `pairs`, which takes values literally: YAML would drop the text
//! after a `#` and reject `*.log`. Anchors and aliases are rejected, so that a short text stays a small
//! value.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use super::pairs::{self, is_item};
use super::scalar;

/// Maximum nesting: deeper than any reasonable input, and shallow enough for any stack.
const MAX_DEPTH: usize = 32;

/// Parses a text that looks like nested YAML; `None` if it does not or is invalid.
pub(super) fn read(text: &str) -> Option<Value> {
    if !is_nested(text) {
        return None;
    }
    document(text)
}

/// Parses a block scalar that starts with `|` or `>`.
pub(super) fn read_text(text: &str) -> Option<Value> {
    document(text).filter(Value::is_string)
}

fn document(text: &str) -> Option<Value> {
    YamlReader { parser: Parser::new_from_str(text) }.document()
}

/// Returns whether the text has items, or a key with indented lines below it.
fn is_nested(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && *line != "---");
    let Some(first) = lines.next() else { return false };
    let indentation = first.len() - first.trim_start().len();
    let begins = is_item(first.trim()) || pairs::begins_with_colon_key(first.trim_start());
    let goes_deeper = |line: &str| line.len() - line.trim_start().len() > indentation;
    begins && (is_item(first.trim()) || lines.any(|line| is_item(line.trim()) || goes_deeper(line)))
}

struct YamlReader<'t> {
    parser: Parser<'t, StrInput<'t>>,
}

impl<'t> YamlReader<'t> {
    /// Parses the only document of the text.
    fn document(&mut self) -> Option<Value> {
        let mut document = None;
        loop {
            let event = self.next()?;
            if event == Event::StreamEnd {
                return document;
            }
            if is_frame(&event) {
                continue;
            }
            if document.is_some() {
                return None;
            }
            document = Some(self.value(event, 0)?);
        }
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) if text == "~" || text.is_empty() => {
                Some(Value::Null)
            }
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => Some(scalar::typed(&text)),
            Event::Scalar(text, _, 0, None) => Some(Value::String(text.into_owned())),
            Event::SequenceStart(0, None) => self.list(depth),
            Event::MappingStart(0, None) => self.mapping(depth),
            Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::MappingStart(..)
            | Event::Alias(_)
            | Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => None,
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if event == Event::SequenceEnd {
                return Some(Value::Array(items));
            }
            items.push(self.value(event, depth + 1)?);
        }
    }

    fn mapping(&mut self, depth: usize) -> Option<Value> {
        let mut entries = Map::new();
        loop {
            let key = self.next()?;
            if key == Event::MappingEnd {
                return Some(Value::Object(entries));
            }
            let Event::Scalar(key, _, 0, None) = key else { return None };
            let event = self.next()?;
            entries.insert(key.into_owned(), self.value(event, depth + 1)?);
        }
    }

    fn next(&mut self) -> Option<Event<'t>> {
        self.parser.next_event()?.ok().map(|(event, _)| event)
    }
}

/// Returns whether an event only marks the start or end of a stream or document.
fn is_frame(event: &Event<'_>) -> bool {
    matches!(event, Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing)
}
