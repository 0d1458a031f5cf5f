//! Invalid requests: the error names the field and the expected value.

use axum::http::{Method, StatusCode};
use tarsy_domain::SessionId;

use super::app::TestApp;

#[tokio::test]
async fn rejects_unknown_parameters() {
    let app = TestApp::new().await;
    let session_id = SessionId::new();
    let cases = [
        (
            "/api/v1/sessions?statuss=pending".to_owned(),
            "statuss: unknown parameter; expected one of: alert_type, author, chain_id, compat, cursor, end_date, \
             from_us, limit, page, page_size, q, search, sort, sort_by, sort_order, start_date, status, to_us",
        ),
        (
            format!("/api/v1/sessions/{session_id}/timeline?limit=1&page=2"),
            "page: unknown parameter; expected one of: after, limit",
        ),
        (
            format!("/api/v1/sessions/{session_id}?full=1"),
            "full: unknown parameter; this route has no parameters",
        ),
    ];
    for (address, problem) in cases {
        assert_eq!(app.get(&address).await.error(), (400, problem.to_owned()), "{address}");
    }
    let head = app.send(Method::HEAD, "/api/v1/sessions?statuss=pending", "").await;
    assert_eq!(head.status, StatusCode::BAD_REQUEST);
    app.end().await;
}

#[tokio::test]
async fn rejects_malformed_values() {
    let app = TestApp::new().await;
    let session_id = SessionId::new();
    let cases = [
        ("/api/v1/sessions/17".to_owned(), "session_id: `17` is invalid: "),
        (format!("/api/v1/sessions/{session_id}/trace/llm/x"), "interaction_id: `x` is invalid: "),
        ("/api/v1/sessions/%ff".to_owned(), "session_id: must be UTF-8"),
        ("/api/v1/sessions?from_us=yesterday".to_owned(), "from_us: invalid digit found in string"),
        (
            "/api/v1/sessions?sort=best".to_owned(),
            "sort: unknown variant `best`, expected `newest` or `oldest`",
        ),
        ("/api/v1/sessions?limit=1&limit=2".to_owned(), "limit: "),
        (
            format!("/api/v1/sessions/{session_id}/timeline?after=-1"),
            "after: `-1` is not a position; expected 0 or greater",
        ),
        (
            format!("/api/v1/sessions/{session_id}/timeline?limit=501"),
            "limit: `501` is not an integer from 1 to 500",
        ),
    ];
    for (address, problem) in cases {
        let (status, message) = app.get(&address).await.error();
        assert_eq!(status, 400, "{address}: {message}");
        assert!(message.starts_with(problem), "{address}: {message}");
    }
    app.end().await;
}

#[tokio::test]
async fn an_error_repeats_its_message_at_the_top() {
    let app = TestApp::new().await;
    let error = app.get("/api/v1/sessions/17").await.json();
    assert!(error["message"].as_str().is_some_and(|message| message.starts_with("session_id: ")), "{error}");
    assert_eq!(error["message"], error["error"]["message"]);
    app.end().await;
}

#[tokio::test]
async fn rejects_other_methods() {
    let app = TestApp::new().await;
    let response = app.send(Method::PUT, &format!("/api/v1/sessions/{}", SessionId::new()), "").await;
    assert_eq!(response.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers["allow"], "GET,HEAD,DELETE");
    app.end().await;
}
