//! `/api/v1/sessions/{session_id}`: one session.

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Deserialize;
use tarsy_domain::{Channel, SessionId, Timestamp};
use tarsy_store::{CancelOutcome, Session};
use utoipa::IntoParams;

use crate::access::Principal;
use crate::error::ErrorResponse;
use crate::extract::PathParams;
use crate::view::{Investigation, SessionDetailResponse, SessionStatusResponse};
use crate::{ApiError, App};

/// Path parameters.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionPath {
    /// The session.
    pub(crate) session_id: SessionId,
}

/// Returns a session with its input, stages, executions and result.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The session.", body = SessionDetailResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_session(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<SessionDetailResponse>, ApiError> {
    // Read first, so that a client that subscribes from this event misses nothing.
    let last_event_id = app.store.event_last_id(Channel::Session(session_id)).await?;
    let investigation = fetch_investigation(&app, session_id).await?;
    Ok(Json(SessionDetailResponse::new(investigation, last_event_id)?))
}

/// Returns the status of a session.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/status",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The status.", body = SessionStatusResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_session_status(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<SessionStatusResponse>, ApiError> {
    Ok(Json(require_session(&app, session_id).await?.into()))
}

/// Cancels a session.
///
/// A queued session is cancelled immediately. A running one becomes `cancelling` and ends when its worker has
/// stopped.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/{session_id}/cancel",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 202, description = "The session is cancelled or cancelling.", body = SessionStatusResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
        (status = 409, description = "The session has already ended.", body = ErrorResponse),
    )
)]
pub(crate) async fn cancel_session(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<(StatusCode, Json<SessionStatusResponse>), ApiError> {
    match app.store.session_cancel(session_id, principal.name, Timestamp::now()).await? {
        CancelOutcome::Cancelled | CancelOutcome::Requested => {
            Ok((StatusCode::ACCEPTED, Json(require_session(&app, session_id).await?.into())))
        }
        CancelOutcome::AlreadyEnded(status) => {
            Err(ApiError::Conflict(format!("session {session_id} is {status} and cannot be cancelled")))
        }
    }
}

/// Deletes a session that has ended, with all its data.
#[utoipa::path(
    delete,
    path = "/api/v1/sessions/{session_id}",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 204, description = "The session is deleted."),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
        (status = 409, description = "The session has not ended.", body = ErrorResponse),
    )
)]
pub(crate) async fn delete_session(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<StatusCode, ApiError> {
    if app.store.session_delete(session_id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let status = require_session(&app, session_id).await?.status;
    Err(ApiError::Conflict(format!(
        "session {session_id} is {status} and has not ended; cancel it before deleting it"
    )))
}

/// Returns a session, or 404 if it does not exist.
pub(crate) async fn require_session(app: &App, session_id: SessionId) -> Result<Session, ApiError> {
    let session = app.store.session_fetch(session_id).await?;
    session.ok_or_else(|| unknown_session(session_id))
}

/// Returns a session with all its parts, or 404 if it does not exist.
pub(crate) async fn fetch_investigation(app: &App, session_id: SessionId) -> Result<Investigation, ApiError> {
    let session = require_session(app, session_id).await?;
    let investigation = Investigation::fetch(&app.store, session).await?;
    investigation.ok_or_else(|| unknown_session(session_id))
}

pub(super) fn unknown_session(session_id: SessionId) -> ApiError {
    ApiError::NotFound { what: "session", id: session_id.to_string() }
}
