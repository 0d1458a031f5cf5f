//! The conversation between an execution and its model.
//!
//! A message keeps the provider's opaque reasoning state next to its text, so that the next call, also by
//! another process after a restart, can send it back unchanged.

use tarsy_domain::{ExecutionId, Message, MessageId, ToolCall};

use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::json::encode_json;
use crate::step::write_context::WriteContext;
use crate::{Store, StoreError};

/// A message to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id.
    pub message_id: MessageId,
    /// The message.
    pub message: Message,
}

/// A recorded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedMessage {
    /// Its position in the conversation, from 1 without gaps.
    pub sequence: u64,
    /// The message.
    pub message: NewMessage,
}

impl Store {
    /// Returns the conversation of an execution.
    pub async fn message_list(&self, execution_id: ExecutionId) -> Result<Vec<RecordedMessage>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select message_id, sequence, role, content, tool_calls, tool_call_id, tool_name, provider_state
            from messages
            where execution_id = $1
            order by sequence")
        .bind(execution_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(RecordedMessage::decode).collect()
    }
}

/// Returns the inserts of messages. The last message gets `last_sequence`.
pub(crate) fn insert_messages(
    context: WriteContext,
    messages: &[NewMessage],
    last_sequence: u64,
) -> Result<Vec<Sql>, StoreError> {
    let first_sequence = last_sequence + 1 - messages.len() as u64;
    let insert = |(sequence, NewMessage { message_id, message }): (u64, &NewMessage)| {
        Ok(sql("
            insert into messages
              (message_id, execution_id, sequence, role, content, tool_calls, tool_call_id, tool_name, provider_state,
               created_at_us)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
        .bind(*message_id)
        .bind(context.execution_id)
        .bind(sequence)
        .bind(message.role.as_str())
        .bind(&message.content)
        .bind(encode_tool_calls(&message.tool_calls)?)
        .bind(message.tool_call_id.as_ref())
        .bind(message.tool_name.as_ref())
        .bind(message.provider_state.as_ref())
        .bind(context.at))
    };
    (first_sequence..).zip(messages).map(insert).collect()
}

fn encode_tool_calls(tool_calls: &[ToolCall]) -> Result<Option<String>, StoreError> {
    (!tool_calls.is_empty()).then(|| encode_json("tool_calls", tool_calls)).transpose()
}

impl RecordedMessage {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        let message = Message {
            role: row.parsed("role")?,
            content: row.get("content")?,
            tool_calls: row.optional_json("tool_calls")?.unwrap_or_default(),
            tool_call_id: row.get("tool_call_id")?,
            tool_name: row.get("tool_name")?,
            provider_state: row.get("provider_state")?,
        };
        Ok(Self {
            sequence: row.count("sequence")?,
            message: NewMessage { message_id: row.id("message_id")?, message },
        })
    }
}
