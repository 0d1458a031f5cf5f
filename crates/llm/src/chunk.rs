//! The parts of a reply, in the order in which they arrive.

use serde::{Deserialize, Serialize};
use tarsy_domain::{CodeExecution, Grounding, ModelFailure, TokenUsage, ToolCall};

use crate::Origin;

/// One part of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chunk {
    /// The model that is called. The first chunk of every attempt.
    From(Origin),
    /// A model failed, and the next one is called.
    Fallback {
        /// The model that failed.
        failed: Origin,
        /// The failure.
        failure: ModelFailure,
    },
    /// More text.
    Text(String),
    /// More reasoning.
    Thinking(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// Code that the vendor ran.
    CodeExecution(CodeExecution),
    /// Web sources.
    Grounding(Grounding),
    /// The reply ends here because the model reached its output limit.
    CutOff,
    /// Token usage so far; the last one counts.
    Usage(TokenUsage),
    /// The provider's opaque state of the whole reply, as JSON text. The last chunk, if there is one.
    State(String),
}

impl Chunk {
    /// Returns whether the chunk is a part of the reply, after which the call is not retried. Metadata is not
    /// a part: vendors report usage before the first text, and empty replies have usage too.
    pub(crate) fn is_part(&self) -> bool {
        match self {
            Self::From(_) | Self::Fallback { .. } | Self::CutOff | Self::Usage(_) | Self::State(_) => false,
            Self::Text(_)
            | Self::Thinking(_)
            | Self::ToolCall(_)
            | Self::CodeExecution(_)
            | Self::Grounding(_) => true,
        }
    }

    /// Returns whether the chunk has content that an agent can use; a reply without any such chunk is empty.
    pub(crate) fn has_content(&self) -> bool {
        match self {
            Self::Text(text) => !text.trim().is_empty(),
            Self::ToolCall(_) => true,
            Self::From(_)
            | Self::Fallback { .. }
            | Self::Thinking(_)
            | Self::CodeExecution(_)
            | Self::Grounding(_)
            | Self::CutOff
            | Self::Usage(_)
            | Self::State(_) => false,
        }
    }
}
