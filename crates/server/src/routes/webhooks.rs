//! `POST /api/v1/webhooks/alertmanager`: Alertmanager tells of a group of alerts.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tarsy_domain::{SessionId, Timestamp};
use tarsy_store::{ResolveOutcome, SubmitOutcome};
use utoipa::ToSchema;

use crate::intake::refuse_while_stopping;
use crate::intake::{AlertmanagerNotification, NOTIFICATION, Notification, hear_of_firing, hear_of_the_end};
use crate::{ApiError, App};

/// What became of a notification.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotificationResponse {
    /// The investigation, if there is one.
    session_id: Option<SessionId>,
    /// `queued`, `known`, `noted` or `ignored`.
    status: &'static str,
    /// The same for people.
    message: &'static str,
}

/// Receives a notification of Alertmanager (version 4); a group that fires is investigated once.
#[utoipa::path(post, path = "/api/v1/webhooks/alertmanager", tag = "alerts", request_body = AlertmanagerNotification,
    responses(
        (status = 202, description = "The group is queued.", body = NotificationResponse),
        (status = 200, description = "The group was known, or its end was noted.", body = NotificationResponse),
        (status = 413, description = "There is more than 1 MiB of it.", body = crate::error::ErrorResponse),
        (status = 503, description = "Too many alerts wait, the server is stopping, or the database does not answer; Alertmanager comes again.",
            body = crate::error::ErrorResponse)))]
pub(crate) async fn receive_alertmanager(
    State(app): State<App>,
    request: Request,
) -> Result<Response, ApiError> {
    refuse_while_stopping(&app)?;
    let notification = Notification::read(&NOTIFICATION.read(request.into_body()).await?)?;
    let at = Timestamp::now();
    if notification.is_over() {
        return Ok(ended(hear_of_the_end(&app, &notification, at).await?).into_response());
    }
    fires(hear_of_firing(&app, notification, at).await?)
}

fn fires(outcome: SubmitOutcome) -> Result<Response, ApiError> {
    let (code, session_id, status, message) = match outcome {
        SubmitOutcome::Created(session_id) => {
            (StatusCode::ACCEPTED, session_id, "queued", "The group is queued for investigation.")
        }
        SubmitOutcome::Existing(session_id) => {
            (StatusCode::OK, session_id, "known", "This firing of the group is investigated already.")
        }
        // Alertmanager gives up on a 429 and comes again after a 503.
        SubmitOutcome::QueueFull => return Err(full()),
    };
    let response = NotificationResponse { session_id: Some(session_id), status, message };
    Ok((code, Json(response)).into_response())
}

fn ended(outcome: ResolveOutcome) -> Json<NotificationResponse> {
    let (session_id, status, message) = match outcome {
        ResolveOutcome::Noted(session_id) => (Some(session_id), "noted", "The end is noted on the session."),
        ResolveOutcome::NotedBefore(session_id) => {
            (Some(session_id), "known", "The end was noted on the session before.")
        }
        ResolveOutcome::Unknown => (None, "ignored", "Nothing of this group is investigated."),
    };
    Json(NotificationResponse { session_id, status, message })
}

fn full() -> ApiError {
    let problem = "too many alerts wait for their investigation".to_owned();
    ApiError::Unavailable { problem, retry_after_s: crate::intake::RETRY_WHEN_FULL_S }
}
