//! What a run wants next.

use std::sync::Arc;
use std::time::Duration;

use tarsy_domain::{LlmCallKind, Message, ToolCall, ToolDefinition};

use super::outcome::RunOutcome;

/// The next thing a run wants from the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A model's reply.
    Model(ModelAsk),
    /// The results of these calls. They may run at the same time; results are applied in this order.
    Tools(Vec<ToolCall>),
    /// Nothing: it is done.
    Done(RunOutcome),
}

/// A model call that a run wants.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAsk {
    /// What it is for.
    pub purpose: Purpose,
    /// Its number among all model calls of the run, from 1.
    pub call: u32,
    /// The iteration it belongs to, from 1.
    pub iteration: u32,
    /// The conversation as it is to be sent.
    pub messages: Vec<Arc<Message>>,
    /// The tools to bind.
    pub tools: Arc<[Arc<ToolDefinition>]>,
    /// How long to wait before the call, because earlier ones failed.
    pub pause: Duration,
}

/// What a model call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next turn of the loop.
    Iteration,
    /// The conclusion that is due because the iterations are used up.
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
}
