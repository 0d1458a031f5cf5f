//! Pages of others, in the browser of somebody who is let in.

use axum::http::StatusCode;
use tarsy_domain::AccessRole;

use super::app::{Answer, TOKENS_AND_PROXY, TestApp, request};

const CANCEL: &str = "/api/v1/sessions/00000000-0000-7000-8000-000000000000/cancel";

/// Cancels a session that is not there, as an operator whom the proxy knows.
async fn cancel(app: &TestApp, sent: &[(&str, &str)]) -> Answer {
    let known = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "on-call"), ("host", "tarsy:8080")];
    app.send(request("POST", CANCEL, "10.1.2.3", &[&known, sent].concat())).await
}

#[tokio::test]
async fn a_page_of_another_origin_changes_nothing() {
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
        let answer = cancel(&app, foreign).await;
        assert!(
            answer.error().starts_with("403 a page of another origin may change nothing here"),
            "{foreign:?}"
        );
    }
    app.end().await;
}

#[tokio::test]
async fn a_page_cannot_send_what_a_form_could() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let form = [("sec-fetch-site", "same-origin"), ("content-type", "text/plain")];
    assert_eq!(
        cancel(&app, &form).await.error(),
        "400 Content-Type: pages send `application/json` here, and nothing else"
    );
    app.end().await;
}

#[tokio::test]
async fn on_an_open_server_pages_of_others_change_nothing_either() {
    let app = TestApp::new("").await;
    let foreign = [("host", "localhost:8080"), ("origin", "https://evil.example")];
    let answer = app.send(request("POST", CANCEL, "127.0.0.1", &foreign)).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    app.end().await;
}

#[tokio::test]
async fn an_open_server_answers_to_no_name_of_others() {
    let app = TestApp::new("").await;
    let list = async |host: &str| app.list_from("127.0.0.1", &[("host", host)]).await;
    assert_eq!(list("localhost:8080").await.status, StatusCode::OK);
    let told = list("evil.example:8080").await.error();
    assert!(told.starts_with("403 by this name nobody is answered"), "{told}");
    app.end().await;
}

#[tokio::test]
async fn a_token_may_be_shown_from_anywhere_because_no_browser_adds_it_by_itself() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let authorization = format!("Bearer {}", app.token("ops", AccessRole::Operator).await);
    let sent = [("authorization", authorization.as_str()), ("origin", "https://elsewhere.example")];
    let answer = app.send(request("POST", CANCEL, "192.0.2.1", &sent)).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    app.end().await;
}
