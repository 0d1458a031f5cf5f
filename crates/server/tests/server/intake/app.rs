//! A server on its own database.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_server::{AccessMode, AccessPolicy, App, WebhookAuth, router};
use tarsy_store::{Session, SessionFilter, Store};
use tarsy_testkit::TestDatabase;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Two chains and two MCP servers.
pub(crate) const CONFIG: &str = "
queue: { max_queue_size: 1000 }
defaults: { alert_type: Anything }
mcp_servers:
  cluster: { transport: { type: stdio, command: none }, tools: { allow: ['pods_*', nodes_list], deny: [pods_delete] } }
  metrics: { transport: { type: stdio, command: none } }
agents:
  Looker: { mcp_servers: [cluster] }
agent_chains:
  general:
    alert_types: [Anything]
    stages: [{ name: look, agent: Looker }]
  disks:
    alert_types: [DiskFull]
    stages: [{ name: look, agent: Looker }, { name: judge, agent: Looker }]
";

pub(crate) struct TestApp {
    router: Router,
    pub(crate) store: Store,
    pub(crate) stopping: CancellationToken,
}

pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl TestApp {
    pub(crate) fn new(database: &TestDatabase) -> Self {
        Self::with(database, CONFIG)
    }

    pub(crate) fn with(database: &TestDatabase, config: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
        let loaded = Config::load(Some(directory.path()), &Environment::default());
        let Loaded { config, .. } = loaded.unwrap_or_else(|errors| panic!("{errors}"));
        let environment = [("TOKEN", "correct-horse"), ("SECRET", "battery-staple\n")].into_iter().collect();
        let stopping = CancellationToken::new();
        let webhooks = WebhookAuth::new(&config, &environment).unwrap();
        let policy = AccessPolicy { access: AccessMode::Open, webhooks };
        let (store, config) = (database.store.clone(), Arc::new(config));
        let app = App::new(store, config, policy, "1.2.3", stopping.clone()).unwrap();
        Self { router: router(app), store: database.store.clone(), stopping }
    }

    /// Returns the router, to serve it over a real connection.
    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    pub(crate) async fn post_json(&self, path: &str, body: &str) -> ApiResponse {
        self.post(path, &[("content-type", "application/json")], body.to_owned()).await
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> ApiResponse {
        let request =
            headers.iter().fold(Request::post(path), |request, (name, value)| request.header(*name, *value));
        self.send(request.body(body.into()).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn send(&self, request: Request<Body>) -> ApiResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("no JSON: {bytes:?}"));
        ApiResponse { status: parts.status, headers: parts.headers, body }
    }

    /// Returns all sessions, newest first.
    pub(crate) async fn sessions(&self) -> Vec<Session> {
        let page = self.store.session_list(&SessionFilter::default(), None, 200).await.unwrap();
        page.sessions.into_iter().map(|listed| listed.session).collect()
    }
}

impl ApiResponse {
    /// Returns the status and the message of an error.
    pub(crate) fn error(&self) -> String {
        let message = self.body["error"]["message"].as_str();
        format!("{} {}", self.status.as_u16(), message.unwrap_or_else(|| panic!("no error: {}", self.body)))
    }
}
