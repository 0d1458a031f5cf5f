//! What a proxy says of its users, and what others say in its place.

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
    let answer = app.send(request("DELETE", delete, "10.1.2.3", &ANN)).await;
    assert_eq!(answer.error(), "403 this takes the role `admin`");
    let sre = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "other,sre")];
    let answer = app.send(request("DELETE", delete, "10.1.2.3", &sre)).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    app.end().await;
}

#[tokio::test]
async fn headers_that_anybody_else_sends_count_for_nothing() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let forged =
        [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre"), ("x-forwarded-for", "10.1.2.3")];
    for peer in ["192.0.2.1", "127.0.0.1", "[::1]", "[::ffff:11.1.2.3]"] {
        let answer = app.list_from(peer, &forged).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{peer}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer realm=\"tarsy\"");
    }
    assert_eq!(app.list_from("[::ffff:10.1.2.3]", &forged).await.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test]
async fn the_other_names_of_the_headers_are_not_believed_beside_the_configured_ones() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let passed_on = [("x-auth-request-user", "ann"), ("x-auth-request-groups", "sre")];
    assert_eq!(app.list_from("10.1.2.3", &passed_on).await.status, StatusCode::UNAUTHORIZED);
    app.end().await;
}

#[tokio::test]
async fn a_user_without_a_role_is_told_what_is_missing() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let told = app.list_from("10.1.2.3", &[("x-forwarded-user", "bob")]).await.error();
    assert!(told.starts_with("403 bob is in no group that has a role here"), "{told}");
    app.end().await;
}

#[tokio::test]
async fn a_token_for_somebody_else_does_not_hide_the_user_of_the_proxy() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let [user, groups] = ANN;
    let answer =
        app.list_from("10.1.2.3", &[user, groups, ("authorization", "Bearer eyJhbGciOiJSUzI1NiJ9")]).await;
    assert_eq!(answer.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test]
async fn whoever_is_known_by_an_address_is_named_by_it() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let known = [("x-forwarded-email", "ann@example.com"), ("x-forwarded-groups", "on-call")];
    let mut submission = request("POST", "/alerts", "10.1.2.3", &known);
    *submission.body_mut() = Body::from("the shop is down, said bob@example.com");
    assert_eq!(app.send(submission).await.status, StatusCode::ACCEPTED);
    let page = app.database.store.session_list(&SessionFilter::default(), None, 1).await.unwrap();
    assert_eq!(page.sessions[0].session.author.as_deref(), Some("ann@example.com"));
    app.end().await;
}
