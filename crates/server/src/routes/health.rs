//! `GET /health`: whether the process lives. It asks nobody else.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::App;

/// The process lives.
#[derive(Debug, Serialize)]
pub struct HealthResponse {
    /// Always `ok`: a process that cannot say so says nothing.
    pub status: &'static str,
    /// The version of the binary.
    pub version: &'static str,
}

/// Tells that the process lives.
pub(crate) async fn health(State(app): State<App>) -> Json<HealthResponse> {
    Json(HealthResponse { status: "ok", version: app.version })
}
