//! `/api/v1/sessions/{session_id}/summary`: the numbers of a session.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use tarsy_domain::{SessionId, WorkStatus};
use tarsy_store::{Session, Stage};
use utoipa::ToSchema;

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::PathParams;
use crate::view::duration_ms;
use crate::{ApiError, App};

/// The numbers of a session.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SessionSummaryResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Number of model and tool calls.
    total_interactions: u64,
    /// Number of model calls.
    llm_interactions: u64,
    /// Number of tool calls.
    mcp_interactions: u64,
    /// Input tokens, including cached ones.
    input_tokens: u64,
    /// Output tokens, including thinking tokens.
    output_tokens: u64,
    /// Input and output tokens.
    total_tokens: u64,
    /// Duration of the session; null until it ends.
    total_duration_ms: Option<u64>,
    /// The progress of the chain.
    chain_statistics: ChainStatisticsResponse,
}

/// The progress of a chain.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ChainStatisticsResponse {
    /// Number of stages.
    total_stages: u64,
    /// Number of stages with the status `completed`.
    completed_stages: u64,
    /// Number of stages that failed, timed out or were cancelled.
    failed_stages: u64,
    /// Position of the running stage, from 0; null if none runs.
    current_stage_index: Option<u64>,
}

/// Returns the number of calls, tokens and stages of a session.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/summary",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The numbers.", body = SessionSummaryResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_session_summary(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<SessionSummaryResponse>, ApiError> {
    let session = require_session(&app, session_id).await?;
    let stages = app.store.stage_list(session_id).await?;
    Ok(Json(summary(&session, &stages)))
}

fn summary(session: &Session, stages: &[Stage]) -> SessionSummaryResponse {
    let active = stages.iter().find(|stage| stage.status == WorkStatus::Active);
    let completed = stages.iter().filter(|stage| stage.status == WorkStatus::Completed);
    SessionSummaryResponse {
        session_id: session.session_id,
        total_interactions: session.llm_interactions + session.mcp_interactions,
        llm_interactions: session.llm_interactions,
        mcp_interactions: session.mcp_interactions,
        input_tokens: session.usage.input_tokens,
        output_tokens: session.usage.output_tokens,
        total_tokens: session.usage.input_tokens + session.usage.output_tokens,
        total_duration_ms: duration_ms(session.started_at, session.completed_at),
        chain_statistics: ChainStatisticsResponse {
            total_stages: session.stages_total,
            completed_stages: completed.count() as u64,
            failed_stages: session.stages_failed,
            current_stage_index: active.map(|stage| stage.stage_index),
        },
    }
}
