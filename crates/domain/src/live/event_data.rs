//! The payloads of stored events, one struct per event type.

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;
use crate::{
    ChatMessageId, ExecutionId, InteractionId, SessionId, SessionStatus, StageId, TimelineEventId,
    TimelineEventType, WorkStatus,
};

string_enum! {
    /// The kind of a recorded interaction.
    pub enum InteractionKind {
        /// A model call.
        Llm = "llm",
        /// A tool call.
        Mcp = "mcp",
    }
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
