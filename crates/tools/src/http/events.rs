//! Server-sent events with bounded memory per event.
//!
//! Implements <https://html.spec.whatwg.org/multipage/server-sent-events.html> except for a bare carriage
//! return as line end.

use std::io;

use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use reqwest::Response;
use tokio_util::bytes::Bytes;
use tokio_util::io::StreamReader;

use crate::client::message::MAX_MESSAGE_BYTES;
use crate::stdio::lines::{BoundedLine, BoundedLines};

/// Reads the events of a response.
pub(crate) struct McpSseEvents {
    lines: BoundedLines<StreamReader<BoxStream<'static, io::Result<Bytes>>, Bytes>>,
    event: McpSseEvent,
}

/// One server-sent event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct McpSseEvent {
    pub(crate) name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    /// The data lines, joined.
    pub(crate) data: Option<BoundedLine>,
}

impl McpSseEvents {
    pub(crate) fn new(response: Response) -> Self {
        let bytes = response.bytes_stream().map_err(io::Error::other).boxed();
        Self {
            lines: BoundedLines::new(StreamReader::new(bytes), MAX_MESSAGE_BYTES),
            event: McpSseEvent::default(),
        }
    }

    /// Returns the next event, or `None` when the stream has ended or broken. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<McpSseEvent> {
        loop {
            let line = self.lines.next().await?;
            if self.event.add(line) {
                return Some(std::mem::take(&mut self.event));
            }
        }
    }
}

impl McpSseEvent {
    /// Adds a line and returns whether the event is complete.
    fn add(&mut self, line: BoundedLine) -> bool {
        match line {
            BoundedLine::Whole(mut line) => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                if line.is_empty() {
                    return *self != Self::default();
                }
                self.set(&line);
                false
            }
            BoundedLine::Cut { .. } => {
                self.data = Some(line);
                false
            }
        }
    }

    fn set(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || String::from_utf8_lossy(value).into_owned();
        match &line[..colon] {
            b"event" => self.name = Some(text()),
            b"id" => self.id = Some(text()),
            b"retry" => self.retry = text().parse().ok(),
            b"data" => self.append(value),
            _ => {}
        }
    }

    fn append(&mut self, value: &[u8]) {
        match &mut self.data {
            None => self.data = Some(BoundedLine::Whole(value.to_owned())),
            Some(BoundedLine::Whole(data)) if data.len() + value.len() < MAX_MESSAGE_BYTES => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(BoundedLine::Whole(data)) => {
                let bytes = data.len() + value.len();
                let head = data[..data.len().min(1024)].to_owned();
                self.data = Some(BoundedLine::Cut { head, tail: Vec::new(), bytes });
            }
            Some(BoundedLine::Cut { bytes, .. }) => *bytes += value.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<McpSseEvent> {
        let mut event = McpSseEvent::default();
        let lines = text.split('\n').map(|line| BoundedLine::Whole(line.as_bytes().to_owned()));
        lines.filter_map(|line| event.add(line).then(|| std::mem::take(&mut event))).collect()
    }

    #[test]
    fn reads_events_with_either_line_end() {
        let data = |text: &str| Some(BoundedLine::Whole(text.into()));
        let endpoint =
            McpSseEvent { name: Some("endpoint".to_owned()), data: data("/m"), ..McpSseEvent::default() };
        let message = McpSseEvent { id: Some("7".to_owned()), data: data("a\nb"), ..McpSseEvent::default() };
        let text = "event: endpoint\r\ndata: /m\r\n\r\n: ping\n\nid:7\ndata: a\ndata:b\n\n";
        assert_eq!(read(text), [endpoint, message]);
    }
}
