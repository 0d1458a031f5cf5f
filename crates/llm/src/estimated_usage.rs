//! Token usage of a reply that was cut off here, before the provider reported it.
//!
//! Most providers report usage at the end of a reply. A request that is cancelled has no end, so the missing
//! counts are estimated from what was sent and received.

use tarsy_domain::{TokenUsage, dense_tokens, prose_tokens, prose_tokens_in};

use crate::{Chunk, ModelRequest};

/// Counts what was sent and received, for the case that the provider does not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UsageEstimate {
    /// Tokens sent.
    sent: u64,
    /// Bytes received.
    received: usize,
    reported: TokenUsage,
}

impl UsageEstimate {
    /// Estimates the input of a request.
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let messages = request.messages.iter().map(|message| {
            let calls: u64 = message.tool_calls.iter().map(|call| prose_tokens(&call.arguments)).sum();
            prose_tokens(&message.content) + calls
        });
        let tools = request
            .tools
            .iter()
            .map(|tool| prose_tokens(&tool.description) + dense_tokens(&tool.input_schema.to_string()));
        Self { sent: messages.chain(tools).sum(), ..Self::default() }
    }

    /// Adds a chunk.
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text(text) | Chunk::Thinking(text) => self.received += text.len(),
            Chunk::ToolCall(call) => self.received += call.arguments.len(),
            Chunk::Usage(usage) => self.reported = *usage,
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff
            | Chunk::State(_) => {}
        }
    }

    /// Returns the reported counts, with estimates where they are missing. A report from the middle of a
    /// reply may lag behind, so the larger count of the output applies.
    pub(crate) fn usage(self) -> TokenUsage {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = self.reported;
        TokenUsage {
            input_tokens: if input_tokens == 0 { self.sent } else { input_tokens },
            output_tokens: output_tokens.max(prose_tokens_in(self.received)),
            thinking_tokens,
            cached_tokens,
        }
    }
}
