//! Probes, system state and metrics.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::json;
use tarsy_domain::Timestamp;
use tarsy_server::{
    ListedRunbook, McpServerReport, McpServerState, McpToolReport, ProviderReport, RunbookListing,
    SystemReport, SystemWarning, WarningCategory, Workers,
};
use tarsy_store::{ClaimLimit, QueueLimit};
use tarsy_testkit::{execution, model_step, new_session, opening, tool_step};

use super::app::TestApp;

fn report() -> SystemReport {
    SystemReport {
        workers: Workers { configured: 5, running: 5, busy: 2 },
        mcp_servers: vec![McpServerReport {
            name: "cluster".to_owned(),
            transport: "stdio".to_owned(),
            state: McpServerState::Failed,
            last_error: Some("kubectl was not found".to_owned()),
            tools: vec!["cluster.pods_list".to_owned()],
            tool_details: vec![McpToolReport {
                name: "cluster.pods_list".to_owned(),
                description: "Lists pods".to_owned(),
            }],
            protocol_version: None,
            server: None,
        }],
        providers: vec![ProviderReport {
            name: "google".to_owned(),
            missing: vec!["GOOGLE_API_KEY".to_owned()],
        }],
        warnings: vec![SystemWarning {
            category: WarningCategory::McpServer,
            subject: "cluster".to_owned(),
            message: "kubectl was not found".to_owned(),
        }],
    }
}

#[tokio::test]
async fn readiness_reports_states_without_causes() {
    let app = TestApp::with_reporter(Arc::new(report)).await;
    let response = app.get("/ready").await;
    assert_eq!(response.status, StatusCode::OK);
    assert_eq!(
        response.json(),
        json!({
            "status": "ready",
            "database": "reachable",
            "workers": { "configured": 5, "running": 5, "busy": 2 },
            "mcp_servers": [{ "name": "cluster", "state": "failed" }],
            "providers": [{ "name": "google", "usable": false }],
        })
    );
    app.end().await;
}

#[tokio::test]
async fn without_its_database_a_process_is_alive_and_not_ready() {
    let app = TestApp::new().await;
    app.store().close().await;
    let response = app.get("/ready").await;
    assert_eq!(response.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.json()["database"], "unreachable");
    assert_eq!(app.get("/health").await.status, StatusCode::OK);
}

#[tokio::test]
async fn system_routes_report_causes() {
    let app = TestApp::with_reporter(Arc::new(report)).await;
    let servers = app.get("/api/v1/system/mcp-servers").await.json();
    assert_eq!(servers["mcp_servers"][0]["last_error"], "kubectl was not found");
    assert_eq!(
        servers["mcp_servers"][0]["tool_details"],
        json!([{ "name": "cluster.pods_list", "description": "Lists pods" }])
    );
    let warnings = app.get("/api/v1/system/warnings").await.json();
    let expected =
        json!({ "category": "mcp_server", "subject": "cluster", "message": "kubectl was not found" });
    assert_eq!(warnings["warnings"], json!([expected]));
    app.end().await;
}

#[tokio::test]
async fn default_tools_are_those_of_the_chain() {
    let app = TestApp::new().await;
    let expected = json!({
        "alert_type": "kubernetes", "chain_id": "kubernetes-agent-chain", "mcp_servers": ["kubernetes-server"],
        "native_tools": { "google_search": false, "code_execution": false, "url_context": false },
    });
    for query in ["?alert_type=kubernetes", ""] {
        let tools = app.get(&format!("/api/v1/system/default-tools{query}")).await.json();
        assert_eq!(tools, expected, "{query}");
    }
    let (status, message) = app.get("/api/v1/system/default-tools?alert_type=disk").await.error();
    assert_eq!(status, 400);
    assert!(message.starts_with("alert_type: no chain handles the alert type `disk`"), "{message}");
    app.end().await;
}

