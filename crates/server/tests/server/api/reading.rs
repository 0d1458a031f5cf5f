//! One session and its parts.

use serde_json::json;
use tarsy_domain::SessionId;

use super::app::TestApp;

/// Removes the chain, which other tests cover.
fn without_chain(mut response: super::app::ApiResponse) -> super::app::ApiResponse {
    let mut body = response.json();
    if let Some(chain) = body.get_mut("chain") {
        assert_eq!(chain["id"], "kubernetes-agent-chain");
        *chain = json!("…");
    }
    response.text = body.to_string();
    response
}

#[tokio::test]
async fn a_session_has_its_input_stages_executions_and_result() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let detail = without_chain(app.get(&format!("/api/v1/sessions/{session_id}")).await);
    insta::assert_snapshot!(detail.with_stable_ids());
    app.end().await;
}

#[tokio::test]
async fn a_status_is_small() {
    let app = TestApp::new().await;
    let session_id = app.running("busy").await.session_id;
    insta::assert_snapshot!(
        app.get(&format!("/api/v1/sessions/{session_id}/status")).await.with_stable_ids()
    );
    app.end().await;
}

#[tokio::test]
async fn a_summary_has_the_numbers_of_a_session() {
    let app = TestApp::new().await;
    let (done, busy) = (app.completed("done").await.session_id, app.running("busy").await.session_id);
    let summary = app.get(&format!("/api/v1/sessions/{done}/summary")).await.json();
    assert_eq!(
        summary,
        json!({
            "session_id": done, "total_interactions": 4, "llm_interactions": 3, "mcp_interactions": 1,
            "input_tokens": 300, "output_tokens": 60, "total_tokens": 360, "total_duration_ms": 48,
            "chain_statistics": {
                "total_stages": 1, "completed_stages": 1, "failed_stages": 0, "current_stage_index": null,
            },
        })
    );
    let summary = app.get(&format!("/api/v1/sessions/{busy}/summary")).await.json();
    assert_eq!(
        (&summary["total_duration_ms"], &summary["chain_statistics"]["current_stage_index"]),
        (&json!(null), &json!(0))
    );
    app.end().await;
}

#[tokio::test]
async fn a_timeline_has_pages() {
    let app = TestApp::new().await;
    let session_id = app.running("busy").await.session_id;
    let address = format!("/api/v1/sessions/{session_id}/timeline?limit=3");
    let first = app.get(&address).await.json();
    assert_eq!(first["next_after"], 3);
    let second = app.get(&format!("{address}&after=3")).await.json();
    assert_eq!(second["next_after"], json!(null));
    let events = first["events"].as_array().unwrap().iter().chain(second["events"].as_array().unwrap());
    let entries: Vec<_> = events
        .map(|event| (event["position"].as_u64().unwrap(), event["event_type"].as_str().unwrap().to_owned()))
        .collect();
    let entries: Vec<_> = entries.iter().map(|(position, kind)| (*position, kind.as_str())).collect();
    assert_eq!(entries, [(1, "llm_thinking"), (2, "tool_call"), (3, "tool_result"), (4, "llm_thinking")]);
    app.end().await;
}

#[tokio::test]
async fn a_trace_lists_calls_that_can_be_fetched() {
    let app = TestApp::new().await;
    let recorded = app.running("busy").await;
    let address = format!("/api/v1/sessions/{}/trace", recorded.session_id);
    insta::assert_snapshot!("trace", app.get(&address).await.with_stable_ids());
    insta::assert_snapshot!(
        "model_call",
        app.get(&format!("{address}/llm/{}", recorded.model_call)).await.with_stable_ids()
    );
    insta::assert_snapshot!(
        "failed_call",
        app.get(&format!("{address}/llm/{}", recorded.failed_call)).await.with_stable_ids()
    );
    insta::assert_snapshot!(
        "tool_call",
        app.get(&format!("{address}/mcp/{}", recorded.tool_call)).await.with_stable_ids()
    );
    app.end().await;
}

#[tokio::test]
async fn a_cassette_holds_the_calls_of_each_agent() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let response = app.get(&format!("/api/v1/sessions/{session_id}/export")).await;
    let name = format!("attachment; filename=\"tarsy-{session_id}.cassette.json\"");
    assert_eq!(response.headers["content-disposition"], name);
    let cassette = response.json();
    assert_eq!(cassette["description"], format!("Session {session_id} of a kubernetes alert"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&cassette["agents"]).unwrap());
    let session = &cassette["session"];
    assert_eq!(session["alert"], "Pod restarts: done");
    assert_eq!(session["chain"]["id"], "kubernetes-agent-chain");
    insta::assert_snapshot!("recorded_outcome", serde_json::to_string_pretty(&session["outcome"]).unwrap());
    app.end().await;
}

#[tokio::test]
async fn returns_the_processing_status_of_an_alert() {
    let app = TestApp::new().await;
    app.running("busy").await;
    insta::assert_snapshot!(app.get("/processing-status/busy").await.with_stable_ids());
    let unknown = app.get("/processing-status/not%20known").await;
    assert_eq!(unknown.error(), (404, "alert not known does not exist".to_owned()));
    app.end().await;
}

#[tokio::test]
async fn returns_a_session_in_the_history_format() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    insta::assert_snapshot!(
        app.get(&format!("/api/v1/history/sessions/{session_id}")).await.with_stable_ids()
    );
    app.end().await;
}

#[tokio::test]
async fn unknown_resources_are_named() {
    let app = TestApp::new().await;
    let recorded = app.running("busy").await;
    let (known, unknown) = (recorded.session_id, SessionId::new());
    let parts = ["", "/status", "/summary", "/timeline", "/trace", "/export", "/chat/messages"];
    let addresses = parts.map(|part| format!("/api/v1/sessions/{unknown}{part}"));
    for address in addresses.into_iter().chain([format!("/api/v1/history/sessions/{unknown}")]) {
        assert_eq!(
            app.get(&address).await.error(),
            (404, format!("session {unknown} does not exist")),
            "{address}"
        );
    }
    let calls = [("llm", recorded.tool_call, "model call"), ("mcp", recorded.model_call, "tool call")];
    for (kind, other, what) in calls {
        let response = app.get(&format!("/api/v1/sessions/{known}/trace/{kind}/{other}")).await;
        assert_eq!(response.error(), (404, format!("{what} {other} in session {known} does not exist")));
        let response = app.get(&format!("/api/v1/sessions/{unknown}/trace/{kind}/{other}")).await;
        assert_eq!(response.error(), (404, format!("session {unknown} does not exist")));
    }
    app.end().await;
}
