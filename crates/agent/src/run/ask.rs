//! What a run needs next.

use std::sync::Arc;
use std::time::Duration;

use tarsy_domain::{LlmCallKind, Message, ToolCall, ToolDefinition};

use super::outcome::{ConclusionCause, RunOutcome};

/// What a run needs from its driver.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A reply of the model.
    Model(ModelAsk),
    /// The results of these calls. The calls can run in parallel; results are applied in this order.
    Tools(Vec<ToolCall>),
    /// Nothing: the run is done.
    Done(RunOutcome),
}

/// A model call that a run needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAsk {
    /// Purpose of the call.
    pub purpose: Purpose,
    /// Number among all model calls of the run, starting at 1.
    pub call: u32,
    /// Iteration of the call, starting at 1.
    pub iteration: u32,
    /// The conversation to send.
    pub messages: Vec<Arc<Message>>,
    /// The tools to bind.
    pub tools: Arc<[Arc<ToolDefinition>]>,
    /// Pause before the call, after earlier failures.
    pub pause: Duration,
}

/// The purpose of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next iteration of the loop.
    Iteration,
    /// The forced conclusion after the iteration limit is reached.
    ForcedConclusion,
}

impl Purpose {
    /// Returns the kind under which the call is recorded.
    pub const fn call_kind(self) -> LlmCallKind {
        match self {
            Self::Iteration => LlmCallKind::Iteration,
            Self::ForcedConclusion => LlmCallKind::ForcedConclusion,
        }
    }

    /// Returns why an agent that replies with its conclusion concludes.
    pub(super) const fn conclusion_cause(self) -> ConclusionCause {
        match self {
            Self::Iteration => ConclusionCause::Reached,
            Self::ForcedConclusion => ConclusionCause::Forced,
        }
    }
}
