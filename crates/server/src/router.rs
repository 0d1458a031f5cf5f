//! Every route of the server on one screen, each with the role that it takes.

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

use crate::access::{Doorkeeper, Gate, admit};
use crate::assets::serve_asset;
use crate::intake::{WebhookGate, admit_alertmanager};
use crate::known_parameters::{KnownParameters, refuse_unknown_parameters};
use crate::live::{socket, sse};
use crate::metrics::count_request;
use crate::routes::{
    alert_types, alerts, chat, docs, document, export, health, history, me, metrics, processing_status,
    ready, session, sessions, system, timeline, trace, webhooks,
};
use crate::{App, openapi};

/// No request takes longer, unless the database does not answer. Streams are not requests of this kind.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The dashboard needs nothing from elsewhere. Its components write their styles into the page, scripts only come
/// from files.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Everything the server answers.
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

/// The description of every route, as it is served. Nothing has to run for it.
pub fn openapi_document() -> OpenApi {
    openapi::completed(groups().merged().into_openapi())
}

/// The routes by the least role that may use them.
struct Groups {
    anybody: OpenApiRouter<App>,
    alertmanager: OpenApiRouter<App>,
    viewer: OpenApiRouter<App>,
    operator: OpenApiRouter<App>,
    admin: OpenApiRouter<App>,
}

fn groups() -> Groups {
    let anybody = OpenApiRouter::new()
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
        .routes(routes!(timeline::list_timeline))
        .routes(routes!(trace::list_trace))
        .routes(routes!(trace::fetch_llm_interaction))
        .routes(routes!(trace::fetch_mcp_interaction))
        .routes(routes!(export::export_session))
        .routes(routes!(chat::list_chat_messages))
        .routes(routes!(alert_types::list_alert_types))
        .routes(routes!(processing_status::fetch_processing_status))
        .routes(routes!(history::list_history))
        .routes(routes!(history::fetch_history_session))
        .routes(routes!(system::list_mcp_servers))
        .routes(routes!(system::fetch_config))
        .routes(routes!(system::list_warnings))
        .routes(routes!(metrics::measure))
        .routes(routes!(socket::open_socket))
        .routes(routes!(sse::stream_session));
    let operator = OpenApiRouter::new()
        .routes(routes!(alerts::submit_alert))
        .routes(routes!(alerts::submit_alert_shortly))
        .routes(routes!(session::cancel_session))
        .routes(routes!(chat::ask_question));
    let alertmanager = OpenApiRouter::new().routes(routes!(webhooks::receive_alertmanager));
    let admin = OpenApiRouter::new().routes(routes!(session::delete_session));
    Groups { anybody, alertmanager, viewer, operator, admin }
}

impl Groups {
    /// The same, with a door before each.
    fn guarded(self, app: &App) -> Self {
        let only = |role, routes| only(&app.doorkeeper, role, routes);
        Self {
            anybody: self.anybody,
            alertmanager: from_alertmanager(app, self.alertmanager),
            viewer: only(AccessRole::Viewer, self.viewer),
            operator: only(AccessRole::Operator, self.operator),
            admin: only(AccessRole::Admin, self.admin),
        }
    }

    fn merged(self) -> OpenApiRouter<App> {
        OpenApiRouter::with_openapi(openapi::base())
            .merge(self.anybody)
            .merge(self.alertmanager)
            .merge(self.viewer)
            .merge(self.operator)
            .merge(self.admin)
    }
}

/// These routes are for whoever has `role`, or one that may do more.
fn only(doorkeeper: &Arc<Doorkeeper>, role: AccessRole, routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    let gate = Gate { doorkeeper: Arc::clone(doorkeeper), role };
    let known = KnownParameters::of(routes.get_openapi());
    routes
        .route_layer(from_fn_with_state(known, refuse_unknown_parameters))
        .route_layer(from_fn_with_state(gate, admit))
}

/// These routes are for Alertmanager, which proves itself in the way that is configured, or else has the role that
/// submitting takes.
fn from_alertmanager(app: &App, routes: OpenApiRouter<App>) -> OpenApiRouter<App> {
    let gate = Gate { doorkeeper: Arc::clone(&app.doorkeeper), role: AccessRole::Operator };
    let gate = WebhookGate { webhooks: Arc::clone(&app.webhooks), gate };
    routes.route_layer(from_fn_with_state(gate, admit_alertmanager))
}

fn fixed_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
