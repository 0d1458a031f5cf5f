//! The MCP servers of a recorded session: their tools, and the calls that reached them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An MCP server as the agents of a session saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedServer {
    /// The instructions about the server in the prompts, as configured at the time of the export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How long results are summarized, as configured at the time of the export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarization: Option<RecordedSummarization>,
    /// The tools as the agents saw them.
    pub definitions: Vec<RecordedTool>,
    /// The calls and their results, grouped by execution, in order.
    pub calls: Vec<RecordedToolCall>,
}

/// The settings for the summarization of long tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedSummarization {
    /// Whether a model summarizes long results.
    pub enabled: bool,
    /// The length in tokens above which a result is summarized.
    pub size_threshold_tokens: u32,
    /// The maximum length of a summary in tokens.
    pub summary_max_token_limit: u32,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedTool {
    /// The name of the tool on its server.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub input_schema: Value,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedToolCall {
    /// The caller, `stage/agent`.
    pub agent: String,
    /// The name of the tool on its server.
    pub tool: String,
    /// The arguments: an object, or the text that the model wrote.
    pub arguments: Value,
    /// The complete result, masked, before it was shortened.
    pub result: String,
    /// The kind of failure if the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The duration of the call in milliseconds.
    pub duration_ms: u64,
}
