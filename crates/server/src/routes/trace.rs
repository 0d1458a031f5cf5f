//! `/api/v1/sessions/{session_id}/trace`: the model and tool calls of a session.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use tarsy_domain::{InteractionId, SessionId};
use utoipa::IntoParams;

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::PathParams;
use crate::view::{LlmInteractionResponse, McpInteractionResponse, TraceResponse};
use crate::{ApiError, App};

/// Path parameters.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct InteractionPath {
    /// The session.
    session_id: SessionId,
    /// The model or tool call.
    interaction_id: InteractionId,
}

/// Lists the model and tool calls of a session, without their content.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace",
    tag = "trace",
    params(SessionPath),
    responses(
        (status = 200, description = "The calls.", body = TraceResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_trace(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<TraceResponse>, ApiError> {
    require_session(&app, session_id).await?;
    Ok(Json(app.store.trace_list(session_id).await?.into()))
}

/// Returns a model call with the conversation that was sent.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace/llm/{interaction_id}",
    tag = "trace",
    params(InteractionPath),
    responses(
        (status = 200, description = "The call.", body = LlmInteractionResponse),
        (status = 404, description = "The session or the call does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_llm_interaction(
    State(app): State<App>,
    PathParams(path): PathParams<InteractionPath>,
) -> Result<Json<LlmInteractionResponse>, ApiError> {
    require_session(&app, path.session_id).await?;
    let found = app.store.llm_interaction_fetch(path.session_id, path.interaction_id).await?;
    let interaction = found.ok_or_else(|| path.not_found("model call"))?;
    let recorded = app.store.message_list(interaction.execution_id).await?;
    Ok(Json(LlmInteractionResponse::new(interaction, recorded)?))
}

/// Returns a tool call with its complete result.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace/mcp/{interaction_id}",
    tag = "trace",
    params(InteractionPath),
    responses(
        (status = 200, description = "The call.", body = McpInteractionResponse),
        (status = 404, description = "The session or the call does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_mcp_interaction(
    State(app): State<App>,
    PathParams(path): PathParams<InteractionPath>,
) -> Result<Json<McpInteractionResponse>, ApiError> {
    require_session(&app, path.session_id).await?;
    let found = app.store.mcp_interaction_fetch(path.session_id, path.interaction_id).await?;
    let interaction = found.ok_or_else(|| path.not_found("tool call"))?;
    Ok(Json(interaction.into()))
}

impl InteractionPath {
    fn not_found(self, what: &'static str) -> ApiError {
        ApiError::NotFound { what, id: format!("{} in session {}", self.interaction_id, self.session_id) }
    }
}
