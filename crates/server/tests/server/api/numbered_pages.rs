//! `GET /api/v1/sessions` with the parameters of the Go version of TARSy.

use serde_json::{Value, json};

use super::app::TestApp;

fn alert_ids(page: &Value) -> Vec<&str> {
    let sessions = page["sessions"].as_array().unwrap_or_else(|| panic!("no page: {page}"));
    sessions.iter().map(|session| session["alert_id"].as_str().unwrap()).collect()
}

/// Creates a completed, a running and a queued session, in this order.
async fn three_sessions() -> TestApp {
    let app = TestApp::new().await;
    app.completed("done").await;
    app.running("busy").await;
    app.submit("waiting", 500_000).await;
    app
}

#[tokio::test]
async fn the_parameters_of_the_go_version_select_sort_and_count() {
    let app = three_sessions().await;
    let cases: [(&str, &[&str], u64); 14] = [
        ("page=1", &["waiting", "busy", "done"], 3),
        ("page=1&page_size=2", &["waiting", "busy"], 3),
        ("page=2&page_size=2", &["done"], 3),
        ("page=9&page_size=2", &[], 3),
        ("sort_by=status", &["waiting", "busy", "done"], 3),
        ("sort_by=status&sort_order=asc", &["done", "busy", "waiting"], 3),
        ("sort_order=asc", &["done", "busy", "waiting"], 3),
        ("sort_by=duration&sort_order=desc", &["done", "waiting", "busy"], 3),
        ("page=1&status=pending,completed", &["waiting", "done"], 2),
        ("page=1&status=pending,completed&status=in_progress", &["waiting", "busy", "done"], 3),
        ("search=memory", &["done"], 1),
        ("start_date=1970-01-01T00:00:00.5Z", &["waiting"], 1),
        ("end_date=1970-01-01T02:00:00.5%2B02:00", &["busy", "done"], 2),
        ("compat=go", &["waiting", "busy", "done"], 3),
    ];
    for (query, expected, total) in cases {
        for list in ["/api/v1/sessions", "/api/v1/history/sessions"] {
            let page = app.get(&format!("{list}?{query}")).await.json();
            assert_eq!(alert_ids(&page), expected, "{query}");
            assert_eq!(page["pagination"]["total_items"], total, "{query}");
            assert_eq!(page["next_cursor"], Value::Null, "{query}");
        }
    }
    app.end().await;
}

#[tokio::test]
async fn a_session_of_a_numbered_page_has_the_fields_of_the_go_version() {
    let app = three_sessions().await;
    let page = app.get("/api/v1/sessions?search=memory").await.json();
    let session = &page["sessions"][0];
    assert_eq!(session["id"], session["session_id"]);
    let expected = json!({
        "created_at": "1970-01-01T00:00:00.001Z",
        "started_at": "1970-01-01T00:00:00.002Z",
        "completed_at": "1970-01-01T00:00:00.05Z",
        "duration_ms": 48,
        "llm_interaction_count": 3,
        "mcp_interaction_count": 1,
        "total_tokens": 360,
        "total_stages": 1,
        "completed_stages": 1,
        "failed_stages": 0,
        "has_parallel_stages": false,
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&session[field], value, "{field}: {session}");
    }
    let page = app.get("/api/v1/sessions").await.json();
    assert_eq!(page["sessions"][0].get("id"), None, "{page}");
    app.end().await;
}

#[tokio::test]
async fn only_a_numbered_page_has_totals() {
    let app = three_sessions().await;
    let page = app.get("/api/v1/sessions?page=2&page_size=2").await.json();
    assert_eq!(page["pagination"], json!({ "page": 2, "page_size": 2, "total_pages": 2, "total_items": 3 }));
    let page = app.get("/api/v1/sessions?compat=go").await.json();
    assert_eq!(page["pagination"], json!({ "page": 1, "page_size": 25, "total_pages": 1, "total_items": 3 }));
    let none = app.get("/api/v1/sessions?compat=go&alert_type=x").await.json();
    assert_eq!(none["pagination"], json!({ "page": 1, "page_size": 25, "total_pages": 0, "total_items": 0 }));
    for query in ["", "?status=pending,completed", "?limit=1", "?q=memory"] {
        let page = app.get(&format!("/api/v1/sessions{query}")).await.json();
        assert_eq!(page["pagination"], Value::Null, "{query}");
    }
    app.end().await;
}

#[tokio::test]
async fn rejects_wrong_and_contradictory_values() {
    let app = TestApp::new().await;
    let cases = [
        ("page=0", "page: `0` is not an integer from 1 to 1000000"),
        ("page=1000001", "page: `1000001` is not an integer from 1 to 1000000"),
        ("page=two", "page: `two` is not an integer from 1 to 1000000"),
        ("page_size=201", "page_size: `201` is not an integer from 1 to 200"),
        ("page_size=-1", "page_size: `-1` is not an integer from 1 to 200"),
        (
            "sort_by=score",
            "sort_by: unknown variant `score`, expected one of `created_at`, `status`, `alert_type`, `author`, `duration`",
        ),
        ("sort_order=up", "sort_order: unknown variant `up`, expected `asc` or `desc`"),
        (
            "start_date=yesterday",
            "start_date: `yesterday` is not an RFC 3339 time such as 2026-11-15T00:53:41.568Z",
        ),
        (
            "end_date=2026-11-15",
            "end_date: `2026-11-15` is not an RFC 3339 time such as 2026-11-15T00:53:41.568Z",
        ),
        (
            "start_date=2026-11-15T00:00:00+02:00",
            "start_date: `2026-11-15T00:00:00 02:00` is not an RFC 3339 time such as 2026-11-15T00:53:41.568Z; write `+` as `%2B`",
        ),
        ("page=1&page=2", "page: must be given only once"),
        ("status=pending,", "status: unknown variant ``, expected one of `pending`"),
        ("compat=rust", "compat: unknown variant `rust`, expected `go`"),
        ("page=1&cursor=1_1", "cursor: cannot be combined with `page`"),
        ("page_size=1&limit=1", "limit: cannot be combined with `page_size`"),
        ("sort_by=status&sort=oldest", "sort: cannot be combined with `sort_by`"),
        ("search=a&q=b", "q: cannot be combined with `search`"),
        ("start_date=2026-11-15T00:00:00Z&from_us=1", "from_us: cannot be combined with `start_date`"),
        ("end_date=2026-11-15T00:00:00Z&to_us=1", "to_us: cannot be combined with `end_date`"),
    ];
    for (query, problem) in cases {
        let (status, message) = app.get(&format!("/api/v1/sessions?{query}")).await.error();
        assert_eq!(status, 400, "{query}: {message}");
        assert!(message.starts_with(problem), "{query}: {message}");
    }
    let long = app.get(&format!("/api/v1/sessions?search={}", "a".repeat(1001))).await;
    assert_eq!(long.error(), (400, "search: has 1001 bytes; expected at most 1000".to_owned()));
    app.end().await;
}
