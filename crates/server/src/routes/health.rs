//! `GET /health`: whether the process lives. It asks nobody else.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;

/// The process lives.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HealthResponse {
    /// Always `ok`: a process that cannot say so says nothing.
    status: &'static str,
    /// The version of the binary.
    version: &'static str,
}

/// Tells that the process lives.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, description = "It lives.", body = HealthResponse)))]
pub(crate) async fn health(State(app): State<App>) -> Json<HealthResponse> {
    Json(HealthResponse { status: "ok", version: app.version })
}
