//! The outcome of a recorded session, which a replay is compared with.

use serde::{Deserialize, Serialize};

use crate::conversation::message::Role;
use crate::conversation::usage::TokenUsage;
use crate::session::SessionStatus;
use crate::session::work::WorkStatus;

/// The outcome of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedOutcome {
    /// The status of the session.
    pub status: SessionStatus,
    /// The error message of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The final analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_analysis: Option<String>,
    /// The executive summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executive_summary: Option<String>,
    /// The executions of the chain in order, without those of the chat.
    pub executions: Vec<RecordedExecution>,
}

/// The outcome of an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedExecution {
    /// The agent, named as in `agents`.
    pub agent: String,
    /// The status of the execution.
    pub status: WorkStatus,
    /// The error message of the execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of model calls, summaries included.
    pub model_calls: usize,
    /// The number of tool calls.
    pub tool_calls: usize,
    /// The tokens that the execution consumed.
    pub usage: TokenUsage,
    /// The messages of the conversation.
    pub messages: Vec<MessageDigest>,
}

/// A message of a conversation, identified by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MessageDigest {
    /// The role of the message.
    pub role: Role,
    /// The SHA-256 of the message as JSON: its text, its tool calls and the provider state.
    pub sha256: String,
}
