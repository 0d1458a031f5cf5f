//! Messages that are not stored: texts while they are being streamed, and gaps.

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;
use crate::{ExecutionId, InteractionId, SessionId, StageId};

string_enum! {
    /// The kind of a text that is being streamed.
    pub enum LivePart {
        /// The model's reasoning.
        Thinking = "thinking",
        /// The model's reply.
        Text = "text",
        /// Progress messages of a tool.
        ToolProgress = "tool_progress",
        /// What a model call waits for: the processing of the prompt, or a rate limit. Every chunk replaces the
        /// text.
        ModelProgress = "model_progress",
    }
}

/// A chunk of a text that is being streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StreamChunkData {
    /// The session.
    pub session_id: SessionId,
    /// The stage; null outside stages.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub stage_id: Option<StageId>,
    /// The execution.
    pub execution_id: ExecutionId,
    /// The model or tool call that produces the text. It is recorded under the same id when it completes;
    /// `model_progress` has an id of its own and is not recorded.
    pub interaction_id: InteractionId,
    /// Which text of the call this is.
    pub part: LivePart,
    /// Whether this chunk starts the text over: discard what was received of it before.
    pub from_start: bool,
    /// The text to append.
    pub text: String,
}

/// A streamed text that ended without being recorded: discard what was received of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StreamEndedData {
    /// The model or tool call whose texts ended.
    pub interaction_id: InteractionId,
}

/// Events that cannot be delivered, because retention deleted them or they cannot be read: fetch the current
/// state over HTTP. Both ids are missing if it is not known which events were missed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GapData {
    /// The first missing event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub missing_from: Option<u64>,
    /// The event with which the stream continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub next_event_id: Option<u64>,
}
