//! Common behavior of all routes.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use tarsy_config::{Config, Environment};
use tarsy_domain::Timestamp;
use tarsy_server::{AccessMode, AccessPolicy, App, WebhookAuth, router};
use tarsy_store::QueueLimit;
use tarsy_testkit::{TestDatabase, new_session};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

struct ApiResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

async fn get(database: &TestDatabase, path: &str) -> ApiResponse {
    let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
    let store = database.store.clone();
    let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
    let app = App::new(store, config, policy, "1.2.3", CancellationToken::new()).unwrap();
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = router(app).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    ApiResponse {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[tokio::test]
async fn health_reports_a_live_process() {
    let database = TestDatabase::sqlite().await;
    let response = get(&database, "/health").await;
    assert_eq!(
        (response.status, response.body.as_str()),
        (StatusCode::OK, r#"{"status":"ok","version":"1.2.3"}"#)
    );
    database.remove().await;
}

#[tokio::test]
async fn session_pages_link_to_the_next_page() {
    let database = TestDatabase::sqlite().await;
    for number in 0..3 {
        let session = new_session(&format!("a{number}"));
        database
            .store
            .session_insert(session, QueueLimit::Unlimited, Timestamp::from_micros(number))
            .await
            .unwrap();
    }
    let mut seen = Vec::new();
    let mut path = "/api/v1/sessions?limit=2&status=pending&status=failed".to_owned();
    loop {
        let page: serde_json::Value = serde_json::from_str(&get(&database, &path).await.body).unwrap();
        let alerts =
            page["sessions"].as_array().unwrap().iter().map(|session| session["alert_id"].to_string());
        seen.extend(alerts);
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/api/v1/sessions?limit=2&status=pending&status=failed&cursor={cursor}");
    }
    assert_eq!(seen, ["\"a2\"", "\"a1\"", "\"a0\""]);
    database.remove().await;
}

#[tokio::test]
async fn an_invalid_parameter_is_named_with_the_expected_values() {
    let database = TestDatabase::sqlite().await;
    let cases = [
        ("limit=0", "limit: `0` is not an integer from 1 to 200"),
        ("limit=many", "limit: `many` is not an integer from 1 to 200"),
        (
            "status=done",
            "status: unknown variant `done`, expected one of `pending`, `in_progress`, `cancelling`, `completed`, \
             `completed_with_errors`, `failed`, `timed_out`, `cancelled`",
        ),
        ("cursor=x", "cursor: `x` is not a cursor, expected the cursor of an earlier page"),
    ];
    for (query, message) in cases {
        let response = get(&database, &format!("/api/v1/sessions?{query}")).await;
        let body: serde_json::Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(body["error"]["message"], message);
    }
    database.remove().await;
}

#[tokio::test]
async fn a_database_failure_is_reported_without_details() {
    let database = TestDatabase::sqlite().await;
    database.store.close().await;
    let response = get(&database, "/api/v1/sessions").await;
    assert_eq!(response.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        response.body,
        r#"{"error":{"code":"store_unavailable","message":"the database operation failed; see the server log for the cause"},"message":"the database operation failed; see the server log for the cause"}"#
    );
}

#[tokio::test]
async fn an_unknown_api_path_does_not_return_the_dashboard() {
    let database = TestDatabase::sqlite().await;
    let response = get(&database, "/api/v1/nothing").await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    assert!(response.body.contains("no route matches /api/v1/nothing"), "{}", response.body);
    database.remove().await;
}

#[tokio::test]
async fn no_path_escapes_the_dashboard_files() {
    let database = TestDatabase::sqlite().await;
    for path in ["/../Cargo.toml", "/..%2f..%2fCargo.toml", "/assets/../../../Cargo.toml", "//etc/passwd"] {
        let response = get(&database, path).await;
        assert!(!response.body.contains("[package]") && !response.body.contains("root:"), "{path}");
    }
    database.remove().await;
}

#[tokio::test]
async fn every_response_sets_the_content_security_policy() {
    let database = TestDatabase::sqlite().await;
    for path in ["/", "/health", "/api/v1/nothing"] {
        let response = get(&database, path).await;
        let policy = response.headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'self'") && !policy.contains("script-src"),
            "{path}: {policy}"
        );
        assert_eq!(response.headers["x-content-type-options"], "nosniff");
    }
    database.remove().await;
}
