//! A request to a model.

use std::sync::Arc;

use tarsy_domain::{Message, ToolDefinition};

/// A conversation, and what the model may use to continue it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The whole conversation.
    pub messages: Vec<Arc<Message>>,
    /// The tools to bind, by their canonical names.
    pub tools: Arc<[Arc<ToolDefinition>]>,
    /// The vendor's own tools to enable.
    pub native_tools: NativeTools,
    /// Texts at which the reply ends; they are not part of it.
    pub stop_sequences: &'static [&'static str],
    /// Identifies the conversation.
    pub tags: Tags,
}

/// Tools that the vendor runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NativeTools {
    /// Web search.
    pub google_search: bool,
    /// Code execution.
    pub code_execution: bool,
    /// Fetching of pages that the conversation mentions.
    pub url_context: bool,
}

/// Identifies a call. Model services and recordings use it; it is never sent to vendors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// The session.
    pub session_id: String,
    /// The execution.
    pub execution_id: String,
    /// The stage's name.
    pub stage: String,
    /// The agent's name.
    pub agent: String,
    /// The number of the call among those of the execution, from 1.
    pub turn: u32,
    /// The question of a chat, if the call belongs to one. It is not sent to model services.
    pub question: Option<String>,
}

impl NativeTools {
    /// Returns whether any of them is enabled.
    pub fn any(self) -> bool {
        self.google_search || self.code_execution || self.url_context
    }
}
