//! The input of a run, fixed before it starts.
//!
//! It is plain data that is recorded with the execution, so that the same run can be rebuilt later, on
//! another machine and with other templates and tools.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, Message, TimelineEventType, ToolDefinition};

/// The input of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Iteration strategy of the agent.
    pub strategy: IterationStrategy,
    /// Opening messages: instructions, then the alert and the task.
    pub opening: Vec<Message>,
    /// Message to the model when it reaches the iteration limit.
    pub conclusion_request: String,
    /// Type of the timeline entry of the conclusion.
    pub conclusion_event: TimelineEventType,
    /// The tools the agent can call. Agents with the same servers share them.
    pub tools: Vec<Arc<ToolDefinition>>,
    /// Limits of the run.
    pub limits: Limits,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum number of iterations, including failed model calls.
    pub max_iterations: NonZeroU32,
    /// What happens when the iteration limit is reached.
    pub at_limit: AtLimit,
    /// Maximum number of tokens of the run.
    pub token_budget: Option<u64>,
    /// Context window of the model in tokens.
    pub context_window: Option<u64>,
}

/// What happens when the iteration limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// The model is called for a conclusion, without tools.
    Conclude,
    /// The run fails.
    Fail,
}
