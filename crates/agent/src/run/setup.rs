//! The input of a run, fixed before it starts.
//!
//! It is plain data that is recorded with the execution, so that the same run can be rebuilt later, on
//! another machine and with other templates and tools. The default of a field that an earlier version did
//! not record is the behavior of that version.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, Message, PromptProfile, TimelineEventType, ToolDefinition};

/// The input of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Iteration strategy of the agent.
    pub strategy: IterationStrategy,
    /// Profile of its prompt. With `compact`, bound tools have shortened schemas.
    #[serde(default)]
    pub prompt_profile: PromptProfile,
    /// Opening messages: instructions, then the alert and the task.
    pub opening: Vec<Message>,
    /// Message to the model when it reaches the iteration limit.
    pub conclusion_request: String,
    /// Type of the timeline entry of the conclusion.
    pub conclusion_event: TimelineEventType,
    /// The tools the agent can call. Agents with the same servers share them.
    pub tools: Vec<Arc<ToolDefinition>>,
    /// The tool that reads results in full, offered after the first result that was shortened. `None` if it
    /// is among `tools` from the start, or not offered at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_reader: Option<Arc<ToolDefinition>>,
    /// Limits of the run.
    pub limits: Limits,
    /// Rules that earlier versions did not have.
    #[serde(default)]
    pub rules: RunRules,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum number of iterations.
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

/// Rules of a run that earlier versions did not have. Their default is the behavior of those versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRules {
    /// Number of consecutive failed model calls after which the run fails.
    ///
    /// With it, a failed call adds nothing to the conversation, and a call that did not reach the model is
    /// no iteration. Without it, every failed call is an iteration and followed by a message to the model.
    pub max_failed_calls: Option<NonZeroU32>,
    /// Whether an agent that concludes before its first tool call is asked once to call one.
    pub request_tool_call: bool,
    /// Number of consecutive turns without news after which the agent must conclude: all results were known,
    /// or the same unusable reply came again. Other results of known calls, and other unusable replies, count
    /// as half a turn.
    pub max_turns_without_news: Option<NonZeroU32>,
}
