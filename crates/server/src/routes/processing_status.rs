//! `/processing-status/{alert_id}`: how far an alert is, by the id that its sender knows.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::ErrorResponse;
use crate::extract::InPath;
use crate::view::{Investigation, ProcessingStatusResponse};
use crate::{ApiError, App};

/// Which alert.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AlertPath {
    /// The alert, as its sender calls it.
    alert_id: String,
}

/// Shows how far the investigation of an alert is.
#[utoipa::path(
    get,
    path = "/processing-status/{alert_id}",
    tag = "alerts",
    params(AlertPath),
    responses(
        (status = 200, description = "How far it is.", body = ProcessingStatusResponse),
        (status = 404, description = "There was no such alert.", body = ErrorResponse),
    )
)]
pub(crate) async fn fetch_processing_status(
    State(app): State<App>,
    InPath(AlertPath { alert_id }): InPath<AlertPath>,
) -> Result<Json<ProcessingStatusResponse>, ApiError> {
    let investigation = match app.store.session_fetch_by_alert(&alert_id).await? {
        Some(session) => Investigation::fetch(&app.store, session).await?,
        None => None,
    };
    let unknown = || ApiError::Unknown { what: "alert", id: alert_id };
    Ok(Json(investigation.ok_or_else(unknown)?.into()))
}
