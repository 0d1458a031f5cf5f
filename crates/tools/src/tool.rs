//! A tool that an MCP server offers.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::Value;
use tarsy_domain::{ToolDefinition, ToolName};

/// A tool with its definition and the hints that its server gives.
///
/// Hints decide whether a call may be retried, never whether it is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// The definition that models receive. Its name is canonical, `server.tool`.
    pub definition: Arc<ToolDefinition>,
    /// Display name.
    pub title: Option<String>,
    /// The tool has no side effects.
    pub read_only: bool,
    /// Repeating a call has no further effect.
    pub idempotent: bool,
    /// The tool may change or delete existing data.
    pub destructive: bool,
    /// The tool reaches systems beyond the server itself.
    pub open_world: bool,
}

impl ToolInfo {
    /// Converts a listed tool. Missing hints get the defaults of the protocol, which are the worst case.
    pub(crate) fn new(server: &str, tool: Tool) -> Self {
        let hints = tool.annotations.unwrap_or_default();
        let read_only = hints.read_only_hint.unwrap_or(false);
        Self {
            definition: Arc::new(ToolDefinition {
                name: ToolName::from_parts(server, &tool.name).to_string(),
                description: tool.description.unwrap_or_default().into_owned(),
                input_schema: Value::Object(tool.input_schema.as_ref().clone()),
            }),
            title: tool.title.or(hints.title),
            read_only,
            idempotent: hints.idempotent_hint.unwrap_or(false),
            destructive: !read_only && hints.destructive_hint.unwrap_or(true),
            open_world: hints.open_world_hint.unwrap_or(true),
        }
    }

    /// Returns whether a call with an unknown outcome may be retried.
    pub fn may_repeat(&self) -> bool {
        self.read_only || self.idempotent
    }
}
