//! Lines of a stream of bytes, of which none takes more memory than a limit.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much is kept of both ends of a line that is too long.
const KEPT: usize = 1024;

/// Reads lines. Giving up waiting for one loses nothing.
pub(crate) struct Lines<R> {
    source: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The end of a line that is too long, and how long it is so far.
    overflow: Option<(Vec<u8>, usize)>,
}

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// As it came.
    Whole(Vec<u8>),
    /// Longer than the limit: its two ends, and its length.
    Cut {
        /// The first bytes.
        head: Vec<u8>,
        /// The last bytes.
        tail: Vec<u8>,
        /// How many there were.
        bytes: usize,
    },
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self { source: BufReader::new(source), limit, line: Vec::new(), overflow: None }
    }

    /// The next line; nothing at the end, or when reading fails. What comes after the last line end is no line.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            // Nothing is awaited between looking at bytes and consuming them, so a dropped read loses none.
            let arrived = self.source.fill_buf().await.ok().filter(|arrived| !arrived.is_empty())?;
            let end = arrived.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(arrived.len());
            take(&mut self.line, &mut self.overflow, &arrived[..taken], self.limit);
            self.source.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Some(self.finish());
            }
        }
    }

    fn finish(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        match self.overflow.take() {
            None => Line::Whole(line),
            Some((tail, bytes)) => Line::Cut { head: line, tail, bytes },
        }
    }
}

/// Adds bytes to a line; beyond the limit only its two ends stay.
fn take(line: &mut Vec<u8>, overflow: &mut Option<(Vec<u8>, usize)>, bytes: &[u8], limit: usize) {
    if overflow.is_none() && line.len() + bytes.len() <= limit {
        line.extend_from_slice(bytes);
        return;
    }
    let (tail, length) = overflow.get_or_insert_with(|| {
        let tail = line.split_off(line.len().min(KEPT));
        let length = line.len() + tail.len();
        line.shrink_to_fit();
        (tail, length)
    });
    *length += bytes.len();
    tail.extend_from_slice(bytes);
    let surplus = tail.len().saturating_sub(KEPT);
    tail.drain(..surplus);
    tail.shrink_to(2 * KEPT);
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(text: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_are_cut_at_their_ends() {
        let expected = [b"one".to_vec(), Vec::new(), b"two".to_vec()].map(Line::Whole);
        assert_eq!(lines_of(b"one\n\ntwo\nrest", 3).await, expected);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_leaves_its_ends_and_the_next_line_is_whole() {
        let text = [b"a".repeat(100_000), b"z\nnext\n".to_vec()].concat();
        let lines = lines_of(&text, 10_000).await;
        let Line::Cut { head, tail, bytes } = &lines[0] else { panic!("{lines:?}") };
        assert_eq!((head.len(), tail.len(), *bytes), (KEPT, KEPT, 100_001));
        assert_eq!(tail.last(), Some(&b'z'));
        assert_eq!(lines[1], Line::Whole(b"next".to_vec()));
    }
}