#[tokio::test]
async fn runbooks_are_listed_with_the_reason_if_they_cannot_be() {
    let app = TestApp::new().await;
    let empty = json!({ "source": null, "runbooks": [], "truncated": false, "error": null });
    assert_eq!(app.get("/api/v1/runbooks").await.json(), empty);
    app.end().await;

    let listing = RunbookListing {
        source: Some("/runbooks".to_owned()),
        runbooks: vec![ListedRunbook {
            name: "disk.md".to_owned(),
            path: "ops/disk.md".to_owned(),
            title: "Disk full".to_owned(),
            url: "runbook:ops/disk.md".to_owned(),
        }],
        truncated: true,
        error: Some("it is empty".to_owned()),
    };
    let app = TestApp::with_runbooks(listing.clone()).await;
    assert_eq!(app.get("/api/v1/runbooks").await.json(), serde_json::to_value(&listing).unwrap());
    app.end().await;
}

#[tokio::test]
async fn returns_the_effective_configuration() {
    let app = TestApp::new().await;
    let shown = app.get("/api/v1/system/config").await.json();
    assert_eq!(shown["config"], app.config.view());
    assert!(shown["config"]["agent_chains"].as_object().is_some_and(|chains| !chains.is_empty()));
    app.end().await;
}

/// Returns the metrics after one model call and one tool call.
async fn measured(app: &TestApp) -> String {
    let (store, at) = (app.store(), Timestamp::from_micros(1));
    let hour = std::time::Duration::from_secs(3600);
    for alert in ["a", "b"] {
        store.session_insert(new_session(alert), QueueLimit::Unlimited, at).await.unwrap();
    }
    let lease =
        store.queue_claim("w", ClaimLimit::Unlimited, Timestamp::now(), hour).await.unwrap().unwrap().lease;
    let execution = execution();
    let id = execution.execution_id;
    store.execution_begin(lease, execution, opening(), at).await.unwrap();
    store.step_record(lease, model_step(id, "I look", at), at).await.unwrap();
    store.step_record(lease, tool_step(id, "three pods", at), at).await.unwrap();
    app.get("/api/v1/sessions/x").await;
    let page = app.get("/metrics").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let content_type = &page.headers["content-type"];
    assert_eq!(content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    page.text
}

#[tokio::test]
async fn metrics_cover_every_component() {
    let app = TestApp::with_reporter(Arc::new(report)).await;
    let page = measured(&app).await;
    let expected = [
        r#"tarsy_build_info{version="1.2.3"} 1"#,
        r#"tarsy_sessions{status="pending"} 1"#,
        r#"tarsy_sessions{status="in_progress"} 1"#,
        r#"tarsy_sessions{status="failed"} 0"#,
        "tarsy_queue_sessions 1",
        "tarsy_workers_configured 5",
        "tarsy_workers_busy 2",
        r#"tarsy_mcp_server_up{server="cluster"} 0"#,
        r#"tarsy_provider_usable{provider="google"} 0"#,
        r#"tarsy_model_call_duration_seconds_count{provider="replay",model="recorded",outcome="ok"} 1"#,
        r#"tarsy_model_call_duration_seconds_sum{provider="replay",model="recorded",outcome="ok"} 0.005"#,
        r#"tarsy_model_tokens_total{provider="replay",model="recorded",outcome="ok",kind="input"} 100"#,
        r#"tarsy_tool_call_duration_seconds_bucket{le="0.05",server="kubernetes-server",outcome="ok"} 1"#,
        r#"tarsy_tool_call_duration_seconds_bucket{le="+Inf",server="kubernetes-server",outcome="ok"} 1"#,
        r#"tarsy_http_request_duration_seconds_count{route="/api/v1/sessions/{session_id}",method="GET",status="400"} 1"#,
        "tarsy_websocket_connections 0",
        "tarsy_live_feeds 0",
        "tarsy_database_connections 8",
        "tarsy_database_writes_waiting 0",
    ];
    for line in expected {
        assert!(page.lines().any(|found| found == line), "{line} is not in:\n{page}");
    }
    assert!(page.ends_with("# EOF\n"), "{page}");
    app.end().await;
}

#[tokio::test]
async fn unmatched_paths_share_one_label() {
    let app = TestApp::new().await;
    for path in ["/api/v1/made-up-1", "/api/v1/made-up-2"] {
        app.get(path).await;
    }
    let page = app.get("/metrics").await.text;
    let counted = r#"tarsy_http_request_duration_seconds_count{route="",method="GET",status="404"} 2"#;
    assert!(page.contains(counted) && !page.contains("made-up"), "{page}");
    app.end().await;
}
