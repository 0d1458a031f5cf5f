//! `GET /api/v1/openapi.json`: the OpenAPI document.

use std::sync::Arc;

use axum::http::header;
use axum::routing::get;
use axum::{Json, Router};
use utoipa::openapi::OpenApi;

use crate::App;

/// Serves the OpenAPI document.
pub(crate) fn routes(document: OpenApi) -> Router<App> {
    let document: Arc<OpenApi> = Arc::new(document);
    Router::new().route(
        "/api/v1/openapi.json",
        get(async move || ([(header::CACHE_CONTROL, "no-cache")], Json(document))),
    )
}
