//! The part of a reply that has been emitted. An error after it must contain it.

use tarsy_domain::TokenUsage;

use crate::{Chunk, ModelError};

/// What has been emitted.
#[derive(Default)]
pub(crate) struct PartialReply {
    text: String,
    usage: TokenUsage,
    has_content: bool,
}

impl PartialReply {
    /// Adds a chunk.
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        self.has_content |= chunk.has_content();
        match chunk {
            Chunk::Text(text) => self.text.push_str(text),
            Chunk::Usage(usage) => self.usage = *usage,
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff
            | Chunk::State(_) => {}
        }
    }

    /// Returns whether it has content that an agent can use.
    pub(crate) fn has_content(&self) -> bool {
        self.has_content
    }

    /// Returns the error with the text and usage so far. If there is no text, the error keeps its own: some
    /// providers return what they rejected.
    pub(crate) fn attach_to(&mut self, mut error: ModelError) -> ModelError {
        if !self.text.is_empty() {
            error.failure.partial_text = std::mem::take(&mut self.text);
        }
        error.failure.usage = self.usage;
        error
    }
}
