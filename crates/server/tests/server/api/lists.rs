//! Lists of sessions.

use serde_json::{Value, json};

use super::app::TestApp;

fn alert_ids(page: &Value) -> Vec<&str> {
    let sessions = page["sessions"].as_array().unwrap();
    sessions.iter().map(|session| session["alert_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn repeated_filters_match_any_of_their_values() {
    let app = TestApp::new().await;
    app.completed("done").await;
    app.running("busy").await;
    app.submit("waiting", 500_000).await;
    let cases: [(&str, &[&str]); 12] = [
        ("", &["waiting", "busy", "done"]),
        ("sort=oldest", &["done", "busy", "waiting"]),
        ("status=pending", &["waiting"]),
        ("status=pending&status=completed", &["waiting", "done"]),
        ("alert_type=kubernetes", &["waiting", "busy", "done"]),
        ("alert_type=disk", &[]),
        ("chain_id=kubernetes-agent-chain&status=in_progress", &["busy"]),
        ("author=ann", &[]),
        ("from_us=500000", &["waiting"]),
        ("to_us=500000", &["busy", "done"]),
        ("q=runs+out", &["done"]),
        ("q=--", &["waiting", "busy", "done"]),
    ];
    for (query, expected) in cases {
        let page = app.get(&format!("/api/v1/sessions?{query}")).await.json();
        assert_eq!(alert_ids(&page), expected, "{query}");
        let history = app.get(&format!("/api/v1/history/sessions?{query}")).await.json();
        assert_eq!(alert_ids(&history), expected, "{query}");
    }
    app.end().await;
}

#[tokio::test]
async fn a_search_returns_its_match() {
    let app = TestApp::new().await;
    app.completed("done").await;
    let page = app.get("/api/v1/sessions?q=memory").await.json();
    let hit = &page["sessions"][0]["hit"];
    assert_eq!(hit["source"], "analysis");
    assert_eq!(
        hit["snippet"],
        json!([
            { "text": "It runs out of ", "matched": false },
            { "text": "memory", "matched": true },
            { "text": ".", "matched": false },
        ])
    );
    app.end().await;
}

#[tokio::test]
async fn active_sessions_are_running_or_queued() {
    let app = TestApp::new().await;
    app.completed("done").await;
    app.running("busy").await;
    for number in 0..201 {
        app.submit(&format!("waiting-{number}"), 500_000 + number).await;
    }
    let active = app.get("/api/v1/sessions/active").await.json();
    assert_eq!((&active["running_total"], &active["queued_total"]), (&json!(1), &json!(201)));
    assert_eq!(active["running"][0]["alert_id"], "busy");
    assert_eq!(active["queued"].as_array().unwrap().len(), 200);
    assert_eq!(active["queued"][0]["alert_id"], "waiting-0");
    assert_eq!(
        (&active["queued"][0]["queue_position"], &active["queued"][9]["queue_position"]),
        (&json!(1), &json!(10))
    );
    app.end().await;
}

#[tokio::test]
async fn filter_options_are_the_values_of_existing_sessions() {
    let app = TestApp::new().await;
    app.submit("a", 1).await;
    let options = app.get("/api/v1/sessions/filter-options").await.json();
    assert_eq!(options["alert_types"], json!(["kubernetes"]));
    assert_eq!(options["chain_ids"], json!(["kubernetes-agent-chain"]));
    assert_eq!(options["authors"], json!([]));
    assert_eq!(options["statuses"].as_array().unwrap().len(), 8);
    app.end().await;
}

#[tokio::test]
async fn alert_types_name_their_chains() {
    let app = TestApp::new().await;
    insta::assert_snapshot!(app.get("/api/v1/alert-types").await.with_stable_ids());
    app.end().await;
}
