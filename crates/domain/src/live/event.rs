//! Stored events: their types and payloads.
//!
//! An event records that something changed; ids within one channel are gapless, so a client that reconnects
//! knows exactly which events it missed. The payload holds ids and statuses only: details are read when the
//! event is sent.

use serde::Serialize;

use super::{
    ChatMessageData, CurrentStepData, ExecutionStatusData, InteractionData, SessionStatusData,
    StageStatusData, TimelineEntryData,
};
use crate::string_enum::string_enum;

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

/// The payload of a stored event. It serializes as the JSON object of its variant; the type is stored
/// separately.
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
