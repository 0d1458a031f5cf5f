//! All routes of the server, with the role that each requires.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tarsy_domain::AccessRole;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{AccessControl, RoleGuard, authorize};
use crate::assets::serve_asset;
use crate::intake::{WebhookGuard, authorize_alertmanager};
use crate::known_parameters::{KnownParameters, reject_unknown_parameters};
use crate::live::{socket, sse};
use crate::metrics::count_request;
use crate::routes::{
    alert_types, alerts, chat, default_tools, docs, document, export, health, history, me, metrics,
    processing_status, ready, runbooks, session, session_summary, sessions, system, timeline, trace,
    webhooks,
};
use crate::{App, openapi};

/// Maximum duration of a request until its response begins. Streams may last longer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The dashboard loads nothing from other hosts. Its components inject styles into the page; scripts come
/// from files only.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Returns the router with all routes and middleware.
pub fn router(app: App) -> Router {
    let (routes, document) = groups().guarded(&app).merged().split_for_parts();
    routes
        .merge(document::routes(openapi::completed(document)))
        .merge(docs::routes())
        .fallback(get(serve_asset))
        .layer(CompressionLayer::new())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT))
        .layer(CatchPanicLayer::new())
        .layer(fixed_header(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .layer(fixed_header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed_header(header::REFERRER_POLICY, "no-referrer"))
        .layer(TraceLayer::new_for_http())
        .layer(from_fn_with_state(app.metrics.clone(), count_request))
        .with_state(app)
}

/// Returns the OpenAPI document as it is served. No running server is required.
pub fn openapi_document() -> OpenApi {
    openapi::completed(groups().merged().into_openapi())
}

/// The routes, grouped by the minimum role that may use them.
struct Groups {
    public: OpenApiRouter<App>,
    alertmanager: OpenApiRouter<App>,
    viewer: OpenApiRouter<App>,
    operator: OpenApiRouter<App>,
    admin: OpenApiRouter<App>,
}

fn groups() -> Groups {
    let public = OpenApiRouter::new()
        .routes(routes!(health::health))
        .routes(routes!(ready::ready))
        .routes(routes!(me::sign_in))
        .routes(routes!(me::sign_out));
    let viewer = OpenApiRouter::new()
        .routes(routes!(me::fetch_me))
        .routes(routes!(sessions::list_sessions))
        .routes(routes!(sessions::list_active_sessions))
        .routes(routes!(sessions::list_filter_options))
        .routes(routes!(session::fetch_session))
        .routes(routes!(session::fetch_session_status))
        .routes(routes!(session_summary::fetch_session_summary))
        .routes(routes!(timeline::list_timeline))
        .routes(routes!(trace::list_trace))
        .routes(routes!(trace::fetch_llm_interaction))
        .routes(routes!(trace::fetch_mcp_interaction))
        .routes(routes!(export::export_session))
        .routes(routes!(chat::list_chat_messages))
        .routes(routes!(alert_types::list_alert_types))
        .routes(routes!(runbooks::list_runbooks))
        .routes(routes!(processing_status::fetch_processing_status))
        .routes(routes!(history::list_history))
        .routes(routes!(history::fetch_history_session))
        .routes(routes!(system::list_mcp_servers))
        .routes(routes!(default_tools::list_default_tools))
        .routes(routes!(system::fetch_config))
        .routes(routes!(system::list_warnings))
        .routes(routes!(metrics::measure))
        .routes(routes!(socket::open_socket))
        .routes(routes!(sse::stream_session));
    let operator = OpenApiRouter::new()
        .routes(routes!(alerts::submit_alert))
        .routes(routes!(alerts::submit_alert_short_url))
        .routes(routes!(session::cancel_session))
        .routes(routes!(chat::ask_question));
    let alertmanager = OpenApiRouter::new().routes(routes!(webhooks::receive_alertmanager));
    let admin = OpenApiRouter::new().routes(routes!(session::delete_session));
    Groups { public, alertmanager, viewer, operator, admin }
}

impl Groups {
    /// Adds authorization to each group.
    fn guarded(self, app: &App) -> Self {
        let restricted = |role, routes| restricted(&app.access_control, role, routes);
        Self {
            public: self.public,
            alertmanager: from_alertmanager(app, self.alertmanager),
            viewer: restricted(AccessRole::Viewer, self.viewer),
            operator: restricted(AccessRole::Operator, self.operator),
            admin: restricted(AccessRole::Admin, self.admin),
        }
    }

    fn merged(self) -> OpenApiRouter<App> {
        OpenApiRouter::with_openapi(openapi::base())
            .merge(self.public)
            .merge(self.alertmanager)
            .merge(self.viewer)
            .merge(self.operator)
            .merge(self.admin)
    }
}

/// Restricts routes to callers with at least `role`, and rejects unknown query parameters.
fn restricted(
    access_control: &Arc<AccessControl>,
    role: AccessRole,
    routes: OpenApiRouter<App>,
) -> OpenApiRouter<App> {
    let guard = RoleGuard { access_control: Arc::clone(access_control), role };
    let known = KnownParameters::of(routes.get_openapi());
    routes
        .route_layer(from_fn_with_state(known, reject_unknown_parameters))
        .route_layer(from_fn_with_state(guard, authorize))
}

/// Restricts routes to Alertmanager, authenticated as configured for webhooks, or by the operator role if
/// nothing is configured.
fn from_alertmanager(app: &App, routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    let guard = RoleGuard { access_control: Arc::clone(&app.access_control), role: AccessRole::Operator };
    let guard = WebhookGuard { webhooks: Arc::clone(&app.webhooks), guard };
    routes.route_layer(from_fn_with_state(guard, authorize_alertmanager))
}

fn fixed_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
