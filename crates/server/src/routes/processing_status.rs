//! `/processing-status/{alert_id}`: the progress of an alert, by the id that its sender knows.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::ErrorResponse;
use crate::extract::PathParams;
use crate::view::{Investigation, ProcessingStatusResponse};
use crate::{ApiError, App};

/// Path parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AlertPath {
    /// The id of the alert.
    alert_id: String,
}

/// Returns the processing status of an alert.
#[utoipa::path(
    get,
    path = "/processing-status/{alert_id}",
    tag = "alerts",
    params(AlertPath),
    responses(
        (status = 200, description = "The processing status.", body = ProcessingStatusResponse),
        (status = 404, description = "The alert does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_processing_status(
    State(app): State<App>,
    PathParams(AlertPath { alert_id }): PathParams<AlertPath>,
) -> Result<Json<ProcessingStatusResponse>, ApiError> {
    let investigation = match app.store.session_fetch_by_alert(&alert_id).await? {
        Some(session) => Investigation::fetch(&app.store, session).await?,
        None => None,
    };
    let unknown = || ApiError::NotFound { what: "alert", id: alert_id };
    Ok(Json(investigation.ok_or_else(unknown)?.into()))
}
