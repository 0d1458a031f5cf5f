//! The chat about a session that has ended: questions and answers, in order.
//!
//! Each answer has its own execution. A question makes the session claimable again, so that any worker can
//! answer it and another one takes over if that worker is lost. Only one question can be open at a time.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{
    ChatId, ChatMessageData, ChatMessageId, EventPayload, ExecutionId, SessionId, SessionStatus, Timestamp,
};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::live::event::session_event;
use crate::live::signal::Signal;
use crate::queue::lease::Lease;
use crate::session::ending::status_of;
use crate::session::masked_values::upsert_masked_values;
use crate::{Store, StoreError};

/// A question or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Its id.
    pub chat_message_id: ChatMessageId,
    /// The author of a question; `None` for an answer of the agent.
    pub author: Option<String>,
    /// The execution of an answer.
    pub execution_id: Option<ExecutionId>,
    /// The text.
    pub content: String,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A question to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatQuestion {
    /// The question, masked.
    pub message: ChatMessage,
    /// The ledger of masked secrets as JSON text, if it has grown. It contains digests, not secrets.
    pub masked_values: Option<String>,
}

/// Creates a question in which nothing was masked.
impl From<ChatMessage> for ChatQuestion {
    fn from(message: ChatMessage) -> Self {
        Self { message, masked_values: None }
    }
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskOutcome {
    /// It was accepted, at this position in the chat, from 1.
    Asked(u64),
    /// The session has not ended.
    NotEnded(SessionStatus),
    /// The previous question has no answer yet.
    Unanswered,
}

impl Store {
    /// Asks a question about a session that has ended. A worker claims the session to answer it.
    pub async fn chat_ask(
        &self,
        session_id: SessionId,
        question: impl Into<ChatQuestion>,
    ) -> Result<AskOutcome, StoreError> {
        let question = Arc::new(question.into());
        let outcome = self
            .change_session(session_id, move |connection| {
                ask(connection, session_id, Arc::clone(&question)).boxed()
            })
            .await?;
        if matches!(outcome, AskOutcome::Asked(_)) {
            self.signal(Signal::Work).await;
        }
        Ok(outcome)
    }

    /// Records the answer to the open question and ends the lease. Returns the position of the answer in the
    /// chat.
    pub async fn chat_answer(&self, lease: Lease, answer: ChatMessage) -> Result<u64, StoreError> {
        let answer = Arc::new(answer);
        self.change_session(lease.session_id, move |connection| {
            record_answer(connection, lease, Arc::clone(&answer)).boxed()
        })
        .await
    }

    /// Returns the messages of the chat of a session.
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

async fn ask(
    connection: &mut DbConnection,
    session_id: SessionId,
    question: Arc<ChatQuestion>,
) -> Result<AskOutcome, StoreError> {
    // A session that has ended and is not claimable has no open question.
    let mut reopened = sql("
        update sessions
        set claimable_at_us = $2,
            worker = null,
            last_event_id = last_event_id + 1
        where session_id = $1
          and claimable_at_us is null
          and status in ")
    .bind(session_id)
    .bind(question.message.created_at);
    let ended = SessionStatus::ALL.iter().copied().filter(|status| status.is_terminal());
    reopened.push_list("{} returning last_event_id", ended.map(SessionStatus::as_str));
    let Some(reopened) = reopened.fetch_optional(connection).await? else {
        let status = status_of(connection, session_id).await?;
        let has_ended = status.is_terminal();
        return Ok(if has_ended { AskOutcome::Unanswered } else { AskOutcome::NotEnded(status) });
    };
    let last_event_id = reopened.count("last_event_id")?;
    if let Some(record) = &question.masked_values {
        upsert_masked_values(session_id, record).execute(connection).await?;
    }
    insert_message(connection, session_id, &question.message, last_event_id).await.map(AskOutcome::Asked)
}

async fn record_answer(
    connection: &mut DbConnection,
    lease: Lease,
    answer: Arc<ChatMessage>,
) -> Result<u64, StoreError> {
    let released = sql("
        update sessions
        set claimable_at_us = null,
            fence = fence + 1,
            current_step = null,
            last_event_id = last_event_id + 1
        where session_id = $1
          and fence = $2
        returning last_event_id")
    .bind(lease.session_id)
    .bind(lease.fence)
    .fetch_optional(connection)
    .await?;
    let last_event_id = released.ok_or_else(|| lease.lost())?.count("last_event_id")?;
    insert_message(connection, lease.session_id, &answer, last_event_id).await
}

/// Adds a message to the chat of a session and returns its position. The first message creates the chat.
///
/// The caller has increased the event counter of the session, which locks its row, so that positions are
/// unique.
async fn insert_message(
    connection: &mut DbConnection,
    session_id: SessionId,
    message: &ChatMessage,
    last_event_id: u64,
) -> Result<u64, StoreError> {
    let chat_id = chat_of(connection, session_id, message.created_at).await?;
    let counted = sql("select count(*) as messages from chat_messages where chat_id = $1").bind(chat_id);
    let sequence = counted.fetch_one(connection).await?.count("messages")? + 1;
    let chat_message_id = message.chat_message_id;
    let event = EventPayload::ChatMessage(ChatMessageData { session_id, chat_message_id, sequence });
    let at = message.created_at;
    let insert = sql("
        insert into chat_messages
          (chat_message_id, chat_id, session_id, execution_id, sequence, author, content, created_at_us)
        values ($1, $2, $3, $4, $5, $6, $7, $8)")
    .bind(message.chat_message_id)
    .bind(chat_id)
    .bind(session_id)
    .bind(message.execution_id)
    .bind(sequence)
    .bind(message.author.as_ref())
    .bind(&message.content)
    .bind(at);
    let event = session_event(session_id, &event, last_event_id, at);
    execute_together(connection, vec![insert, event]).await?;
    Ok(sequence)
}

/// Returns the chat of a session, which is created if it does not exist.
async fn chat_of(
    connection: &mut DbConnection,
    session_id: SessionId,
    at: Timestamp,
) -> Result<ChatId, StoreError> {
    let chat = sql("
        insert into chats (chat_id, session_id, created_at_us)
        values ($1, $2, $3)
        on conflict (session_id) do update
        set created_at_us = chats.created_at_us
        returning chat_id")
    .bind(ChatId::new())
    .bind(session_id)
    .bind(at);
    chat.fetch_one(connection).await?.id("chat_id")
}

impl ChatMessage {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            chat_message_id: row.id("chat_message_id")?,
            author: row.get("author")?,
            execution_id: row.optional_id("execution_id")?,
            content: row.get("content")?,
            created_at: row.time("created_at_us")?,
        })
    }
}
