//! `/api/v1/sessions/{session_id}/export`: a session as a cassette that can be played again.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::InPath;
use crate::view::{CassetteResponse, RecordedSession};
use crate::{ApiError, App};

/// Exports what the models of a session said, as a cassette for the `replay` provider.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/export",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The cassette.", body = CassetteResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn export_session(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<([(HeaderName, String); 1], Json<CassetteResponse>), ApiError> {
    let recorded = RecordedSession {
        session: require_session(&app, session_id).await?,
        stages: app.store.stage_list(session_id).await?,
        executions: app.store.execution_list(session_id).await?,
        calls: app.store.llm_interaction_list(session_id).await?,
    };
    let name = format!("attachment; filename=\"tarsy-{session_id}.cassette.json\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(recorded.try_into()?)))
}
