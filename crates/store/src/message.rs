//! The conversation between an execution and its model, message by message.
//!
//! A message keeps the provider's opaque reasoning state beside its text, so that the next turn, a restart or
//! another replica can send it back unchanged.

use tarsy_domain::{ExecutionId, MessageId, Role, ToolCall};

use crate::row::Row;
use crate::sql::{Bind, Sql, insert, sql};
use crate::step::Place;
use crate::{Store, StoreError};

/// A message to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id.
    pub message_id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// The tools an assistant message asks for.
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// The tool that a tool message is from.
    pub tool_name: Option<String>,
    /// The provider's opaque state, as JSON text.
    pub provider_state: Option<String>,
}

/// A recorded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its place in the conversation, gapless from 1.
    pub sequence: u64,
    /// The message.
    pub message: NewMessage,
}

impl Store {
    /// An execution's conversation from its beginning.
    pub async fn message_list(&self, execution_id: ExecutionId) -> Result<Vec<Message>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select message_id, sequence, role, content, tool_calls, tool_call_id, tool_name, provider_state
            from messages
            where execution_id = $1
            order by sequence")
        .bind(execution_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(Message::decode).collect()
    }
}

/// The insert of messages, the last of which gets `last_sequence`; none if there are none.
pub(crate) fn insert_messages(place: Place, messages: &[NewMessage], last_sequence: u64) -> Option<Sql> {
    if messages.is_empty() {
        return None;
    }
    let first_sequence = last_sequence + 1 - messages.len() as u64;
    let rows = (first_sequence..).zip(messages).map(|(sequence, message)| {
        vec![
            message.message_id.argument(),
            place.execution_id.argument(),
            sequence.argument(),
            message.role.as_str().argument(),
            message.content.as_str().argument(),
            tool_calls_text(&message.tool_calls).argument(),
            message.tool_call_id.as_deref().argument(),
            message.tool_name.as_deref().argument(),
            message.provider_state.as_deref().argument(),
            place.at.argument(),
        ]
    });
    let columns = [
        "message_id",
        "execution_id",
        "sequence",
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "tool_name",
        "provider_state",
        "created_at_us",
    ];
    Some(insert("messages", &columns, rows.collect()))
}

fn tool_calls_text(tool_calls: &[ToolCall]) -> Option<String> {
    (!tool_calls.is_empty()).then(|| serde_json::json!(tool_calls).to_string())
}

impl Message {
    fn decode(row: &Row) -> Result<Self, StoreError> {
        let tool_calls: Option<String> = row.get("tool_calls")?;
        let tool_calls = tool_calls.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            sequence: row.count("sequence")?,
            message: NewMessage {
                message_id: row.id("message_id")?,
                role: row.word("role")?,
                content: row.get("content")?,
                tool_calls: tool_calls
                    .map_err(|error| StoreError::Corrupt {
                        column: "tool_calls".to_owned(),
                        problem: error.to_string(),
                    })?
                    .unwrap_or_default(),
                tool_call_id: row.get("tool_call_id")?,
                tool_name: row.get("tool_name")?,
                provider_state: row.get("provider_state")?,
            },
        })
    }
}
