//! Messages of a channel.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Channel, ChatMessageData, EventType, ExecutionStatusData, GapData, InteractionData, SessionProgressData,
    SessionStatusData, StageStatusData, StreamChunkData, StreamEndedData, TimelineEntryData,
};
use crate::Timestamp;

/// A message of a channel. `type` selects the content of `data`.
///
/// A client that meets an unknown type skips the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ChannelMessage {
    /// A session was created or its status changed. Stored.
    #[serde(rename = "session.status")]
    SessionStatus(LiveMessage<SessionStatusData>),
    /// The progress of a session. Stored in the channel of the session, not stored in the channel `sessions`.
    #[serde(rename = "session.progress")]
    SessionProgress(LiveMessage<SessionProgressData>),
    /// The status of a stage changed. Stored.
    #[serde(rename = "stage.status")]
    StageStatus(LiveMessage<StageStatusData>),
    /// The status of an execution changed. Stored.
    #[serde(rename = "execution.status")]
    ExecutionStatus(LiveMessage<ExecutionStatusData>),
    /// A timeline entry was recorded. Stored.
    #[serde(rename = "timeline_event.completed")]
    TimelineEventCompleted(LiveMessage<CompletedEntryData>),
    /// A model or tool call was recorded. Stored.
    #[serde(rename = "interaction.created")]
    InteractionCreated(LiveMessage<InteractionData>),
    /// A question or a reply was added to the chat. Stored.
    #[serde(rename = "chat.message")]
    ChatMessage(LiveMessage<ChatMessageData>),
    /// A chunk of a text that is being streamed. Not stored.
    #[serde(rename = "stream.chunk")]
    StreamChunk(LiveMessage<StreamChunkData>),
    /// A streamed text ended without being recorded. Not stored.
    #[serde(rename = "stream.ended")]
    StreamEnded(LiveMessage<StreamEndedData>),
    /// Events that cannot be delivered. Not stored.
    #[serde(rename = "gap")]
    Gap(LiveMessage<GapData>),
}

/// The fields that all messages of a channel share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LiveMessage<Data> {
    /// The channel.
    pub channel: Channel,
    /// Position of a stored event in its channel, gapless from 1; missing if the message is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub event_id: Option<u64>,
    /// When a stored event happened; missing if the message is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub at_us: Option<Timestamp>,
    /// The content; its fields depend on the type of the message.
    pub data: Data,
}

/// A timeline entry with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CompletedEntryData {
    /// The stored event.
    #[serde(flatten)]
    pub entry: TimelineEntryData,
    /// The text of the entry.
    pub content: String,
    /// Values that belong to the entry, by name.
    #[cfg_attr(feature = "openapi", schema(value_type = std::collections::BTreeMap<String, Value>))]
    pub metadata: Map<String, Value>,
    /// Position of the entry in the session's timeline, gapless from 1.
    pub position: u64,
    /// When the entry first appeared.
    pub created_at_us: Timestamp,
}

impl<Data> LiveMessage<Data> {
    /// Returns a message that is not stored.
    pub const fn transient(channel: Channel, data: Data) -> Self {
        Self { channel, event_id: None, at_us: None, data }
    }
}

