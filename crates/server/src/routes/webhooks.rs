//! `POST /api/v1/webhooks/alertmanager`: notifications of Alertmanager.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tarsy_domain::{SessionId, Timestamp};
use tarsy_store::{ResolveOutcome, SubmitOutcome};
use utoipa::ToSchema;

use crate::intake::{
    AlertmanagerNotification, NOTIFICATION, Notification, receive_firing, receive_resolution,
    reject_while_stopping,
};
use crate::{ApiError, App};

/// The result of a notification.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotificationResponse {
    /// The session of the firing; null if there is none.
    session_id: Option<SessionId>,
    /// `queued`: a session was created; `known`: this was reported before; `noted`: the resolution was
    /// recorded; `ignored`: no session exists for the group.
    status: &'static str,
    /// The result as a sentence for people.
    message: &'static str,
}

/// Receives a notification of Alertmanager (webhook version 4).
///
/// Each firing of an alert group is investigated once, however often it is reported.
#[utoipa::path(post, path = "/api/v1/webhooks/alertmanager", tag = "alerts", request_body = AlertmanagerNotification,
    responses(
        (status = 202, description = "The session is queued.", body = NotificationResponse),
        (status = 200, description = "The firing is known, or its resolution was recorded.", body = NotificationResponse),
        (status = 413, description = "The notification exceeds 1 MiB.", body = crate::error::ErrorResponse),
        (status = 503, description = "The queue is full, the server is shutting down, or the database is unavailable; Alertmanager retries.",
            body = crate::error::ErrorResponse)))]
pub(crate) async fn receive_alertmanager(
    State(app): State<App>,
    request: Request,
) -> Result<Response, ApiError> {
    reject_while_stopping(&app)?;
    let notification = Notification::read(&NOTIFICATION.read(request.into_body()).await?)?;
    let at = Timestamp::now();
    if notification.is_resolved() {
        return Ok(resolved(receive_resolution(&app, &notification, at).await?).into_response());
    }
    fired(receive_firing(&app, notification, at).await?)
}

fn fired(outcome: SubmitOutcome) -> Result<Response, ApiError> {
    let (code, session_id, status, message) = match outcome {
        SubmitOutcome::Created(session_id) => {
            (StatusCode::ACCEPTED, session_id, "queued", "The group is queued for investigation.")
        }
        SubmitOutcome::Existing(session_id) => {
            (StatusCode::OK, session_id, "known", "This firing of the group already has a session.")
        }
        // Alertmanager retries after a 503, not after a 429.
        SubmitOutcome::QueueFull => return Err(queue_full()),
    };
    let response = NotificationResponse { session_id: Some(session_id), status, message };
    Ok((code, Json(response)).into_response())
}

fn resolved(outcome: ResolveOutcome) -> Json<NotificationResponse> {
    let (session_id, status, message) = match outcome {
        ResolveOutcome::Noted(session_id) => {
            (Some(session_id), "noted", "The resolution is recorded in the session.")
        }
        ResolveOutcome::NotedBefore(session_id) => {
            (Some(session_id), "known", "The resolution was recorded before.")
        }
        ResolveOutcome::Unknown => (None, "ignored", "No session exists for this group."),
    };
    Json(NotificationResponse { session_id, status, message })
}

fn queue_full() -> ApiError {
    let problem = "the queue is full".to_owned();
    ApiError::Unavailable { problem, retry_after_s: crate::intake::RETRY_WHEN_FULL_S }
}
