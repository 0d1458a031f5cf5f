//! One session and its parts.

use serde_json::json;
use tarsy_domain::SessionId;

use super::app::TestApp;

/// The chain is a page of configuration that other tests look at.
fn without_chain(mut answer: super::app::Answer) -> super::app::Answer {
    let mut body = answer.json();
    if let Some(chain) = body.get_mut("chain") {
        assert_eq!(chain["id"], "kubernetes-agent-chain");
        *chain = json!("…");
    }
    answer.text = body.to_string();
    answer
}

#[tokio::test]
async fn a_session_has_its_input_stages_executions_and_result() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let detail = without_chain(app.get(&format!("/api/v1/sessions/{session_id}")).await);
    insta::assert_snapshot!(detail.steady());
    app.end().await;
}

#[tokio::test]
async fn a_status_is_small() {
    let app = TestApp::new().await;
    let session_id = app.under_way("busy").await.session_id;
    insta::assert_snapshot!(app.get(&format!("/api/v1/sessions/{session_id}/status")).await.steady());
    app.end().await;
}

#[tokio::test]
async fn a_timeline_comes_in_pages() {
    let app = TestApp::new().await;
    let session_id = app.under_way("busy").await.session_id;
    let address = format!("/api/v1/sessions/{session_id}/timeline?limit=3");
    let first = app.get(&address).await.json();
    assert_eq!(first["next_after"], 3);
    let second = app.get(&format!("{address}&after=3")).await.json();
    assert_eq!(second["next_after"], json!(null));
    let events = first["events"].as_array().unwrap().iter().chain(second["events"].as_array().unwrap());
    let told: Vec<_> = events
        .map(|event| (event["position"].as_u64().unwrap(), event["event_type"].as_str().unwrap().to_owned()))
        .collect();
    let told: Vec<_> = told.iter().map(|(position, kind)| (*position, kind.as_str())).collect();
    assert_eq!(told, [(1, "llm_thinking"), (2, "tool_call"), (3, "tool_result"), (4, "llm_thinking")]);
    app.end().await;
}

#[tokio::test]
async fn a_trace_lists_calls_and_each_can_be_looked_at() {
    let app = TestApp::new().await;
    let recorded = app.under_way("busy").await;
    let address = format!("/api/v1/sessions/{}/trace", recorded.session_id);
    insta::assert_snapshot!("trace", app.get(&address).await.steady());
    insta::assert_snapshot!(
        "model_call",
        app.get(&format!("{address}/llm/{}", recorded.model_call)).await.steady()
    );
    insta::assert_snapshot!(
        "failed_call",
        app.get(&format!("{address}/llm/{}", recorded.failed_call)).await.steady()
    );
    insta::assert_snapshot!(
        "tool_call",
        app.get(&format!("{address}/mcp/{}", recorded.tool_call)).await.steady()
    );
    app.end().await;
}

#[tokio::test]
async fn a_cassette_holds_the_calls_of_each_agent() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let answer = app.get(&format!("/api/v1/sessions/{session_id}/export")).await;
    let name = format!("attachment; filename=\"tarsy-{session_id}.cassette.json\"");
    assert_eq!(answer.headers["content-disposition"], name);
    let cassette = answer.json();
    assert_eq!(cassette["description"], format!("Session {session_id} of a kubernetes alert"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&cassette["agents"]).unwrap());
    let session = &cassette["session"];
    assert_eq!(session["alert"], "Pod restarts: done");
    assert_eq!(session["chain"]["id"], "kubernetes-agent-chain");
    insta::assert_snapshot!("recorded_outcome", serde_json::to_string_pretty(&session["outcome"]).unwrap());
    app.end().await;
}

#[tokio::test]
async fn an_alert_is_followed_by_its_own_id() {
    let app = TestApp::new().await;
    app.under_way("busy").await;
    insta::assert_snapshot!(app.get("/processing-status/busy").await.steady());
    let unknown = app.get("/processing-status/nobody%20knows").await;
    assert_eq!(unknown.error(), (404, "there is no alert nobody knows".to_owned()));
    app.end().await;
}

#[tokio::test]
async fn the_history_is_a_view_over_the_same_record() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    insta::assert_snapshot!(app.get(&format!("/api/v1/history/sessions/{session_id}")).await.steady());
    app.end().await;
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let app = TestApp::new().await;
    let recorded = app.under_way("busy").await;
    let (known, nobody) = (recorded.session_id, SessionId::new());
    let parts = ["", "/status", "/timeline", "/trace", "/export", "/chat/messages"];
    let addresses = parts.map(|part| format!("/api/v1/sessions/{nobody}{part}"));
    for address in addresses.into_iter().chain([format!("/api/v1/history/sessions/{nobody}")]) {
        assert_eq!(
            app.get(&address).await.error(),
            (404, format!("there is no session {nobody}")),
            "{address}"
        );
    }
    let calls = [("llm", recorded.tool_call, "model call"), ("mcp", recorded.model_call, "tool call")];
    for (kind, other, what) in calls {
        let answer = app.get(&format!("/api/v1/sessions/{known}/trace/{kind}/{other}")).await;
        assert_eq!(answer.error(), (404, format!("there is no {what} {other} in session {known}")));
        let answer = app.get(&format!("/api/v1/sessions/{nobody}/trace/{kind}/{other}")).await;
        assert_eq!(answer.error(), (404, format!("there is no session {nobody}")));
    }
    app.end().await;
}
