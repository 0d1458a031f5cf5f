//! `/api/v1/history/sessions`: sessions in the format of earlier TARSy versions.

use axum::Json;
use axum::extract::State;

use super::list_query::ListSessionsQuery;
use super::session::{SessionPath, fetch_investigation};
use super::sessions::fetch_page;
use crate::error::ErrorResponse;
use crate::extract::{PathParams, QueryParams};
use crate::view::{HistoryPageResponse, HistorySessionResponse};
use crate::{ApiError, App};

/// Lists sessions, newest first, in the format of earlier TARSy versions.
#[utoipa::path(
    get,
    path = "/api/v1/history/sessions",
    tag = "history",
    params(ListSessionsQuery),
    responses((status = 200, description = "One page of sessions.", body = HistoryPageResponse))
)]
pub(crate) async fn list_history(
    State(app): State<App>,
    QueryParams(query): QueryParams<ListSessionsQuery>,
) -> Result<Json<HistoryPageResponse>, ApiError> {
    let page = fetch_page(&app.store, query).await?;
    let outlines = app.store.session_outlines(&page.session_ids()).await?;
    Ok(Json(HistoryPageResponse::new(page, outlines)))
}

/// Returns a session with its chain, stages and complete timeline, in the format of earlier TARSy versions.
#[utoipa::path(
    get,
    path = "/api/v1/history/sessions/{session_id}",
    tag = "history",
    params(SessionPath),
    responses(
        (status = 200, description = "The session.", body = HistorySessionResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_history_session(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<HistorySessionResponse>, ApiError> {
    let investigation = fetch_investigation(&app, session_id).await?;
    let timeline = app.store.timeline_list(session_id, 0, u32::MAX).await?;
    let calls = app.store.trace_list(session_id).await?;
    Ok(Json(HistorySessionResponse::new(investigation, timeline, calls)?))
}
