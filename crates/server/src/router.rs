//! Every route of the server on one screen, each with the role that it takes.

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{Gate, Role, admit};
use crate::assets::serve_asset;
use crate::routes::{document, health, sessions};
use crate::{App, openapi};

/// No request takes longer, unless the database does not answer. Streams are not requests of this kind.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The dashboard needs nothing from elsewhere. Its components write their styles into the page, scripts only come
/// from files.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Everything the server answers.
pub fn router(app: App) -> Router {
    let (routes, document) = described_routes(&app).split_for_parts();
    routes
        .merge(document::routes(document))
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

/// The description of every route, as it is served.
pub fn openapi_document(app: &App) -> OpenApi {
    described_routes(app).split_for_parts().1
}

fn described_routes(app: &App) -> OpenApiRouter<App> {
    let anybody = OpenApiRouter::new().routes(routes!(health::health));
    let viewer = OpenApiRouter::new().routes(routes!(sessions::list_sessions));
    let operator = OpenApiRouter::new();
    let admin = OpenApiRouter::new();
    OpenApiRouter::with_openapi(openapi::base())
        .merge(anybody)
        .merge(only(app, Role::Viewer, viewer))
        .merge(only(app, Role::Operator, operator))
        .merge(only(app, Role::Admin, admin))
}

/// These routes are for whoever has `role`, or one that may do more.
fn only(app: &App, role: Role, routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    let gate = Gate { access: app.access.clone(), role };
    routes.route_layer(from_fn_with_state(gate, admit))
}

fn fixed_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
