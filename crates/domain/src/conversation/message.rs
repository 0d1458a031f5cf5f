//! Messages of a conversation with a model.
//!
//! A message keeps the provider's opaque reasoning state with its text, so that the next request can send it
//! back unchanged. The agent core decides which messages are sent; the providers encode them.

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;
use crate::tool::ToolCall;

string_enum! {
    /// The author of a message.
    pub enum Role {
        /// Instructions.
        System = "system",
        /// The alert, the task, observations and feedback.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The result of a bound tool.
        Tool = "tool",
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text.
    pub content: String,
    /// The tool calls that an assistant message requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call whose result a tool message carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool whose result a tool message carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The provider's opaque state, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<String>,
}

impl Message {
    /// Creates a system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self::plain(Role::System, content.into())
    }

    /// Creates a user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self::plain(Role::User, content.into())
    }

    /// Creates an assistant message without tool calls.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, content.into())
    }

    /// Creates the tool message that carries the result of `call`.
    pub fn tool(call: &ToolCall, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            tool_name: Some(call.name.clone()),
            ..Self::plain(Role::Tool, content.into())
        }
    }

    fn plain(role: Role, content: String) -> Self {
        Self {
            role,
            content,
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            provider_state: None,
        }
    }
}
