//! The chat that people have with a finished session: questions and answers, in order.
//!
//! An answer is made by an execution of its own; this file only keeps what was said.

use futures_util::FutureExt;
use serde_json::json;
use tarsy_domain::{ChatId, ChatMessageId, EventType, ExecutionId, SessionId, Timestamp};

use crate::connection::Connection;
use crate::event::{NewEvent, session_event};
use crate::fetch::execute_together;
use crate::row::Row;
use crate::sql::sql;
use crate::{Store, StoreError};

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Its id.
    pub chat_message_id: ChatMessageId,
    /// The person who asked; none for the agent's answer.
    pub author: Option<String>,
    /// The execution that made the answer.
    pub execution_id: Option<ExecutionId>,
    /// The text.
    pub content: String,
    /// When.
    pub created_at: Timestamp,
}

impl Store {
    /// Adds to a session's chat, which begins with its first message; answers the message's place, from 1.
    pub async fn chat_message_insert(
        &self,
        session_id: SessionId,
        message: ChatMessage,
    ) -> Result<u64, StoreError> {
        self.write(move |connection| insert_message(connection, session_id, message.clone()).boxed()).await
    }

    /// What was said in a session's chat.
    pub async fn chat_message_list(&self, session_id: SessionId) -> Result<Vec<ChatMessage>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select chat_message_id, author, execution_id, content, created_at_us
            from chat_messages
            where session_id = $1
            order by sequence")
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(ChatMessage::decode).collect()
    }
}

async fn insert_message(
    connection: &mut Connection,
    session_id: SessionId,
    message: ChatMessage,
) -> Result<u64, StoreError> {
    // Raising the session's event counter locks its row, so that messages are numbered one by one.
    let raised = sql("
        update sessions
        set last_event_id = last_event_id + 1
        where session_id = $1
        returning last_event_id")
    .bind(session_id)
    .fetch_optional(connection)
    .await?;
    let raised =
        raised.ok_or_else(|| StoreError::NotFound { what: "session", id: session_id.to_string() })?;
    let chat_id = chat_of(connection, session_id, message.created_at).await?;
    let counted = sql("select count(*) as messages from chat_messages where chat_id = $1").bind(chat_id);
    let sequence = counted.fetch_one(connection).await?.count("messages")? + 1;
    let event = NewEvent {
        event_type: EventType::ChatMessage,
        payload: json!({
            "session_id": session_id, "chat_message_id": message.chat_message_id, "sequence": sequence,
        }),
    };
    let at = message.created_at;
    let said = sql("
        insert into chat_messages
          (chat_message_id, chat_id, session_id, execution_id, sequence, author, content, created_at_us)
        values ($1, $2, $3, $4, $5, $6, $7, $8)")
    .bind(message.chat_message_id)
    .bind(chat_id)
    .bind(session_id)
    .bind(message.execution_id)
    .bind(sequence)
    .bind(message.author)
    .bind(message.content)
    .bind(at);
    let told = session_event(session_id, &event, raised.count("last_event_id")?, at);
    execute_together(connection, vec![said, told]).await?;
    Ok(sequence)
}

/// The session's chat, begun if it has none.
async fn chat_of(
    connection: &mut Connection,
    session_id: SessionId,
    at: Timestamp,
) -> Result<ChatId, StoreError> {
    let begun = sql("
        insert into chats (chat_id, session_id, created_at_us)
        values ($1, $2, $3)
        on conflict (session_id) do update
        set created_at_us = chats.created_at_us
        returning chat_id")
    .bind(ChatId::new())
    .bind(session_id)
    .bind(at);
    begun.fetch_one(connection).await?.id("chat_id")
}

impl ChatMessage {
    fn decode(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            chat_message_id: row.id("chat_message_id")?,
            author: row.get("author")?,
            execution_id: row.optional_id("execution_id")?,
            content: row.get("content")?,
            created_at: row.time("created_at_us")?,
        })
    }
}
