//! Parser for server-sent events; input may be split at any byte.
//!
//! Written by hand because model servers violate the format in ways that existing crates do not handle: an
//! error can be a bare JSON object without `data:`. The size of an event is limited, too.

use memchr::memchr2;

use crate::ModelError;
use crate::error::provider_bug;

/// Maximum size of one event.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The name, or an empty string.
    pub(crate) name: String,
    /// The data lines, joined, or a bare JSON text.
    pub(crate) data: String,
}

/// Splits bytes into events.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    partial_line: Vec<u8>,
    event: SseEvent,
    /// Whether the last byte was a carriage return, which may be the first half of CRLF.
    after_return: bool,
}

impl SseParser {
    /// Parses bytes and appends the events that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), ModelError> {
        let mut rest = bytes;
        if self.after_return && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
        }
        self.after_return = false;
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            self.line(&rest[..end], events)?;
            let next = end + 1;
            let crlf = rest[end] == b'\r' && rest.get(next) == Some(&b'\n');
            self.after_return = rest[end] == b'\r' && next == rest.len();
            rest = &rest[next + usize::from(crlf)..];
        }
        self.partial_line.extend_from_slice(rest);
        self.check_size()
    }

    /// Handles the end of the bytes. The rest is an event: servers often omit the last empty line.
    pub(crate) fn end(&mut self, events: &mut Vec<SseEvent>) -> Result<(), ModelError> {
        self.line(&[], events)?;
        self.complete(events);
        Ok(())
    }

    /// Handles a line that ends with these bytes. Usually they are the whole line, and nothing is copied.
    fn line(&mut self, end: &[u8], events: &mut Vec<SseEvent>) -> Result<(), ModelError> {
        let mut start = std::mem::take(&mut self.partial_line);
        let line = if start.is_empty() {
            end
        } else {
            start.extend_from_slice(end);
            &start
        };
        let line = std::str::from_utf8(line).map_err(|_| provider_bug("the reply is not valid UTF-8"))?;
        match line.strip_prefix('\u{feff}').unwrap_or(line) {
            "" => self.complete(events),
            line => self.field(line),
        }
        self.check_size()
    }

    fn field(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => value.clone_into(&mut self.event.name),
            "" | "id" | "retry" => {}
            // Not a field but a bare JSON text, which gateways send for errors.
            _ => self.add_data(line),
        }
    }

    fn add_data(&mut self, line: &str) {
        if !self.event.data.is_empty() {
            self.event.data.push('\n');
        }
        self.event.data.push_str(line);
    }

    fn complete(&mut self, events: &mut Vec<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        if !event.data.is_empty() {
            events.push(event);
        }
    }

    fn check_size(&self) -> Result<(), ModelError> {
        if self.partial_line.len() + self.event.data.len() > MAX_EVENT_BYTES {
            return Err(provider_bug(format!(
                "an event of the reply is larger than {MAX_EVENT_BYTES} bytes"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test panics on unexpected results")]
mod tests {
    use proptest::prelude::*;

    use super::{MAX_EVENT_BYTES, SseEvent, SseParser};

    fn events_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
        let (mut events, mut found) = (SseParser::default(), Vec::new());
        for piece in pieces {
            events.feed(piece, &mut found).unwrap();
        }
        events.end(&mut found).unwrap();
        found
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn parses_fields_comments_and_line_ends() {
        let text = "\u{feff}: hello\r\nevent: ping\r\ndata: {\"a\":\r\ndata:1}\r\nid: 7\r\n\r\ndata: [DONE]\r\r\ndata: last";
        let expected = [event("ping", "{\"a\":\n1}"), event("", "[DONE]"), event("", "last")];
        assert_eq!(events_of([text.as_bytes()]), expected);
    }

    #[test]
    fn a_bare_json_text_is_an_event() {
        let text = "data: {}\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
        let events = events_of([text.as_bytes()]);
        let error: serde_json::Value = serde_json::from_str(&events[1].data).unwrap();
        assert_eq!(error["error"]["code"], 503);
    }

    #[test]
    fn rejects_invalid_utf8_and_large_events() {
        let mut found = Vec::new();
        assert!(SseParser::default().feed(b"data: \xff\n\n", &mut found).is_err());
        assert!(SseParser::default().feed(&vec![b'a'; MAX_EVENT_BYTES + 1], &mut found).is_err());
    }

    proptest! {
        #[test]
        fn input_boundaries_do_not_matter(
            lines in proptest::collection::vec("(data: [a-zé{}]{0,8}|event: [a-z]{1,4}|: c|)(\r\n|\n|\r)", 0..20),
            size in 1usize..9,
        ) {
            let text = lines.concat();
            let whole = events_of([text.as_bytes()]);
            prop_assert_eq!(events_of(text.as_bytes().chunks(size)), whole);
        }
    }
}
