//! `POST /api/v1/alerts` and `POST /alerts`: alert submission.

use axum::Extension;
use axum::extract::{Request, State};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::QueryParams;
use crate::intake::{
    AlertDefaults, IncomingAlert, SubmissionResult, SubmitAlertRequest, SubmitAlertResponse, submit,
};
use crate::{ApiError, App, Principal};

/// Query parameters of a submission.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubmitAlertQuery {
    /// Selects the chain if the body does not.
    alert_type: Option<String>,
}

/// Submits an alert for investigation.
///
/// The response is sent after the session is committed. Submissions with the same `alert_id` are idempotent.
#[utoipa::path(post, path = "/api/v1/alerts", tag = "alerts", params(SubmitAlertQuery),
    request_body(description = "An envelope, or the data of the alert. A body with a JSON content type is an envelope. Any other body is one if it is a JSON object with `data` that has either `alert_type` or no fields other than those of an envelope.", content(
        (SubmitAlertRequest = "application/json"), (String = "text/plain"))),
    responses(
        (status = 202, description = "The session is queued.", body = SubmitAlertResponse),
        (status = 200, description = "An alert with this `alert_id` was submitted before; its session is returned.", body = SubmitAlertResponse),
        (status = 413, description = "The data exceeds 1 MiB.", body = crate::error::ErrorResponse)))]
pub(crate) async fn submit_alert(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    QueryParams(query): QueryParams<SubmitAlertQuery>,
    request: Request,
) -> Result<SubmissionResult, ApiError> {
    let (parts, body) = request.into_parts();
    let defaults = AlertDefaults { alert_type: query.alert_type, author: principal.name };
    let alert = IncomingAlert::read(&parts.headers, body, defaults).await?;
    submit(&app, alert).await
}

/// Submits an alert for investigation; short URL of `POST /api/v1/alerts`.
#[utoipa::path(post, path = "/alerts", tag = "alerts", params(SubmitAlertQuery),
    request_body(description = "An envelope, or the data of the alert. A body with a JSON content type is an envelope. Any other body is one if it is a JSON object with `data` that has either `alert_type` or no fields other than those of an envelope.", content(
        (SubmitAlertRequest = "application/json"), (String = "text/plain"))),
    responses(
        (status = 202, description = "The session is queued.", body = SubmitAlertResponse),
        (status = 200, description = "An alert with this `alert_id` was submitted before; its session is returned.", body = SubmitAlertResponse),
        (status = 413, description = "The data exceeds 1 MiB.", body = crate::error::ErrorResponse)))]
pub(crate) async fn submit_alert_short_url(
    app: State<App>,
    principal: Extension<Principal>,
    query: QueryParams<SubmitAlertQuery>,
    request: Request,
) -> Result<SubmissionResult, ApiError> {
    submit_alert(app, principal, query, request).await
}
