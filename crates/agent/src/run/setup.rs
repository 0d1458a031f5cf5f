//! Everything a run is given before it begins, and never again.
//!
//! It is plain data: whoever records it can build the same run later, on another machine, with other
//! templates and other tools about.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, Message, TimelineEventType, ToolDefinition};

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// How the agent works.
    pub strategy: IterationStrategy,
    /// The first messages: instructions, then the alert and the task.
    pub opening: Vec<Message>,
    /// What the model is told when its iterations are used up.
    pub conclusion_request: String,
    /// How the conclusion is shown in the timeline.
    pub conclusion_event: TimelineEventType,
    /// The tools the agent may call. Agents at the same servers share them.
    pub tools: Vec<Arc<ToolDefinition>>,
    /// Where it ends.
    pub limits: Limits,
}

/// Where a run ends, at the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Model calls before the conclusion is due, failed ones included.
    pub max_iterations: NonZeroU32,
    /// What happens when they are used up.
    pub at_limit: AtLimit,
    /// Tokens the run may use.
    pub token_budget: Option<u64>,
    /// Tokens the model can read at once.
    pub context_window: Option<u64>,
}

/// What happens when the iterations are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// The model is asked once more, without tools, for the best analysis from what is known.
    Conclude,
    /// The run fails.
    Fail,
}
