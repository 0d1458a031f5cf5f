//! `/api/v1/sessions/{session_id}/trace`: every call of a model or a tool.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use tarsy_domain::{InteractionId, SessionId};
use utoipa::IntoParams;

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::InPath;
use crate::view::{LlmInteractionResponse, McpInteractionResponse, TraceResponse};
use crate::{ApiError, App};

/// Which call.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct InteractionPath {
    /// The session.
    session_id: SessionId,
    /// The call.
    interaction_id: InteractionId,
}

/// Lists every call of a session, without what was said.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace",
    tag = "trace",
    params(SessionPath),
    responses(
        (status = 200, description = "All calls.", body = TraceResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_trace(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<Json<TraceResponse>, ApiError> {
    require_session(&app, session_id).await?;
    Ok(Json(app.store.trace_list(session_id).await?.into()))
}

/// Shows a call of a model with the conversation as it was sent.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace/llm/{interaction_id}",
    tag = "trace",
    params(InteractionPath),
    responses(
        (status = 200, description = "The call.", body = LlmInteractionResponse),
        (status = 404, description = "There is no such session, or no such call in it.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_llm_interaction(
    State(app): State<App>,
    InPath(path): InPath<InteractionPath>,
) -> Result<Json<LlmInteractionResponse>, ApiError> {
    require_session(&app, path.session_id).await?;
    let found = app.store.llm_interaction_fetch(path.session_id, path.interaction_id).await?;
    let interaction = found.ok_or_else(|| path.unknown("model call"))?;
    let recorded = app.store.message_list(interaction.execution_id).await?;
    Ok(Json(LlmInteractionResponse::new(interaction, recorded)?))
}

/// Shows a call of a tool with its full result.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/trace/mcp/{interaction_id}",
    tag = "trace",
    params(InteractionPath),
    responses(
        (status = 200, description = "The call.", body = McpInteractionResponse),
        (status = 404, description = "There is no such session, or no such call in it.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_mcp_interaction(
    State(app): State<App>,
    InPath(path): InPath<InteractionPath>,
) -> Result<Json<McpInteractionResponse>, ApiError> {
    require_session(&app, path.session_id).await?;
    let found = app.store.mcp_interaction_fetch(path.session_id, path.interaction_id).await?;
    let interaction = found.ok_or_else(|| path.unknown("tool call"))?;
    Ok(Json(interaction.into()))
}

impl InteractionPath {
    fn unknown(self, what: &'static str) -> ApiError {
        ApiError::Unknown { what, id: format!("{} in session {}", self.interaction_id, self.session_id) }
    }
}
