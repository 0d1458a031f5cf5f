//! The application: what the routes share, and every route on one screen.

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::routing::get;
use tarsy_store::Store;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

use crate::assets::serve_asset;
use crate::routes::{health, list_sessions};

/// No request of today takes longer, unless the database does not answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The dashboard needs nothing from elsewhere. Its components write their styles into the page, scripts only come
/// from files.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// What the routes share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The record.
    pub store: Store,
    /// The version of the binary.
    pub version: &'static str,
}

/// Every route of the server.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/api/v1/sessions", get(list_sessions))
        .fallback(get(serve_asset))
        .layer(CompressionLayer::new())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT))
        .layer(CatchPanicLayer::new())
        .layer(fixed_header(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .layer(fixed_header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed_header(header::REFERRER_POLICY, "no-referrer"))
        .layer(TraceLayer::new_for_http())
        .with_state(app)
}

fn fixed_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
