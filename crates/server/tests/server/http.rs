//! The server over a real store, asked as a client would ask it.

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

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

async fn get(database: &TestDatabase, path: &str) -> Answer {
    let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
    let store = database.store.clone();
    let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
    let app = App::new(store, config, policy, "1.2.3", CancellationToken::new()).unwrap();
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = router(app).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[tokio::test]
async fn health_says_that_the_process_lives() {
    let database = TestDatabase::sqlite().await;
    let answer = get(&database, "/health").await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (StatusCode::OK, r#"{"status":"ok","version":"1.2.3"}"#)
    );
    database.remove().await;
}

#[tokio::test]
async fn sessions_come_in_pages_that_link_to_the_next() {
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
async fn a_wrong_parameter_is_named_with_what_would_be_right() {
    let database = TestDatabase::sqlite().await;
    let cases = [
        ("limit=0", "limit: `0` is not a whole number from 1 to 200"),
        ("limit=many", "limit: `many` is not a whole number from 1 to 200"),
        (
            "status=done",
            "status: unknown variant `done`, expected one of `pending`, `in_progress`, `cancelling`, `completed`, \
             `completed_with_errors`, `failed`, `timed_out`, `cancelled`",
        ),
        ("cursor=x", "cursor: `x` is not a cursor, expected one that came with an earlier page"),
    ];
    for (query, message) in cases {
        let answer = get(&database, &format!("/api/v1/sessions?{query}")).await;
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(body["error"]["message"], message);
    }
    database.remove().await;
}

#[tokio::test]
async fn a_database_that_is_gone_is_told_without_details() {
    let database = TestDatabase::sqlite().await;
    database.store.close().await;
    let answer = get(&database, "/api/v1/sessions").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        answer.body,
        r#"{"error":{"code":"store_unavailable","message":"the database did not answer as it should; the server's log says why"}}"#
    );
}

#[tokio::test]
async fn an_unknown_api_address_is_not_the_dashboard() {
    let database = TestDatabase::sqlite().await;
    let answer = get(&database, "/api/v1/nothing").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(answer.body.contains("there is nothing at /api/v1/nothing"), "{}", answer.body);
    database.remove().await;
}

#[tokio::test]
async fn no_path_leads_out_of_the_dashboard_files() {
    let database = TestDatabase::sqlite().await;
    for path in ["/../Cargo.toml", "/..%2f..%2fCargo.toml", "/assets/../../../Cargo.toml", "//etc/passwd"] {
        let answer = get(&database, path).await;
        assert!(!answer.body.contains("[package]") && !answer.body.contains("root:"), "{path}");
    }
    database.remove().await;
}

#[tokio::test]
async fn every_answer_forbids_foreign_content() {
    let database = TestDatabase::sqlite().await;
    for path in ["/", "/health", "/api/v1/nothing"] {
        let answer = get(&database, path).await;
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'self'") && !policy.contains("script-src"),
            "{path}: {policy}"
        );
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    database.remove().await;
}
