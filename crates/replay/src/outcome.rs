//! What came of a session, as an export tells it.

use serde::Deserialize;
use tarsy_domain::{Role, SessionStatus, TokenUsage, WorkStatus};

/// What came of a session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// How it ended.
    pub status: SessionStatus,
    /// Why it ended badly, if it did.
    pub error: Option<String>,
    /// The result.
    pub final_analysis: Option<String>,
    /// The paragraph for the busy reader.
    pub executive_summary: Option<String>,
    /// Everybody who investigated, stage by stage.
    pub executions: Vec<ExecutionOutcome>,
}

/// What came of an execution.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionOutcome {
    /// Who it was: `stage/agent`, or `agent`.
    pub agent: String,
    /// How it ended.
    pub status: WorkStatus,
    /// Why it has no result, or not the best one.
    pub error: Option<String>,
    /// Model calls, summaries included.
    pub model_calls: usize,
    /// Tool calls.
    pub tool_calls: usize,
    /// What they cost.
    pub usage: TokenUsage,
    /// The conversation.
    pub messages: Vec<MessageMark>,
}

/// What a message is known by.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageMark {
    /// Who speaks.
    pub role: Role,
    /// The digest of all that is said.
    pub sha256: String,
}

impl Outcome {
    /// The outcome in an exported cassette, which is JSON.
    pub fn of_export(mut cassette: serde_json::Value) -> Result<Self, serde_json::Error> {
        serde_json::from_value(cassette["session"]["outcome"].take())
    }
}
