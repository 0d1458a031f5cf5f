//! Server-sent events, of which none takes more memory than a limit.
//!
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>, without carriage returns as line ends of their own.

use std::io;

use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use reqwest::Response;
use tokio_util::bytes::Bytes;
use tokio_util::io::StreamReader;

use crate::client::message::LARGEST_MESSAGE;
use crate::stdio::lines::{Line, Lines};

/// Reads the events of an answer.
pub(crate) struct Events {
    lines: Lines<StreamReader<BoxStream<'static, io::Result<Bytes>>, Bytes>>,
    event: Event,
}

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    /// The lines of its data.
    pub(crate) data: Option<Line>,
}

impl Events {
    pub(crate) fn new(response: Response) -> Self {
        let bytes = response.bytes_stream().map_err(io::Error::other).boxed();
        Self { lines: Lines::new(StreamReader::new(bytes), LARGEST_MESSAGE), event: Event::default() }
    }

    /// The next event; nothing when the stream has ended or broken. Giving up waiting loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            let line = self.lines.next().await?;
            if self.event.add(line) {
                return Some(std::mem::take(&mut self.event));
            }
        }
    }
}

impl Event {
    /// Adds a line and says whether the event is complete.
    fn add(&mut self, line: Line) -> bool {
        match line {
            Line::Whole(mut line) => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                if line.is_empty() {
                    return *self != Self::default();
                }
                self.set(&line);
                false
            }
            Line::Cut { .. } => {
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
            None => self.data = Some(Line::Whole(value.to_owned())),
            Some(Line::Whole(data)) if data.len() + value.len() < LARGEST_MESSAGE => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(Line::Whole(data)) => {
                let bytes = data.len() + value.len();
                let head = data[..data.len().min(1024)].to_owned();
                self.data = Some(Line::Cut { head, tail: Vec::new(), bytes });
            }
            Some(Line::Cut { bytes, .. }) => *bytes += value.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Event> {
        let mut event = Event::default();
        let lines = text.split('\n').map(|line| Line::Whole(line.as_bytes().to_owned()));
        lines.filter_map(|line| event.add(line).then(|| std::mem::take(&mut event))).collect()
    }

    #[test]
    fn events_are_read_with_either_line_end() {
        let data = |text: &str| Some(Line::Whole(text.into()));
        let endpoint = Event { name: Some("endpoint".to_owned()), data: data("/m"), ..Event::default() };
        let message = Event { id: Some("7".to_owned()), data: data("a\nb"), ..Event::default() };
        let text = "event: endpoint\r\ndata: /m\r\n\r\n: ping\n\nid:7\ndata: a\ndata:b\n\n";
        assert_eq!(read(text), [endpoint, message]);
    }
}
