//! Reads lines of a byte stream with bounded memory per line.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Number of bytes that are kept of each end of a line that is too long.
const KEPT_BYTES: usize = 1024;

/// Reads lines from a source.
pub(crate) struct BoundedLines<R> {
    source: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The end of a line that is too long, and its length so far.
    overflow: Option<(Vec<u8>, usize)>,
}

/// A line without its line end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BoundedLine {
    /// The complete line.
    Whole(Vec<u8>),
    /// A line that exceeds the limit.
    Cut {
        /// The first bytes.
        head: Vec<u8>,
        /// The last bytes.
        tail: Vec<u8>,
        /// Length of the line.
        bytes: usize,
    },
}

impl<R: AsyncRead + Unpin> BoundedLines<R> {
    /// Creates a reader for lines of at most `limit` bytes.
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self { source: BufReader::new(source), limit, line: Vec::new(), overflow: None }
    }

    /// Returns the next line, or `None` at the end or on a read error. Bytes after the last line end are
    /// ignored. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<BoundedLine> {
        loop {
            // No await between inspecting and consuming bytes, so a dropped future loses none.
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

    fn finish(&mut self) -> BoundedLine {
        let line = std::mem::take(&mut self.line);
        match self.overflow.take() {
            None => BoundedLine::Whole(line),
            Some((tail, bytes)) => BoundedLine::Cut { head: line, tail, bytes },
        }
    }
}

/// Appends bytes to a line; beyond the limit only both ends are kept.
fn take(line: &mut Vec<u8>, overflow: &mut Option<(Vec<u8>, usize)>, bytes: &[u8], limit: usize) {
    if overflow.is_none() && line.len() + bytes.len() <= limit {
        line.extend_from_slice(bytes);
        return;
    }
    let (tail, length) = overflow.get_or_insert_with(|| {
        let tail = line.split_off(line.len().min(KEPT_BYTES));
        let length = line.len() + tail.len();
        line.shrink_to_fit();
        (tail, length)
    });
    *length += bytes.len();
    tail.extend_from_slice(bytes);
    let surplus = tail.len().saturating_sub(KEPT_BYTES);
    tail.drain(..surplus);
    tail.shrink_to(2 * KEPT_BYTES);
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(text: &[u8], limit: usize) -> Vec<BoundedLine> {
        let mut lines = BoundedLines::new(text, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn splits_at_line_ends_and_ignores_the_rest() {
        let expected = [b"one".to_vec(), Vec::new(), b"two".to_vec()].map(BoundedLine::Whole);
        assert_eq!(lines_of(b"one\n\ntwo\nrest", 3).await, expected);
    }

    #[tokio::test]
    async fn keeps_both_ends_of_a_long_line_and_reads_the_next_one() {
        let text = [b"a".repeat(100_000), b"z\nnext\n".to_vec()].concat();
        let lines = lines_of(&text, 10_000).await;
        let BoundedLine::Cut { head, tail, bytes } = &lines[0] else { panic!("{lines:?}") };
        assert_eq!((head.len(), tail.len(), *bytes), (KEPT_BYTES, KEPT_BYTES, 100_001));
        assert_eq!(tail.last(), Some(&b'z'));
        assert_eq!(lines[1], BoundedLine::Whole(b"next".to_vec()));
    }
}
