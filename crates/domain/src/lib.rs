//! The types that all crates of TARSy share, and the pure rules over them.
//!
//! Nothing here performs I/O or depends on another crate of the project. Reading the clock and creating ids
//! are behind the feature `edge`.

mod string_enum;

mod id;
mod timestamp;

mod access_role;
mod text;

mod conversation;
mod session;
mod tool;

mod cassette;
pub mod json_schema;
mod live;
mod model_catalog;

pub use access_role::AccessRole;
pub use cassette::{
    Cassette, CassetteChunk, CassetteFailure, CassetteQuestion, CassetteToolCall, CassetteTurn,
    CassetteUsage, MessageDigest, RecordedExecution, RecordedOutcome, RecordedProvider, RecordedServer,
    RecordedSession, RecordedSummarization, RecordedTool, RecordedToolCall,
};
pub use conversation::interaction::{LlmCallKind, LlmErrorKind, ToolRunKind};
pub use conversation::message::{Message, Role};
pub use conversation::reply::{
    CodeExecution, Grounding, GroundingSource, GroundingSupport, ModelFailure, ModelFailureKind, ModelReply,
};
pub use conversation::usage::TokenUsage;
pub use id::{
    ChatId, ChatMessageId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
pub use live::{
    Channel, ChannelMessage, ChatMessageData, ClientCommand, CommandAction, CompletedEntryData,
    ControlMessage, CurrentStepData, EventPayload, EventType, ExecutionStatusData, GapData, InteractionData,
    InteractionKind, LiveMessage, LivePart, ProgressDetails, SessionProgressData, SessionStatusData,
    StageProgress, StageStatusData, StreamChunkData, StreamEndedData, TimelineEntryData, UnknownChannel,
};
pub use model_catalog::{
    InterleavedThinking, InvalidModelPattern, LevelValues, ModelCatalog, ModelEntry, ModelPattern,
    ModelPrice, ModelTraits, ModelVendor, NativeToolSupport, ThinkingBudgets, ThinkingLevel, ThinkingOff,
    ThinkingStyle, ThinkingSupport,
};
pub use session::SessionStatus;
pub use session::alert_fields::{AlertFields, DEFAULT_ENVIRONMENT, DEFAULT_SEVERITY};
pub use session::condition::{Condition, ConditionError, Fact, Operator};
pub use session::firing::{Firing, FiringOrder, KnownFiring};
pub use session::mcp_selection::{McpSelection, SelectedNativeTools, SelectedServer};
pub use session::strategy::{IterationStrategy, LoopKind, PromptProfile, SuccessPolicy};
pub use session::timeline::TimelineEventType;
pub use session::work::{ExecutionKind, WorkStatus};
pub use string_enum::UnknownValue;
pub use text::causes::causes_of;
pub use text::search::{SearchQuery, SearchSource, Snippet, words};
pub use text::secret::{MIN_SECRET_CHARACTERS, Secret};
pub use text::suggest::{closest_name, similar_names};
pub use text::token_estimate::{
    bytes_that_fit, dense_tokens, prose_bytes_at_most, prose_tokens, prose_tokens_in, tokens_at_most,
};
pub use timestamp::Timestamp;
pub use tool::filter::ToolFilter;
pub use tool::lookup::{UnknownTool, resolve_tool_name};
pub use tool::name::{READ_RESULT, ToolName};
pub use tool::{ToolCall, ToolDefinition, ToolResult, ToolStatus};
