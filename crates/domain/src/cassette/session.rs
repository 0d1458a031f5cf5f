//! The session that a cassette was recorded from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::RecordedOutcome;
use super::tools::RecordedServer;

/// Everything besides the model replies that is needed to run a session again, and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedSession {
    /// The type of the alert.
    pub alert_type: String,
    /// The text of the alert, masked.
    pub alert: String,
    /// The text of the runbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// The MCP servers and tools that the alert selected.
    // JSON, because a session of another version may have a selection that this version would not accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_selection: Option<Value>,
    /// The resolved chain at the time of the alert.
    pub chain: Value,
    /// Prompt templates that replace built-in ones, by name, as configured at the time of the export.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<String, String>,
    /// The limits of the providers, by provider name.
    pub providers: BTreeMap<String, RecordedProvider>,
    /// The MCP servers, by name.
    pub tools: BTreeMap<String, RecordedServer>,
    /// The number of chat questions. The replies to them are in `agents`.
    pub questions: usize,
    /// The outcome of the session.
    pub outcome: RecordedOutcome,
}

/// The limits of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedProvider {
    /// The context window of the model in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The length in tokens at which tool results are truncated, as configured at the time of the export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_result_tokens: Option<u32>,
}
