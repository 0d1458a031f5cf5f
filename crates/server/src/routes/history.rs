//! `/api/v1/history/sessions`: the record in the words of the first design.

use axum::Json;
use axum::extract::State;

use super::session::{SessionPath, fetch_investigation};
use super::sessions::ListSessionsQuery;
use crate::error::ErrorResponse;
use crate::extract::{InPath, Parameters};
use crate::view::{HistoryPageResponse, HistorySessionResponse};
use crate::{ApiError, App};

/// Lists sessions, newest first, in the words of the first design.
#[utoipa::path(
    get,
    path = "/api/v1/history/sessions",
    tag = "history",
    params(ListSessionsQuery),
    responses((status = 200, description = "One page.", body = HistoryPageResponse))
)]
pub(crate) async fn list_history(
    State(app): State<App>,
    Parameters(query): Parameters<ListSessionsQuery>,
) -> Result<Json<HistoryPageResponse>, ApiError> {
    let (filter, cursor, limit) = query.read();
    Ok(Json(app.store.session_list(&filter, cursor, limit).await?.into()))
}

/// Shows a session with its chain, its stages and its whole timeline, in the words of the first design.
#[utoipa::path(
    get,
    path = "/api/v1/history/sessions/{session_id}",
    tag = "history",
    params(SessionPath),
    responses(
        (status = 200, description = "The session.", body = HistorySessionResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_history_session(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<Json<HistorySessionResponse>, ApiError> {
    let investigation = fetch_investigation(&app, session_id).await?;
    let timeline = app.store.timeline_list(session_id, 0, u32::MAX).await?;
    Ok(Json(HistorySessionResponse::new(investigation, timeline)?))
}
