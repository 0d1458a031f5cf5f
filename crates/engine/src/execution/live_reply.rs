//! A model's reply while it is streamed to clients. The record does not depend on it.

use tarsy_domain::LivePart;
use tarsy_llm::Chunk;
use tarsy_store::{LiveText, LiveTextScope, Store};

/// A reply in progress. Clients stop seeing it when this is dropped: by then it is recorded, or was given up.
pub(crate) struct LiveReply<'a> {
    store: &'a Store,
    place: LiveTextScope,
    thinking: Option<LiveText>,
    text: Option<LiveText>,
}

impl<'a> LiveReply<'a> {
    /// Creates a reply without text.
    pub(crate) fn new(store: &'a Store, place: LiveTextScope) -> Self {
        Self { store, place, thinking: None, text: None }
    }

    /// Sends a chunk to clients.
    pub(crate) fn show(&mut self, chunk: &Chunk) {
        let (part, slot, delta) = match chunk {
            Chunk::Text(delta) => (LivePart::Text, &mut self.text, delta),
            Chunk::Thinking(delta) => (LivePart::Thinking, &mut self.thinking, delta),
            Chunk::From(_) => return self.start_over(),
            Chunk::Fallback { .. }
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff
            | Chunk::Usage(_)
            | Chunk::State(_) => return,
        };
        slot.get_or_insert_with(|| self.store.live_text(self.place, part)).add(delta);
    }

    /// Discards the text of the previous attempt when another attempt starts.
    fn start_over(&self) {
        for text in [&self.thinking, &self.text].into_iter().flatten() {
            text.restart("");
        }
    }
}
