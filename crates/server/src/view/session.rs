//! Response bodies of sessions: as an entry of a list and as a status.

use serde::Serialize;
use tarsy_domain::{SessionId, SessionStatus, Timestamp, TokenUsage};
use tarsy_store::Session;
use utoipa::ToSchema;

/// A queued session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueuedSessionResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// Position in the queue, from 1.
    queue_position: u64,
}

/// A session, without its long texts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Id of the alert.
    alert_id: String,
    /// Type of the alert.
    alert_type: String,
    /// The chain that investigates the alert.
    chain_id: String,
    /// Author of the alert.
    author: Option<String>,
    /// Status of the session.
    status: SessionStatus,
    /// What the session is doing, as text for people.
    current_step: Option<String>,
    /// Why the session failed.
    error_message: Option<String>,
    /// When the alert was submitted.
    created_at_us: Timestamp,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// Number of stages of the chain.
    stages_total: u64,
    /// Number of stages that have ended.
    stages_done: u64,
    /// Number of stages that failed.
    stages_failed: u64,
    /// Number of model calls.
    llm_interactions: u64,
    /// Number of tool calls.
    mcp_interactions: u64,
    #[serde(flatten)]
    tokens: TokensResponse,
}

/// Token counts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokensResponse {
    /// Input tokens, including cached ones.
    input_tokens: u64,
    /// Output tokens, including thinking tokens.
    output_tokens: u64,
    /// Tokens for thinking.
    thinking_tokens: u64,
    /// Input tokens that the provider had cached.
    cached_tokens: u64,
}

/// The status of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionStatusResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Status of the session.
    status: SessionStatus,
    /// What the session is doing, as text for people.
    current_step: Option<String>,
    /// Why the session failed.
    error_message: Option<String>,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// When cancellation was requested.
    cancel_requested_at_us: Option<Timestamp>,
    /// Number of stages of the chain.
    stages_total: u64,
    /// Number of stages that have ended.
    stages_done: u64,
    /// Number of stages that failed.
    stages_failed: u64,
}

impl QueuedSessionResponse {
    /// Converts a session at a position in the queue, from 1.
    pub(crate) fn new(session: SessionResponse, queue_position: u64) -> Self {
        Self { session, queue_position }
    }
}

impl From<Session> for SessionResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_type: session.alert_type,
            chain_id: session.chain_id,
            author: session.author,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            created_at_us: session.created_at,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
            llm_interactions: session.llm_interactions,
            mcp_interactions: session.mcp_interactions,
            tokens: session.usage.into(),
        }
    }
}

impl From<TokenUsage> for TokensResponse {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}

impl From<Session> for SessionStatusResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            cancel_requested_at_us: session.cancel_requested_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
        }
    }
}
