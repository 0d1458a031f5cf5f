//! A tool that an agent may call, and a call of it.
//!
//! Names are canonical here: `server.tool`. What a vendor's API makes of them is the provider's affair, and
//! where a tool runs is the tool box's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::TokenUsage;
use crate::string_enum::string_enum;

/// A tool as it is described to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Canonical name, `server.tool`.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A tool call as a model asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolCall {
    /// The provider's id for the call; the result is linked by it.
    pub id: String,
    /// Canonical name, `server.tool`.
    pub name: String,
    /// The arguments as JSON text, exactly as the model wrote them.
    pub arguments: String,
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: String,
    /// What the model is told: the result, masked and cut to size, or what went wrong.
    pub content: String,
    /// How it went.
    pub status: ToolStatus,
    /// What models used to make it short enough.
    #[serde(default)]
    pub usage: TokenUsage,
}

string_enum! {
    /// How a tool call went.
    pub enum ToolStatus {
        /// The tool answered.
        Ok = "ok",
        /// The tool answered with an error, or could not be run.
        Error = "error",
        /// No answer came in time.
        TimedOut = "timed_out",
    }
}
