//! `POST /api/v1/alerts` and `POST /alerts`: an alert comes in.

use axum::Extension;
use axum::extract::{Request, State};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::Parameters;
use crate::intake::{Alert, AlertDefaults, SubmitAlertRequest, SubmitAlertResponse, Submitted, submit};
use crate::{ApiError, App, Principal};

/// What an alert can say in its address.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubmitAlertQuery {
    /// Selects the chain, if the body does not.
    alert_type: Option<String>,
}

/// Submits an alert; the answer comes when it is stored for good.
#[utoipa::path(post, path = "/api/v1/alerts", tag = "alerts", params(SubmitAlertQuery),
    request_body(description = "JSON with the data in it; or, with any other content type, the data alone.", content(
        (SubmitAlertRequest = "application/json"), (String = "text/plain"))),
    responses(
        (status = 202, description = "It is queued.", body = SubmitAlertResponse),
        (status = 200, description = "An alert with this `alert_id` was here before; this is its session.", body = SubmitAlertResponse),
        (status = 413, description = "There is more than 1 MiB of data.", body = crate::error::ErrorResponse)))]
pub(crate) async fn submit_alert(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    Parameters(query): Parameters<SubmitAlertQuery>,
    request: Request,
) -> Result<Submitted, ApiError> {
    let (parts, body) = request.into_parts();
    let defaults = AlertDefaults { alert_type: query.alert_type, author: principal.name };
    let alert = Alert::read(&parts.headers, body, defaults).await?;
    submit(&app, alert).await
}

/// Submits an alert, for senders that know the short address.
#[utoipa::path(post, path = "/alerts", tag = "alerts", params(SubmitAlertQuery),
    request_body(description = "JSON with the data in it; or, with any other content type, the data alone.", content(
        (SubmitAlertRequest = "application/json"), (String = "text/plain"))),
    responses(
        (status = 202, description = "It is queued.", body = SubmitAlertResponse),
        (status = 200, description = "An alert with this `alert_id` was here before; this is its session.", body = SubmitAlertResponse),
        (status = 413, description = "There is more than 1 MiB of data.", body = crate::error::ErrorResponse)))]
pub(crate) async fn submit_alert_shortly(
    app: State<App>,
    principal: Extension<Principal>,
    query: Parameters<SubmitAlertQuery>,
    request: Request,
) -> Result<Submitted, ApiError> {
    submit_alert(app, principal, query, request).await
}
