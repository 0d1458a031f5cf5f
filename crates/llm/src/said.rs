//! What of a reply has been given out, which an error after it must not lose.

use tarsy_domain::TokenUsage;

use crate::{Chunk, ModelError};

/// What has been given out.
#[derive(Default)]
pub(crate) struct Said {
    text: String,
    usage: TokenUsage,
    anything: bool,
}

impl Said {
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        self.anything |= chunk.says_something();
        match chunk {
            Chunk::Text(text) => self.text.push_str(text),
            Chunk::Usage(usage) => self.usage = *usage,
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::State(_) => {}
        }
    }

    /// Whether an agent could go on with it.
    pub(crate) fn says_something(&self) -> bool {
        self.anything
    }

    /// An error after good chunks says what had arrived.
    pub(crate) fn belong_to(&mut self, mut error: ModelError) -> ModelError {
        error.failure.partial_text = std::mem::take(&mut self.text);
        error.failure.usage = self.usage;
        error
    }
}
