//! Stored events: their types and payloads.
//!
//! An event records that something changed; ids within one channel are gapless, so a client that reconnects knows exactly
//! which events it missed. The payload holds ids and statuses only: details are read when the event is sent.

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;
use crate::{
    ChatMessageId, ExecutionId, InteractionId, SessionId, SessionStatus, StageId, TimelineEventId,
    TimelineEventType, WorkStatus,
};

string_enum! {
    /// The type of a stored event.
    pub enum EventType {
        /// A session was created or its status changed.
        SessionStatus = "session.status",
        /// The current step of a session changed.
        SessionProgress = "session.progress",
        /// The status of a stage changed.
        StageStatus = "stage.status",
        /// The status of an execution changed.
        ExecutionStatus = "execution.status",
        /// A timeline entry was recorded with its final text.
        TimelineEventCompleted = "timeline_event.completed",
        /// A model or tool call was recorded.
        InteractionCreated = "interaction.created",
        /// A question or a reply was added to the chat.
        ChatMessage = "chat.message",
    }
}

string_enum! {
    /// The kind of a recorded interaction.
    pub enum InteractionKind {
        /// A model call.
        Llm = "llm",
        /// A tool call.
        Mcp = "mcp",
    }
}

/// The payload of a stored event. It serializes as the JSON object of its variant; the type is stored separately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum EventPayload {
    /// Payload of `session.status`.
    SessionStatus(SessionStatusData),
    /// Payload of `session.progress`.
    SessionProgress(CurrentStepData),
    /// Payload of `stage.status`.
    StageStatus(StageStatusData),
    /// Payload of `execution.status`.
    ExecutionStatus(ExecutionStatusData),
    /// Payload of `timeline_event.completed`.
    TimelineEventCompleted(TimelineEntryData),
    /// Payload of `interaction.created`.
    InteractionCreated(InteractionData),
    /// Payload of `chat.message`.
    ChatMessage(ChatMessageData),
}

/// A session and its new status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionStatusData {
    /// The session.
    pub session_id: SessionId,
    /// Its status.
    pub status: SessionStatus,
}

/// A session and what it is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentStepData {
    /// The session.
    pub session_id: SessionId,
    /// The current step, as text for people.
    pub current_step: String,
}

/// A stage and its new status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StageStatusData {
    /// The session.
    pub session_id: SessionId,
    /// The stage.
    pub stage_id: StageId,
    /// Its status.
    pub status: WorkStatus,
}

/// An execution and its new status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExecutionStatusData {
    /// The session.
    pub session_id: SessionId,
    /// The execution.
    pub execution_id: ExecutionId,
    /// Its status.
    pub status: WorkStatus,
}

/// A reference to a timeline entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TimelineEntryData {
    /// The session.
    pub session_id: SessionId,
    /// The execution that recorded the entry; null for an entry of a stage or of the session.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub execution_id: Option<ExecutionId>,
    /// The stage the entry belongs to; null for an entry of the session.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub stage_id: Option<StageId>,
    /// The entry.
    pub timeline_event_id: TimelineEventId,
    /// The kind of the entry.
    pub event_type: TimelineEventType,
}

/// A recorded model or tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InteractionData {
    /// The session.
    pub session_id: SessionId,
    /// The execution that made the call.
    pub execution_id: ExecutionId,
    /// Whether it is a model call or a tool call.
    pub kind: InteractionKind,
    /// The call.
    pub interaction_id: InteractionId,
}

/// A message of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChatMessageData {
    /// The session.
    pub session_id: SessionId,
    /// The message.
    pub chat_message_id: ChatMessageId,
    /// Position of the message in the chat, gapless from 1.
    pub sequence: u64,
}

impl EventPayload {
    /// Parses a payload that was stored for an event of `event_type`.
    pub fn parse(event_type: EventType, json: &str) -> serde_json::Result<Self> {
        Ok(match event_type {
            EventType::SessionStatus => Self::SessionStatus(serde_json::from_str(json)?),
            EventType::SessionProgress => Self::SessionProgress(serde_json::from_str(json)?),
            EventType::StageStatus => Self::StageStatus(serde_json::from_str(json)?),
            EventType::ExecutionStatus => Self::ExecutionStatus(serde_json::from_str(json)?),
            EventType::TimelineEventCompleted => Self::TimelineEventCompleted(serde_json::from_str(json)?),
            EventType::InteractionCreated => Self::InteractionCreated(serde_json::from_str(json)?),
            EventType::ChatMessage => Self::ChatMessage(serde_json::from_str(json)?),
        })
    }

    /// Returns the type of the event that this payload belongs to.
    pub const fn event_type(&self) -> EventType {
        match self {
            Self::SessionStatus(_) => EventType::SessionStatus,
            Self::SessionProgress(_) => EventType::SessionProgress,
            Self::StageStatus(_) => EventType::StageStatus,
            Self::ExecutionStatus(_) => EventType::ExecutionStatus,
            Self::TimelineEventCompleted(_) => EventType::TimelineEventCompleted,
            Self::InteractionCreated(_) => EventType::InteractionCreated,
            Self::ChatMessage(_) => EventType::ChatMessage,
        }
    }

    /// Serializes the payload. This cannot fail: it holds ids, numbers and strings only.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00000000-0000-0000-0000-000000000000";

    #[test]
    fn payloads_of_the_previous_version_parse_and_keep_their_bytes() {
        let stored = [
            (EventType::SessionStatus, format!(r#"{{"session_id":"{ID}","status":"pending"}}"#)),
            (EventType::SessionProgress, format!(r#"{{"session_id":"{ID}","current_step":"thinking"}}"#)),
            (
                EventType::StageStatus,
                format!(r#"{{"session_id":"{ID}","stage_id":"{ID}","status":"active"}}"#),
            ),
            (
                EventType::ExecutionStatus,
                format!(r#"{{"session_id":"{ID}","execution_id":"{ID}","status":"failed"}}"#),
            ),
            (
                EventType::TimelineEventCompleted,
                format!(
                    r#"{{"session_id":"{ID}","execution_id":"{ID}","stage_id":null,"timeline_event_id":"{ID}","event_type":"tool_call"}}"#
                ),
            ),
            (
                EventType::InteractionCreated,
                format!(
                    r#"{{"session_id":"{ID}","execution_id":"{ID}","kind":"llm","interaction_id":"{ID}"}}"#
                ),
            ),
            (
                EventType::ChatMessage,
                format!(r#"{{"session_id":"{ID}","chat_message_id":"{ID}","sequence":1}}"#),
            ),
        ];
        assert_eq!(stored.len(), EventType::ALL.len());
        for (event_type, json) in stored {
            let payload = EventPayload::parse(event_type, &json).unwrap();
            assert_eq!((payload.event_type(), payload.to_json()), (event_type, json));
        }
    }

    #[test]
    fn rejects_the_payload_of_another_type() {
        assert!(EventPayload::parse(EventType::StageStatus, "{}").is_err());
    }
}
