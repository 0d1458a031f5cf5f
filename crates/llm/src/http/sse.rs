//! Server-sent events, out of bytes that are cut anywhere.
//!
//! Own code, because models' servers break the format in ways that the crates for it drop: an error can come as a
//! bare JSON object without `data:`, and an event must not be allowed to grow without end.

use memchr::memchr2;

use crate::ModelError;
use crate::error::provider_bug;

/// The most that one event may hold.
const LARGEST_EVENT: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name; empty if it has none.
    pub(crate) name: String,
    /// Its data, lines joined; or a bare JSON text that came instead.
    pub(crate) data: String,
}

/// Cuts bytes into events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    line: Vec<u8>,
    event: Event,
    /// Whether the last byte was a carriage return, which may be the first half of a line's end.
    after_return: bool,
}

impl Events {
    /// Takes in bytes and gives the events that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), ModelError> {
        let mut rest = bytes;
        if self.after_return && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
        }
        self.after_return = false;
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            self.take_line(&rest[..end], events)?;
            let next = end + 1;
            let crlf = rest[end] == b'\r' && rest.get(next) == Some(&b'\n');
            self.after_return = rest[end] == b'\r' && next == rest.len();
            rest = &rest[next + usize::from(crlf)..];
        }
        self.line.extend_from_slice(rest);
        self.check_size()
    }

    /// The bytes have ended: what is left is the last event, as servers often forget the empty line.
    pub(crate) fn end(&mut self, events: &mut Vec<Event>) -> Result<(), ModelError> {
        self.take_line(&[], events)?;
        self.complete(events);
        Ok(())
    }

    /// Takes a line that ends with these bytes; mostly they are all of it, and nothing is copied.
    fn take_line(&mut self, end: &[u8], events: &mut Vec<Event>) -> Result<(), ModelError> {
        let mut begun = std::mem::take(&mut self.line);
        let line = if begun.is_empty() {
            end
        } else {
            begun.extend_from_slice(end);
            &begun
        };
        let line = std::str::from_utf8(line).map_err(|_| provider_bug("the reply is not valid UTF-8"))?;
        match line.strip_prefix('\u{feff}').unwrap_or(line) {
            "" => self.complete(events),
            line => self.take_field(line),
        }
        self.check_size()
    }

    fn take_field(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => value.clone_into(&mut self.event.name),
            "" | "id" | "retry" => {}
            // Not a field at all: a bare JSON text, as gateways send when something breaks.
            _ => self.add_data(line),
        }
    }

    fn add_data(&mut self, line: &str) {
        if !self.event.data.is_empty() {
            self.event.data.push('\n');
        }
        self.event.data.push_str(line);
    }

    fn complete(&mut self, events: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if !event.data.is_empty() {
            events.push(event);
        }
    }

    fn check_size(&self) -> Result<(), ModelError> {
        if self.line.len() + self.event.data.len() > LARGEST_EVENT {
            return Err(provider_bug(format!("an event of the reply is larger than {LARGEST_EVENT} bytes")));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use proptest::prelude::*;

    use super::{Event, Events, LARGEST_EVENT};

    fn events_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            events.feed(piece, &mut found).unwrap();
        }
        events.end(&mut found).unwrap();
        found
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn fields_comments_and_line_ends_are_read() {
        let text = "\u{feff}: hello\r\nevent: ping\r\ndata: {\"a\":\r\ndata:1}\r\nid: 7\r\n\r\ndata: [DONE]\r\r\ndata: last";
        let expected = [event("ping", "{\"a\":\n1}"), event("", "[DONE]"), event("", "last")];
        assert_eq!(events_of([text.as_bytes()]), expected);
    }

    #[test]
    fn a_bare_json_text_is_an_event_too() {
        let text = "data: {}\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
        let events = events_of([text.as_bytes()]);
        let error: serde_json::Value = serde_json::from_str(&events[1].data).unwrap();
        assert_eq!(error["error"]["code"], 503);
    }

    #[test]
    fn what_is_not_utf8_or_too_large_is_an_error() {
        let mut found = Vec::new();
        assert!(Events::default().feed(b"data: \xff\n\n", &mut found).is_err());
        assert!(Events::default().feed(&vec![b'a'; LARGEST_EVENT + 1], &mut found).is_err());
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(
            lines in proptest::collection::vec("(data: [a-zé{}]{0,8}|event: [a-z]{1,4}|: c|)(\r\n|\n|\r)", 0..20),
            size in 1usize..9,
        ) {
            let text = lines.concat();
            let whole = events_of([text.as_bytes()]);
            prop_assert_eq!(events_of(text.as_bytes().chunks(size)), whole);
        }
    }
}
