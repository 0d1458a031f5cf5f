//! What a model is asked.

use std::sync::Arc;

use tarsy_domain::{Message, ToolDefinition};

/// A conversation to be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The whole conversation.
    pub messages: Vec<Arc<Message>>,
    /// The tools to bind, by their canonical names.
    pub tools: Arc<[Arc<ToolDefinition>]>,
    /// The vendor's own tools to switch on.
    pub native_tools: NativeTools,
    /// Whose conversation it is.
    pub tags: Tags,
}

/// Tools that the vendor itself runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NativeTools {
    /// Search on the web.
    pub google_search: bool,
    /// Running code.
    pub code_execution: bool,
    /// Reading pages that the conversation names.
    pub url_context: bool,
}

/// Names that tell conversations apart: model services and recordings use them, vendors never see them.
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
    /// The question that is answered, where somebody asked one in a chat. Model services are not told.
    pub question: Option<String>,
}

impl NativeTools {
    /// Whether any is on.
    pub fn any(self) -> bool {
        self.google_search || self.code_execution || self.url_context
    }
}
