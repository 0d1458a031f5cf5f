//! A message of a conversation with a model, and who speaks in it.
//!
//! A message keeps the provider's opaque reasoning state beside its text, so that the next turn can send it
//! back unchanged. What is said when is the agent core's decision; how it travels is the provider's.

use serde::{Deserialize, Serialize};

use crate::tool::ToolCall;
use crate::string_enum::string_enum;

string_enum! {
    /// Who a message is from.
    pub enum Role {
        /// The instructions.
        System = "system",
        /// The alert, the task, observations and feedback.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The result of a bound tool.
        Tool = "tool",
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// The tools an assistant message asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that a tool message is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The provider's opaque state, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<String>,
}

impl Message {
    /// Instructions to the model.
    pub fn system(content: impl Into<String>) -> Self {
        Self::plain(Role::System, content.into())
    }

    /// Something said to the model.
    pub fn user(content: impl Into<String>) -> Self {
        Self::plain(Role::User, content.into())
    }

    /// Something the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, content.into())
    }

    /// The result of a bound tool.
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
