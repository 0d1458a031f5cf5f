//! Passes a reply through a filter that can hold back text and end the reply early.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};

use crate::{Chunk, ChunkStream, ModelError};

/// A filter of one reply.
pub(crate) trait ReplyFilter: Send + 'static {
    /// Handles a chunk.
    fn receive(&mut self, chunk: Chunk, output: &mut FilterOutput);

    /// Handles the end of the reply: emits the text that was held back.
    fn end(&mut self, output: &mut FilterOutput);

    /// Handles the failure of the reply, which is emitted next.
    fn fail(&mut self, output: &mut FilterOutput) {
        self.end(output);
    }
}

/// What a filter emits.
#[derive(Default)]
pub(crate) struct FilterOutput {
    /// Chunks that have not been returned yet.
    ready: VecDeque<Result<Chunk, ModelError>>,
    is_cancelled: bool,
}

impl FilterOutput {
    /// Emits a chunk.
    pub(crate) fn emit(&mut self, chunk: Chunk) {
        self.ready.push_back(Ok(chunk));
    }

    /// Emits a text, unless it is empty.
    pub(crate) fn emit_text(&mut self, text: String) {
        if !text.is_empty() {
            self.emit(Chunk::Text(text));
        }
    }

    /// Emits an error.
    pub(crate) fn emit_error(&mut self, error: ModelError) {
        self.ready.push_back(Err(error));
    }

    /// Cancels the request: the rest of the reply is not received.
    pub(crate) fn cancel(&mut self) {
        self.is_cancelled = true;
    }
}

/// Returns a reply as a filter emits it.
pub(crate) fn filtered(reply: ChunkStream, filter: impl ReplyFilter) -> ChunkStream {
    let filtered = FilteredReply { reply, filter, output: FilterOutput::default() };
    stream::unfold(
        filtered,
        |mut filtered| async move { filtered.next().await.map(|chunk| (chunk, filtered)) },
    )
    .boxed()
}

struct FilteredReply<F> {
    reply: ChunkStream,
    filter: F,
    output: FilterOutput,
}

impl<F: ReplyFilter> FilteredReply<F> {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if self.output.is_cancelled {
                // Dropping the stream cancels the request.
                self.reply = stream::empty().boxed();
            }
            if let Some(chunk) = self.output.ready.pop_front() {
                return Some(chunk);
            }
            match self.reply.next().await {
                Some(Ok(chunk)) => self.filter.receive(chunk, &mut self.output),
                Some(Err(error)) => {
                    self.filter.fail(&mut self.output);
                    self.output.emit_error(error);
                }
                None => {
                    // A stream must not be polled after its end.
                    self.reply = stream::empty().boxed();
                    self.filter.end(&mut self.output);
                    return self.output.ready.pop_front();
                }
            }
        }
    }
}
