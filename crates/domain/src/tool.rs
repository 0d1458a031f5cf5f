//! Tools, tool calls and their results.
//!
//! Names are canonical: `server.tool`. Providers map them to what their vendor's API accepts, and the toolbox
//! routes calls to MCP servers.

pub(crate) mod filter;
pub(crate) mod lookup;
pub(crate) mod name;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::TokenUsage;
use crate::string_enum::string_enum;

/// The description of a tool that is sent to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Canonical name, `server.tool`.
    pub name: String,
    /// The server's description of the tool.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A tool call requested by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolCall {
    /// The provider's id of the call; the result refers to it.
    pub id: String,
    /// Canonical name, `server.tool`.
    pub name: String,
    /// The arguments as JSON text, exactly as the model wrote them.
    pub arguments: String,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The text delivered to the model: the masked and shortened result, or the error.
    pub content: String,
    /// The outcome.
    pub status: ToolStatus,
    /// Whether `content` is shorter than the recorded result, which `read_result` returns in full.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// Token usage of the model calls that summarized the result.
    #[serde(default)]
    pub usage: TokenUsage,
}

string_enum! {
    /// The outcome of a tool call.
    pub enum ToolStatus {
        /// The tool returned a result.
        Ok = "ok",
        /// The tool returned an error or could not be called.
        Error = "error",
        /// The call timed out.
        TimedOut = "timed_out",
    }
}
