//! A tool of a server, as agents and the record know it.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::Value;
use tarsy_domain::ToolDefinition;

/// A tool with what its server says about calling it.
///
/// The words of the server are hints: they decide whether a call may be made twice, never whether it may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// What a model is told. The name is canonical, `server.tool`.
    pub definition: Arc<ToolDefinition>,
    /// A name for people.
    pub title: Option<String>,
    /// Changes nothing.
    pub read_only: bool,
    /// Called twice, it does the same as called once.
    pub idempotent: bool,
    /// May change or remove what is there.
    pub destructive: bool,
    /// Reaches beyond what the server itself holds.
    pub open_world: bool,
}

impl ToolInfo {
    /// A tool as its server lists it. What the server does not say is assumed as the protocol wants it: the worst.
    pub(crate) fn of(server: &str, tool: Tool) -> Self {
        let hints = tool.annotations.unwrap_or_default();
        let read_only = hints.read_only_hint.unwrap_or(false);
        Self {
            definition: Arc::new(ToolDefinition {
                name: format!("{server}.{}", tool.name),
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

    /// Whether a call whose end is unknown may be made once more.
    pub fn may_repeat(&self) -> bool {
        self.read_only || self.idempotent
    }
}
