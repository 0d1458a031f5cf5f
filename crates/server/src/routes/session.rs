//! `/api/v1/sessions/{session_id}`: one investigation.

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Deserialize;
use tarsy_domain::{Channel, SessionId, Timestamp};
use tarsy_store::{CancelOutcome, Session};
use utoipa::IntoParams;

use crate::access::Principal;
use crate::error::ErrorResponse;
use crate::extract::InPath;
use crate::view::{Investigation, SessionDetailResponse, SessionStatusResponse};
use crate::{ApiError, App};

/// Which session.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionPath {
    /// The session.
    pub(crate) session_id: SessionId,
}

/// Shows a session with its input, its stages, who worked in them, and its result.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The session.", body = SessionDetailResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_session(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<Json<SessionDetailResponse>, ApiError> {
    // Asked first, so that whoever follows the stream from this event on misses nothing.
    let last_event_id = app.store.event_last_id(Channel::Session(session_id)).await?;
    let investigation = fetch_investigation(&app, session_id).await?;
    Ok(Json(SessionDetailResponse::new(investigation, last_event_id)?))
}

/// Shows where a session stands.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/status",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "Where it stands.", body = SessionStatusResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_session_status(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<Json<SessionStatusResponse>, ApiError> {
    Ok(Json(require_session(&app, session_id).await?.into()))
}

/// Asks a session to stop. One that waits is cancelled at once, one that runs as soon as its worker hears of it.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/{session_id}/cancel",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 202, description = "It is stopped, or will be.", body = SessionStatusResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
        (status = 409, description = "It has ended already.", body = ErrorResponse),
    )
)]
pub(crate) async fn cancel_session(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<(StatusCode, Json<SessionStatusResponse>), ApiError> {
    match app.store.session_cancel(session_id, principal.name, Timestamp::now()).await? {
        CancelOutcome::Cancelled | CancelOutcome::Requested => {
            Ok((StatusCode::ACCEPTED, Json(require_session(&app, session_id).await?.into())))
        }
        CancelOutcome::AlreadyEnded(status) => Err(ApiError::Conflict(format!(
            "session {session_id} is {status}: only a session that has not ended can be cancelled"
        ))),
    }
}

/// Removes a session that has ended, with all that belongs to it.
#[utoipa::path(
    delete,
    path = "/api/v1/sessions/{session_id}",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 204, description = "It is gone."),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
        (status = 409, description = "It has not ended yet.", body = ErrorResponse),
    )
)]
pub(crate) async fn delete_session(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
) -> Result<StatusCode, ApiError> {
    if app.store.session_delete(session_id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let status = require_session(&app, session_id).await?.status;
    Err(ApiError::Conflict(format!(
        "session {session_id} is {status}: only a session that has ended can be removed; cancel it first"
    )))
}

/// A session that is there.
pub(crate) async fn require_session(app: &App, session_id: SessionId) -> Result<Session, ApiError> {
    let session = app.store.session_fetch(session_id).await?;
    session.ok_or_else(|| unknown_session(session_id))
}

/// A session that is there, with all its parts.
pub(crate) async fn fetch_investigation(app: &App, session_id: SessionId) -> Result<Investigation, ApiError> {
    let session = require_session(app, session_id).await?;
    let investigation = Investigation::fetch(&app.store, session).await?;
    investigation.ok_or_else(|| unknown_session(session_id))
}

pub(super) fn unknown_session(session_id: SessionId) -> ApiError {
    ApiError::Unknown { what: "session", id: session_id.to_string() }
}
