//! A server on its own database.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde_json::Value;
use tarsy_config::{Config, Environment};
use tarsy_server::{
    AccessMode, AccessPolicy, App, Listening, Reporter, RunbookLister, RunbookListing, SystemReport,
    WebhookAuth, router,
};
use tarsy_store::Store;
use tarsy_testkit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt;

pub(crate) struct TestApp {
    pub(crate) database: TestDatabase,
    pub(crate) config: Arc<Config>,
    router: Router,
}

pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl TestApp {
    pub(crate) async fn new() -> Self {
        Self::with_reporter(Arc::new(SystemReport::default)).await
    }

    /// Creates a server with a system report.
    pub(crate) async fn with_reporter(reporter: Reporter) -> Self {
        Self::create(|app| app.with_reporter(reporter)).await
    }

    /// Creates a server with a list of runbooks.
    pub(crate) async fn with_runbooks(listing: RunbookListing) -> Self {
        let lister: RunbookLister = Arc::new(move || std::future::ready(listing.clone()).boxed());
        Self::create(|app| app.with_runbook_lister(lister)).await
    }

    async fn create(change: impl FnOnce(App) -> App) -> Self {
        let database = TestDatabase::sqlite().await;
        let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
        let (store, stop) = (database.store.clone(), CancellationToken::new());
        let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
        let app = App::new(store, Arc::clone(&config), policy, "1.2.3", stop).unwrap();
        Self { database, config, router: router(change(app)) }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.database.store
    }

    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, "").await
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: &str) -> ApiResponse {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .body(Body::from(body.to_owned()))
            .unwrap();
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        ApiResponse { status: parts.status, headers: parts.headers, text }
    }

    /// Listens on a loopback address until the guard is dropped.
    pub(crate) async fn listen(&self) -> (SocketAddr, DropGuard) {
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (address, stop) = (listening.address, CancellationToken::new());
        tokio::spawn(listening.serve(self.router.clone(), stop.clone()));
        (address, stop.drop_guard())
    }

    pub(crate) async fn end(self) {
        self.database.remove().await;
    }
}

impl ApiResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Returns the status and the message of an error.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status.as_u16(), self.json()["error"]["message"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns the status and the body, with ids replaced by stable names.
    pub(crate) fn with_stable_ids(&self) -> String {
        let body = serde_json::to_string_pretty(&self.json()).unwrap();
        format!("{}\n{}", self.status.as_u16(), replace_ids(&body))
    }
}

/// Replaces each id with its number in the text.
fn replace_ids(text: &str) -> String {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut replaced = String::new();
    for (index, piece) in text.split('"').enumerate() {
        if index > 0 {
            replaced.push('"');
        }
        let is_id = piece.len() == 36 && piece.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        if is_id {
            let next = known.len() + 1;
            write!(replaced, "id {}", known.entry(piece.to_owned()).or_insert(next)).unwrap();
        } else {
            replaced.push_str(piece);
        }
    }
    replaced
}
