//! Timeline metadata of tool calls and tool results.
//!
//! [`Record`](super::Record) writes it with the entry, and the trails in later prompts are built from it. The
//! JSON keys are part of the API and of recorded sessions.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::{ToolCall, ToolName, ToolResult, ToolStatus};

/// The tool that a timeline entry is about. All fields are empty for entries that are not about a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolMetadata {
    /// MCP server; empty for a tool name without one.
    pub server_name: String,
    /// Tool, without its server.
    pub tool_name: String,
    /// The model's id of the call.
    pub tool_call_id: String,
}

/// Metadata of a tool call.
#[derive(Serialize)]
pub(super) struct ToolCallMetadata {
    #[serde(flatten)]
    tool: ToolMetadata,
    /// The arguments; a string if they are not JSON.
    arguments: Value,
}

/// Metadata of a tool result.
#[derive(Serialize)]
pub(super) struct ToolResultMetadata {
    #[serde(flatten)]
    tool: ToolMetadata,
    status: ToolStatus,
    is_error: bool,
    /// How often the same call has returned the same result, if more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    times_repeated: Option<u32>,
}

impl ToolMetadata {
    fn of(call: &ToolCall) -> Self {
        let (server, tool) = ToolName::parse(&call.name).into_parts();
        Self { server_name: server.to_owned(), tool_name: tool.to_owned(), tool_call_id: call.id.clone() }
    }

    /// Returns the tool, or `None` if the entry is not about one.
    pub fn tool(&self) -> Option<ToolName<'_>> {
        (!self.tool_name.is_empty()).then(|| ToolName::from_parts(&self.server_name, &self.tool_name))
    }
}

impl ToolCallMetadata {
    pub(super) fn new(call: &ToolCall) -> Self {
        let arguments = serde_json::from_str(&call.arguments);
        let arguments = arguments.unwrap_or_else(|_| Value::from(call.arguments.as_str()));
        Self { tool: ToolMetadata::of(call), arguments }
    }
}

impl ToolResultMetadata {
    pub(super) fn new(call: &ToolCall, result: &ToolResult, times: u32) -> Self {
        Self {
            tool: ToolMetadata::of(call),
            status: result.status,
            is_error: result.status != ToolStatus::Ok,
            times_repeated: Some(times).filter(|times| *times > 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::TokenUsage;

    use super::*;

    fn call() -> ToolCall {
        ToolCall { id: "c1".to_owned(), name: "k8s.pods".to_owned(), arguments: "{\"a\":1}".to_owned() }
    }

    fn result() -> ToolResult {
        ToolResult {
            shortened: false,
            call_id: "c1".to_owned(),
            content: String::new(),
            status: ToolStatus::TimedOut,
            usage: TokenUsage::default(),
        }
    }

    #[test]
    fn keeps_the_recorded_json() {
        let metadata = serde_json::to_value(ToolCallMetadata::new(&call())).unwrap();
        let expected = json!({ "server_name": "k8s", "tool_name": "pods", "tool_call_id": "c1", "arguments": { "a": 1 } });
        assert_eq!(metadata, expected);
        let metadata = serde_json::to_value(ToolResultMetadata::new(&call(), &result(), 2)).unwrap();
        let expected = json!({
            "server_name": "k8s", "tool_name": "pods", "tool_call_id": "c1",
            "status": "timed_out", "is_error": true, "times_repeated": 2,
        });
        assert_eq!(metadata, expected);
    }

    #[test]
    fn reads_the_tool_of_an_entry() {
        for (metadata, expected) in [
            (json!({ "server_name": "k8s", "tool_name": "pods", "status": "ok" }), Some("k8s.pods")),
            (json!({ "server_name": "", "tool_name": "pods" }), Some("pods")),
            (json!({ "source": "native" }), None),
            (json!({}), None),
        ] {
            let metadata: ToolMetadata = serde_json::from_value(metadata).unwrap();
            assert_eq!(metadata.tool().map(|tool| tool.to_string()).as_deref(), expected);
        }
    }
}
