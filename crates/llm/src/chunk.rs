//! The parts of a reply, in the order in which they arrive.

use serde::{Deserialize, Serialize};
use tarsy_domain::{CodeExecution, Grounding, ModelFailure, TokenUsage, ToolCall};

use crate::Origin;

/// One part of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chunk {
    /// Who is asked. It comes first, and again with each further attempt.
    From(Origin),
    /// A model could not answer, and another one is asked in its place.
    Fallback {
        /// The one that could not.
        failed: Origin,
        /// Why.
        failure: ModelFailure,
    },
    /// More of the text.
    Text(String),
    /// More of the model's reasoning.
    Thinking(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// Code that the vendor ran.
    CodeExecution(CodeExecution),
    /// Sources on the web.
    Grounding(Grounding),
    /// What the call has cost so far; the last one counts.
    Usage(TokenUsage),
    /// The provider's opaque state of the whole reply, as JSON text. It comes last, if at all.
    State(String),
}

impl Chunk {
    /// Whether it is a part of a reply, after which no other attempt can begin. What is only said about a reply is not:
    /// vendors tell the cost before the first word, and empty replies have a cost too.
    pub(crate) fn is_part(&self) -> bool {
        match self {
            Self::From(_) | Self::Fallback { .. } | Self::Usage(_) | Self::State(_) => false,
            Self::Text(_)
            | Self::Thinking(_)
            | Self::ToolCall(_)
            | Self::CodeExecution(_)
            | Self::Grounding(_) => true,
        }
    }

    /// Whether it holds something an agent can go on with; a reply without any such chunk is empty.
    pub(crate) fn says_something(&self) -> bool {
        match self {
            Self::Text(text) => !text.trim().is_empty(),
            Self::ToolCall(_) => true,
            Self::From(_)
            | Self::Fallback { .. }
            | Self::Thinking(_)
            | Self::CodeExecution(_)
            | Self::Grounding(_)
            | Self::Usage(_)
            | Self::State(_) => false,
        }
    }
}
