//! A model's reply while it is being written, for those who watch. The record does not depend on it.

use tarsy_llm::Chunk;
use tarsy_store::{LivePart, LivePlace, LiveText, Store};

/// A reply under way. Whoever watches loses it when this is dropped: the record has it then, or nobody will.
pub(crate) struct LiveReply<'a> {
    store: &'a Store,
    place: LivePlace,
    thinking: Option<LiveText>,
    text: Option<LiveText>,
}

impl<'a> LiveReply<'a> {
    /// One of which nothing is written yet.
    pub(crate) fn new(store: &'a Store, place: LivePlace) -> Self {
        Self { store, place, thinking: None, text: None }
    }

    /// Shows what has arrived.
    pub(crate) fn show(&mut self, chunk: &Chunk) {
        let (part, slot, more) = match chunk {
            Chunk::Text(more) => (LivePart::Text, &mut self.text, more),
            Chunk::Thinking(more) => (LivePart::Thinking, &mut self.thinking, more),
            Chunk::From(_) => return self.start_over(),
            Chunk::Fallback { .. }
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::Usage(_)
            | Chunk::State(_) => return,
        };
        slot.get_or_insert_with(|| self.store.live_text(self.place, part)).add(more);
    }

    /// Another attempt begins; what the one before it said does not count.
    fn start_over(&self) {
        for text in [&self.thinking, &self.text].into_iter().flatten() {
            text.restart("");
        }
    }
}
