//! The vocabulary of TARSy and the pure rules over it.
//!
//! Every other crate speaks in these types. Nothing here does I/O, reads a clock or knows another crate of
//! the project.

mod string_enum;

mod id;
mod timestamp;

mod access_role;
mod causes;
mod condition;
mod event;
mod firing;
mod message;
mod reply;
mod search;
mod secret;
mod session;
mod strategy;
mod timeline;
mod tool;
mod tool_filter;
mod tool_name;
mod usage;
mod work;

pub use access_role::AccessRole;
pub use causes::causes_of;
pub use condition::{Condition, ConditionError, Fact, Test};
pub use event::{Channel, EventType, UnknownChannel};
pub use firing::{Firing, KnownFiring, WhichFiring};
pub use id::{
    ChatId, ChatMessageId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
pub use message::{Message, Role};
pub use reply::{
    CodeExecution, Grounding, GroundingSource, GroundingSupport, ModelFailure, ModelFailureKind, ModelReply,
};
pub use search::{SearchQuery, Snippet, words};
pub use secret::Secret;
pub use session::SessionStatus;
pub use strategy::{IterationStrategy, LoopKind, SuccessPolicy};
pub use timeline::TimelineEventType;
pub use timestamp::Timestamp;
pub use tool::{ToolCall, ToolDefinition, ToolResult, ToolStatus};
pub use tool_filter::ToolFilter;
pub use tool_name::{UnknownTool, resolve_tool_name};
pub use usage::TokenUsage;
pub use string_enum::UnknownValue;
pub use work::{ExecutionKind, WorkStatus};
