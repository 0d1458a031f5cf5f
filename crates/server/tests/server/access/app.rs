//! A server with a given access configuration, on its own database.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tarsy_config::{Config, Environment};
use tarsy_domain::{AccessRole, Timestamp};
use tarsy_server::{AccessMode, AccessPolicy, App, GeneratedToken, Listening, WebhookAuth, router};
use tarsy_store::NewApiToken;
use tarsy_testkit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt;

/// Tokens, and a trusted proxy at another address.
pub(crate) const TOKENS_AND_PROXY: &str = "
system:
  dashboard_url: https://tarsy.example.com
  access:
    tokens: true
    proxy:
      addresses: [10.0.0.0/8]
      roles: { admin: [sre], operator: [on-call], viewer: [staff] }
";
/// How long these tests cache tokens.
pub(crate) const TOKEN_CACHE_TTL: Duration = Duration::from_millis(20);

pub(crate) struct TestApp {
    pub(crate) database: TestDatabase,
    router: Router,
    stop: CancellationToken,
}

pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl TestApp {
    pub(crate) async fn new(config: &str) -> Self {
        let database = TestDatabase::sqlite().await;
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
        let loaded = Config::load(Some(directory.path()), &Environment::default());
        let config = Arc::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).config);
        let access = match AccessMode::new(&config) {
            AccessMode::Open => AccessMode::Open,
            AccessMode::Authenticated(authentication) => {
                AccessMode::Authenticated(authentication.with_token_cache_ttl(TOKEN_CACHE_TTL))
            }
        };
        let policy = AccessPolicy { access, webhooks: WebhookAuth::default() };
        let (store, stop) = (database.store.clone(), CancellationToken::new());
        let app = App::new(store, config, policy, "1.2.3", stop.clone()).unwrap();
        Self { database, router: router(app), stop }
    }

    /// Creates a token.
    pub(crate) async fn token(&self, name: &str, role: AccessRole) -> String {
        let GeneratedToken { secret, digest } = GeneratedToken::generate().unwrap();
        let token = NewApiToken { name: name.to_owned(), digest, role };
        assert!(self.database.store.token_insert(token, Timestamp::now()).await.unwrap());
        secret.expose().to_owned()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> ApiResponse {
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        ApiResponse { status: parts.status, headers: parts.headers, text }
    }

    /// Requests the list of sessions with these headers, from an address.
    pub(crate) async fn list_from(&self, peer: &str, headers: &[(&str, &str)]) -> ApiResponse {
        self.send(request("GET", "/api/v1/sessions", peer, headers)).await
    }

    /// Listens on a loopback address until the guard is dropped.
    pub(crate) async fn listen(&self) -> (SocketAddr, DropGuard) {
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listening.address;
        tokio::spawn(listening.serve(self.router.clone(), self.stop.clone()));
        (address, self.stop.clone().drop_guard())
    }

    pub(crate) async fn end(self) {
        self.database.remove().await;
    }
}

/// Returns a request without a body from an address.
pub(crate) fn request(method: &str, path: &str, peer: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    let peer: SocketAddr = format!("{peer}:40000").parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

impl ApiResponse {
    /// Returns the status and the message of an error.
    pub(crate) fn error(&self) -> String {
        let body: Value =
            serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text));
        format!("{} {}", self.status.as_u16(), body["error"]["message"].as_str().unwrap_or_default())
    }
}
