//! The history API and the processing status: the fields of the first design.

use serde_json::{Value, json};
use tarsy_domain::WorkStatus;
use tarsy_store::StageOutcome;

use super::app::TestApp;
use super::recorded_session::at;

fn pick<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing in {value}"))
}

#[tokio::test]
async fn completed_stages_are_those_with_the_status_completed() {
    let app = TestApp::new().await;
    for (alert_id, status, completed, failed) in [
        ("done", WorkStatus::Completed, 1, 0),
        ("skipped", WorkStatus::Skipped, 0, 0),
        ("failed", WorkStatus::Failed, 0, 1),
    ] {
        let (lease, stage_id) = app.claimed(alert_id).await;
        let session_id = lease.session_id;
        let outcome = StageOutcome { status, analysis: None, error_message: None, routing_reason: None };
        if status != WorkStatus::Skipped {
            app.store().stage_begin(lease, stage_id, None, at(3_000)).await.unwrap();
        }
        app.store().stage_finish(lease, stage_id, outcome, None, at(40_000)).await.unwrap();
        let list = app.get("/api/v1/history/sessions").await.json();
        let listed =
            list["sessions"].as_array().unwrap().iter().find(|one| one["alert_id"] == alert_id).unwrap();
        let detail = app.get(&format!("/api/v1/history/sessions/{session_id}")).await.json();
        let processing = app.get(&format!("/processing-status/{alert_id}")).await.json();
        for counted in [listed, &detail, &processing] {
            assert_eq!(counted["completed_stages"], completed, "{alert_id}: {counted}");
            assert_eq!(counted["ended_stages"], 1, "{alert_id}: {counted}");
        }
        assert_eq!((&listed["failed_stages"], &detail["failed_stages"]), (&json!(failed), &json!(failed)));
        let summary = app.get(&format!("/api/v1/sessions/{session_id}/summary")).await.json();
        assert_eq!(pick(&summary, "/chain_statistics/completed_stages"), completed);
    }
    app.end().await;
}

#[tokio::test]
async fn an_event_has_the_duration_of_the_call_that_it_records() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let detail = app.get(&format!("/api/v1/history/sessions/{session_id}")).await.json();
    let events = detail["chronological_timeline"].as_array().unwrap().iter();
    let durations: Vec<(&str, &Value)> =
        events.map(|event| (event["type"].as_str().unwrap(), &event["duration_ms"])).collect();
    let expected = [
        ("llm_thinking", 5),
        ("tool_call", 12),
        ("tool_result", 12),
        ("llm_thinking", 5),
        ("llm_thinking", 5),
    ];
    let expected = expected.map(|(kind, ms)| (kind, json!(ms)));
    assert_eq!(durations, expected.iter().map(|(kind, ms)| (*kind, ms)).collect::<Vec<_>>());
    app.end().await;
}

#[tokio::test]
async fn a_listed_session_has_its_chain() {
    let app = TestApp::new().await;
    app.running("busy").await;
    let list = app.get("/api/v1/history/sessions?page=1&page_size=10").await.json();
    let chain = json!({
        "id": "kubernetes-agent-chain",
        "type": "sequential",
        "nodes": [{ "id": "analysis", "agent": "KubernetesAgent", "status": "active", "has_errors": false }],
    });
    assert_eq!(list["sessions"][0]["chain"], chain);
    app.end().await;
}

#[tokio::test]
async fn the_processing_status_names_the_running_agent() {
    let app = TestApp::new().await;
    app.running("busy").await;
    let status = app.get("/processing-status/busy").await.json();
    assert_eq!(
        (&status["current_stage"], &status["current_agent"]),
        (&json!("analysis"), &json!("KubernetesAgent"))
    );
    app.submit("waiting", 500_000).await;
    let status = app.get("/processing-status/waiting").await.json();
    assert_eq!((&status["current_stage"], &status["current_agent"]), (&Value::Null, &Value::Null));
    app.end().await;
}

#[tokio::test]
async fn an_event_has_the_context_of_its_stage() {
    let app = TestApp::new().await;
    let session_id = app.completed("done").await.session_id;
    let detail = app.get(&format!("/api/v1/history/sessions/{session_id}")).await.json();
    let event = &detail["chronological_timeline"][0];
    assert_eq!(
        event["stage_context"],
        json!({
            "stage_id": "analysis", "agent": "KubernetesAgent", "agents": ["KubernetesAgent"],
            "execution_type": "sequential", "parallel_group": null, "routing_path": null,
        })
    );
    assert_eq!((&event["parallel_context"], &event["routing_context"]), (&Value::Null, &Value::Null));
    let stage = &detail["stage_executions"][0];
    assert_eq!((&stage["execution_path"], &stage["routing_decision"]), (&Value::Null, &Value::Null));
    app.end().await;
}
