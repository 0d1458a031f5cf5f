//! Authentication by a trusted proxy.

use axum::body::Body;
use axum::http::StatusCode;
use tarsy_store::SessionFilter;

use super::app::{TOKENS_AND_PROXY, TestApp, request};

const ANN: [(&str, &str); 2] = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "staff")];

#[tokio::test]
async fn a_user_of_the_proxy_has_the_role_of_their_group() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let delete = "/api/v1/sessions/00000000-0000-7000-8000-000000000000";
    assert_eq!(app.list_from("10.1.2.3", &ANN).await.status, StatusCode::OK);
    let response = app.send(request("DELETE", delete, "10.1.2.3", &ANN)).await;
    assert_eq!(response.error(), "403 requires the role `admin`");
    let sre = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "other,sre")];
    let response = app.send(request("DELETE", delete, "10.1.2.3", &sre)).await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    app.end().await;
}

#[tokio::test]
async fn ignores_proxy_headers_of_other_peers() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let forged =
        [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre"), ("x-forwarded-for", "10.1.2.3")];
    for peer in ["192.0.2.1", "127.0.0.1", "[::1]", "[::ffff:11.1.2.3]"] {
        let response = app.list_from(peer, &forged).await;
        assert_eq!(response.status, StatusCode::UNAUTHORIZED, "{peer}");
        assert_eq!(response.headers["www-authenticate"], "Bearer realm=\"tarsy\"");
    }
    assert_eq!(app.list_from("[::ffff:10.1.2.3]", &forged).await.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test]
async fn ignores_headers_that_are_not_configured() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let forwarded = [("x-auth-request-user", "ann"), ("x-auth-request-groups", "sre")];
    assert_eq!(app.list_from("10.1.2.3", &forwarded).await.status, StatusCode::UNAUTHORIZED);
    app.end().await;
}

#[tokio::test]
async fn rejects_a_user_without_a_role() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let error = app.list_from("10.1.2.3", &[("x-forwarded-user", "bob")]).await.error();
    assert!(error.starts_with("403 user bob is in no group that has a role"), "{error}");
    app.end().await;
}

#[tokio::test]
async fn ignores_foreign_bearer_tokens_next_to_proxy_headers() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let [user, groups] = ANN;
    let response =
        app.list_from("10.1.2.3", &[user, groups, ("authorization", "Bearer eyJhbGciOiJSUzI1NiJ9")]).await;
    assert_eq!(response.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test]
async fn the_author_of_an_alert_is_the_email_address_of_the_user() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let known = [("x-forwarded-email", "ann@example.com"), ("x-forwarded-groups", "on-call")];
    let mut submission = request("POST", "/alerts", "10.1.2.3", &known);
    *submission.body_mut() = Body::from("the shop is down, reported by bob@example.com");
    assert_eq!(app.send(submission).await.status, StatusCode::ACCEPTED);
    let page = app.database.store.session_list(&SessionFilter::default(), None, 1).await.unwrap();
    assert_eq!(page.sessions[0].session.author.as_deref(), Some("ann@example.com"));
    app.end().await;
}
