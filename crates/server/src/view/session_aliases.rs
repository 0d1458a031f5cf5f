//! Fields of a listed session under the names of the Go version of TARSy. Only numbered pages have them, because only clients
//! of that version request such pages.

use serde::Serialize;
use tarsy_domain::{SessionId, Timestamp, WorkStatus};
use tarsy_store::{Session, SessionOutline};
use utoipa::ToSchema;

/// Fields of a session under the names of the Go version.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SessionAliases {
    /// Alias of `session_id`.
    #[schema(required = false)]
    id: SessionId,
    /// `created_at_us` as RFC 3339 time.
    #[schema(required = false)]
    created_at: String,
    /// `started_at_us` as RFC 3339 time.
    started_at: Option<String>,
    /// `completed_at_us` as RFC 3339 time.
    completed_at: Option<String>,
    /// Time from the start to the end.
    duration_ms: Option<u64>,
    /// Alias of `llm_interactions`.
    #[schema(required = false)]
    llm_interaction_count: u64,
    /// Alias of `mcp_interactions`.
    #[schema(required = false)]
    mcp_interaction_count: u64,
    /// Sum of `input_tokens` and `output_tokens`.
    #[schema(required = false)]
    total_tokens: u64,
    /// Alias of `stages_total`.
    #[schema(required = false)]
    total_stages: u64,
    /// Number of stages with the status `completed`.
    #[schema(required = false)]
    completed_stages: u64,
    /// Alias of `stages_failed`.
    #[schema(required = false)]
    failed_stages: u64,
    /// Whether several agents of a stage have started.
    #[schema(required = false)]
    has_parallel_stages: bool,
}

impl SessionAliases {
    /// Converts a session with the outline of its stages.
    pub(crate) fn new(session: &Session, outline: &SessionOutline) -> Self {
        let completed = outline.stages.iter().filter(|stage| stage.status == WorkStatus::Completed);
        Self {
            id: session.session_id,
            created_at: rfc3339(session.created_at),
            started_at: session.started_at.map(rfc3339),
            completed_at: session.completed_at.map(rfc3339),
            duration_ms: session.started_at.zip(session.completed_at).map(duration_ms),
            llm_interaction_count: session.llm_interactions,
            mcp_interaction_count: session.mcp_interactions,
            total_tokens: session.usage.total_tokens(),
            total_stages: session.stages_total,
            completed_stages: completed.count() as u64,
            failed_stages: session.stages_failed,
            has_parallel_stages: outline.stages.iter().any(|stage| stage.executions.len() > 1),
        }
    }
}

fn rfc3339(time: Timestamp) -> String {
    // Every recorded time is within the range of the type.
    jiff::Timestamp::from_microsecond(time.as_micros())
        .map_or_else(|_| String::new(), |time| time.to_string())
}

fn duration_ms((start, end): (Timestamp, Timestamp)) -> u64 {
    u64::try_from((end.as_micros() - start.as_micros()) / 1000).unwrap_or(0)
}