impl ChannelMessage {
    /// Returns the value of `type`.
    pub const fn message_type(&self) -> &'static str {
        match self {
            Self::SessionStatus(_) => EventType::SessionStatus.as_str(),
            Self::SessionProgress(_) => EventType::SessionProgress.as_str(),
            Self::StageStatus(_) => EventType::StageStatus.as_str(),
            Self::ExecutionStatus(_) => EventType::ExecutionStatus.as_str(),
            Self::TimelineEventCompleted(_) => EventType::TimelineEventCompleted.as_str(),
            Self::InteractionCreated(_) => EventType::InteractionCreated.as_str(),
            Self::ChatMessage(_) => EventType::ChatMessage.as_str(),
            Self::StreamChunk(_) => "stream.chunk",
            Self::StreamEnded(_) => "stream.ended",
            Self::Gap(_) => "gap",
        }
    }

    /// Serializes the message. This cannot fail: all keys are strings.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Returns the id of the stored event; None if the message is not stored.
    pub const fn event_id(&self) -> Option<u64> {
        match self {
            Self::SessionStatus(message) => message.event_id,
            Self::SessionProgress(message) => message.event_id,
            Self::StageStatus(message) => message.event_id,
            Self::ExecutionStatus(message) => message.event_id,
            Self::TimelineEventCompleted(message) => message.event_id,
            Self::InteractionCreated(message) => message.event_id,
            Self::ChatMessage(message) => message.event_id,
            Self::StreamChunk(message) => message.event_id,
            Self::StreamEnded(message) => message.event_id,
            Self::Gap(message) => message.event_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00000000-0000-0000-0000-000000000000";

    /// One message of each type.
    fn sent() -> [String; 10] {
        let stored = |message_type: &str, data: &str| {
            format!(
                r#"{{"type":"{message_type}","channel":"session:{ID}","event_id":7,"at_us":9,"data":{{"session_id":"{ID}",{data}}}}}"#
            )
        };
        let transient = |message_type: &str, data: &str| {
            format!(r#"{{"type":"{message_type}","channel":"sessions","data":{{{data}}}}}"#)
        };
        [
            stored("session.status", r#""status":"completed""#),
            stored(
                "session.progress",
                r#""alert_id":"a","status":"in_progress","current_step":null,"chain_id":"c","total_stages":2,"completed_stages":1,"ended_stages":1"#,
            ),
            stored("stage.status", &format!(r#""stage_id":"{ID}","status":"active""#)),
            stored("execution.status", &format!(r#""execution_id":"{ID}","status":"active""#)),
            stored(
                "timeline_event.completed",
                &format!(
                    r#""execution_id":null,"stage_id":null,"timeline_event_id":"{ID}","event_type":"warning","content":"Hm.","metadata":{{}},"position":3,"created_at_us":8"#
                ),
            ),
            stored(
                "interaction.created",
                &format!(r#""execution_id":"{ID}","kind":"mcp","interaction_id":"{ID}""#),
            ),
            stored("chat.message", &format!(r#""chat_message_id":"{ID}","sequence":1"#)),
            transient(
                "stream.chunk",
                &format!(
                    r#""session_id":"{ID}","stage_id":null,"execution_id":"{ID}","interaction_id":"{ID}","part":"text","from_start":true,"text":"I""#
                ),
            ),
            transient("stream.ended", &format!(r#""interaction_id":"{ID}""#)),
            transient("gap", ""),
        ]
    }

    #[test]
    fn messages_parse_and_keep_their_bytes() {
        for json in sent() {
            let message: ChannelMessage = serde_json::from_str(&json).unwrap();
            assert!(json.starts_with(&format!(r#"{{"type":"{}","#, message.message_type())));
            assert_eq!(message.event_id().is_some(), json.contains("event_id\":7"));
            assert_eq!(message.to_json(), json);
        }
    }

    #[test]
    fn progress_carries_its_details_or_none_of_them() {
        let [_, row_only, ..] = sent();
        let details = r#""ended_stages":1,"progress":50,"message":"Running.","current_stage":"look","current_agent":null,"stage_progress":[],"result":null,"error":null"#;
        let whole = row_only.replace(r#""ended_stages":1"#, details);
        for (json, has_details) in [(row_only, false), (whole, true)] {
            let message: ChannelMessage = serde_json::from_str(&json).unwrap();
            assert_eq!(message.to_json(), json);
            let ChannelMessage::SessionProgress(progress) = message else { panic!("{json}") };
            assert_eq!(progress.data.details.is_some(), has_details);
        }
    }

    #[test]
    fn progress_of_the_first_version_has_no_ended_stages() {
        let [_, progress, ..] = sent();
        let recorded = progress.replace(r#","ended_stages":1"#, "");
        let message: ChannelMessage = serde_json::from_str(&recorded).unwrap();
        let ChannelMessage::SessionProgress(progress) = message else { panic!("{recorded}") };
        assert_eq!((progress.data.completed_stages, progress.data.ended_stages), (1, 0));
    }
}
