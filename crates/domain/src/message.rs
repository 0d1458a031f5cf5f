//! The words of a conversation with a model: who speaks, and which tools it asks for.
//!
//! Text and reasoning state are kept by the store as they came; this file only names the parts.

use serde::{Deserialize, Serialize};

use crate::word::word_enum;

word_enum! {
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

/// A tool call as a model asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id for the call; the result is linked by it.
    pub id: String,
    /// Canonical name, `server.tool`.
    pub name: String,
    /// The arguments as JSON text, exactly as the model wrote them.
    pub arguments: String,
}
