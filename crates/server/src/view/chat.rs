//! The chat after the end of a session, as it is sent.

use serde::Serialize;
use tarsy_domain::{ChatMessageId, ExecutionId, Timestamp};
use tarsy_store::ChatMessage;
use utoipa::ToSchema;

/// What was said in a chat.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatResponse {
    /// Questions and answers, in order.
    messages: Vec<ChatMessageResponse>,
    /// Whether the last question waits for its answer; another one is not taken until it has it.
    is_answering: bool,
}

/// A question or an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatMessageResponse {
    chat_message_id: ChatMessageId,
    /// The person who asked; null for the agent's answer.
    author: Option<String>,
    /// The execution that made the answer.
    execution_id: Option<ExecutionId>,
    content: String,
    created_at_us: Timestamp,
}

impl From<Vec<ChatMessage>> for ChatResponse {
    fn from(messages: Vec<ChatMessage>) -> Self {
        let is_answering = messages.last().is_some_and(|last| last.author.is_some());
        Self { messages: messages.into_iter().map(Into::into).collect(), is_answering }
    }
}

impl From<ChatMessage> for ChatMessageResponse {
    fn from(message: ChatMessage) -> Self {
        Self {
            chat_message_id: message.chat_message_id,
            author: message.author,
            execution_id: message.execution_id,
            content: message.content,
            created_at_us: message.created_at,
        }
    }
}
