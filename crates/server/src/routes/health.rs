//! `GET /health`: the liveness probe. It depends on no other component.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;

/// The process is alive.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HealthResponse {
    /// Always `ok`.
    status: &'static str,
    /// The version of the binary.
    version: &'static str,
}

/// Reports that the process is alive.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, description = "The process is alive.", body = HealthResponse)))]
pub(crate) async fn health(State(app): State<App>) -> Json<HealthResponse> {
    Json(HealthResponse { status: "ok", version: app.version })
}
