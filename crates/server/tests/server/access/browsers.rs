//! Cross-origin requests in the browser of an authenticated user.

use axum::http::StatusCode;
use tarsy_domain::AccessRole;

use super::app::{ApiResponse, TOKENS_AND_PROXY, TestApp, request};

const CANCEL: &str = "/api/v1/sessions/00000000-0000-7000-8000-000000000000/cancel";

/// Cancels a session that does not exist, as an operator that the proxy authenticated.
async fn cancel(app: &TestApp, sent: &[(&str, &str)]) -> ApiResponse {
    let known = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "on-call"), ("host", "tarsy:8080")];
    app.send(request("POST", CANCEL, "10.1.2.3", &[&known, sent].concat())).await
}

#[tokio::test]
async fn rejects_changes_from_pages_of_another_origin() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    for own in [
        &[][..],
        &[("origin", "https://tarsy.example.com")],
        &[("origin", "http://tarsy:8080")],
        &[("sec-fetch-site", "same-origin"), ("origin", "https://elsewhere.example")],
    ] {
        assert_eq!(cancel(&app, own).await.status, StatusCode::NOT_FOUND, "{own:?}");
    }
    for foreign in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), ("origin", "https://other.example.com")],
    ] {
        let response = cancel(&app, foreign).await;
        assert!(response.error().starts_with("403 cross-origin requests may not change data"), "{foreign:?}");
    }
    app.end().await;
}

#[tokio::test]
async fn rejects_form_content_types_from_pages() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let form = [("sec-fetch-site", "same-origin"), ("content-type", "text/plain")];
    assert_eq!(
        cancel(&app, &form).await.error(),
        "400 Content-Type: must be `application/json` for requests from a page"
    );
    app.end().await;
}

#[tokio::test]
async fn rejects_cross_origin_changes_without_authentication() {
    let app = TestApp::new("").await;
    let foreign = [("host", "localhost:8080"), ("origin", "https://evil.example")];
    let response = app.send(request("POST", CANCEL, "127.0.0.1", &foreign)).await;
    assert_eq!(response.status, StatusCode::FORBIDDEN);
    app.end().await;
}

#[tokio::test]
async fn accepts_changes_from_pages_that_a_host_pattern_allows() {
    let app = TestApp::new("system: { allowed_ws_origins: ['*.apps.example.com', 'localhost:*'] }").await;
    for (origin, status) in [
        ("https://ops.apps.example.com", StatusCode::NOT_FOUND),
        ("http://localhost:5173", StatusCode::NOT_FOUND),
        ("https://apps.example.com", StatusCode::FORBIDDEN),
        ("https://ops.apps.example.com:8443", StatusCode::FORBIDDEN),
        ("https://ops.apps.example.com.evil.example", StatusCode::FORBIDDEN),
    ] {
        let sent = [("host", "localhost:8080"), ("origin", origin)];
        let response = app.send(request("POST", CANCEL, "127.0.0.1", &sent)).await;
        assert_eq!(response.status, status, "{origin}");
    }
    // A pattern is about pages; it does not add names of this server.
    let response = app.list_from("127.0.0.1", &[("host", "ops.apps.example.com")]).await;
    assert_eq!(response.status, StatusCode::FORBIDDEN);
    app.end().await;
}

#[tokio::test]
async fn rejects_unknown_hosts_without_authentication() {
    let app = TestApp::new("").await;
    let list = async |host: &str| app.list_from("127.0.0.1", &[("host", host)]).await;
    assert_eq!(list("localhost:8080").await.status, StatusCode::OK);
    let error = list("evil.example:8080").await.error();
    assert!(error.starts_with("403 host `evil.example:8080` is not allowed"), "{error}");
    app.end().await;
}

#[tokio::test]
async fn accepts_tokens_from_any_origin() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let authorization = format!("Bearer {}", app.token("ops", AccessRole::Operator).await);
    let sent = [("authorization", authorization.as_str()), ("origin", "https://elsewhere.example")];
    let response = app.send(request("POST", CANCEL, "192.0.2.1", &sent)).await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    app.end().await;
}
