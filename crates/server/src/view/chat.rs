//! Response bodies of the chat.

use serde::Serialize;
use tarsy_domain::{ChatMessageId, ExecutionId, Timestamp};
use tarsy_store::ChatMessage;
use utoipa::ToSchema;

/// The chat of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatResponse {
    /// Questions and replies, in order.
    messages: Vec<ChatMessageResponse>,
    /// Whether the last question has no reply yet. No further question is accepted until it has one.
    is_answering: bool,
}

/// A question or a reply.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatMessageResponse {
    /// Id of the message.
    chat_message_id: ChatMessageId,
    /// Author of the question; null for a reply of the agent.
    author: Option<String>,
    /// The execution that produced the reply; null for a question.
    execution_id: Option<ExecutionId>,
    /// Text of the message.
    content: String,
    /// When the message was added.
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
