//! The types that all crates of TARSy share, and the pure rules over them.
//!
//! Nothing here performs I/O or depends on another crate of the project. Reading the clock and creating ids are behind the
//! feature `edge`.

mod string_enum;

mod id;
mod timestamp;

mod access_role;
mod cassette;
mod causes;
mod condition;
mod firing;
mod interaction;
pub mod json_schema;
mod live;
mod mcp_selection;
mod message;
mod model_catalog;
mod reply;
mod search;
mod secret;
mod session;
mod strategy;
mod suggest;
mod timeline;
mod token_estimate;
mod tool;
mod tool_filter;
mod tool_lookup;
mod tool_name;
mod usage;
mod work;

pub use access_role::AccessRole;
pub use cassette::{
    Cassette, CassetteChunk, CassetteFailure, CassetteQuestion, CassetteToolCall, CassetteTurn,
    CassetteUsage, MessageDigest, RecordedExecution, RecordedOutcome, RecordedProvider, RecordedServer,
    RecordedSession, RecordedSummarization, RecordedTool, RecordedToolCall,
};
pub use causes::causes_of;
pub use condition::{Condition, ConditionError, Fact, Operator};
pub use firing::{Firing, FiringOrder, KnownFiring};
pub use id::{
    ChatId, ChatMessageId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
pub use interaction::{LlmCallKind, LlmErrorKind, ToolRunKind};
pub use live::{
    Channel, ChannelMessage, ChatMessageData, ClientCommand, CommandAction, CompletedEntryData, ControlMessage,
    CurrentStepData, EventPayload, EventType, ExecutionStatusData, GapData, InteractionData, InteractionKind,
    LiveMessage, LivePart, ProgressDetails, SessionProgressData, SessionStatusData, StageProgress,
    StageStatusData, StreamChunkData, StreamEndedData, TimelineEntryData, UnknownChannel,
};
pub use mcp_selection::{McpSelection, SelectedNativeTools, SelectedServer};
pub use message::{Message, Role};
pub use model_catalog::{
    InterleavedThinking, InvalidModelPattern, LevelValues, ModelCatalog, ModelEntry, ModelPattern, ModelPrice,
    ModelTraits, ModelVendor, NativeToolSupport, ThinkingBudgets, ThinkingLevel, ThinkingOff, ThinkingStyle,
    ThinkingSupport,
};
pub use reply::{
    CodeExecution, Grounding, GroundingSource, GroundingSupport, ModelFailure, ModelFailureKind, ModelReply,
};
pub use search::{SearchQuery, SearchSource, Snippet, words};
pub use secret::Secret;
pub use session::SessionStatus;
pub use strategy::{IterationStrategy, LoopKind, SuccessPolicy};
pub use string_enum::UnknownValue;
pub use suggest::{closest_name, similar_names};
pub use timeline::TimelineEventType;
pub use timestamp::Timestamp;
pub use token_estimate::{
    bytes_that_fit, dense_tokens, prose_bytes_at_most, prose_tokens, tokens_at_most,
};
pub use tool::{ToolCall, ToolDefinition, ToolResult, ToolStatus};
pub use tool_filter::ToolFilter;
pub use tool_lookup::{UnknownTool, resolve_tool_name};
pub use tool_name::{READ_RESULT, ToolName};
pub use usage::TokenUsage;
pub use work::{ExecutionKind, WorkStatus};
