//! `/api/docs`: the API documentation for people. The page renders the OpenAPI document and loads nothing
//! from other hosts.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::App;

const PAGE: &str = include_str!("../../pages/docs.html");
const STYLE: &str = include_str!("../../pages/docs.css");
const SCRIPT: &str = include_str!("../../pages/docs.js");

/// Serves the page, its script and its style sheet.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/docs", get(async || file(PAGE, "text/html; charset=utf-8")))
        .route("/api/docs/docs.css", get(async || file(STYLE, "text/css; charset=utf-8")))
        .route("/api/docs/docs.js", get(async || file(SCRIPT, "text/javascript; charset=utf-8")))
}

fn file(text: &'static str, kind: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text)
}
