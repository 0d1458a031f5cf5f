//! Metrics, traces and log lines of an investigation.

use std::fs;

use opentelemetry_proto::tonic::trace::v1::Span;
use tarsy_testkit::ToolServer;

use super::collector::{Collector, attribute};
use super::test_process::TestProcess;

const CASSETTE: &str = "
cassette: 1
agents:
  look/Looker:
    - chunks:
        - tool_call: { name: shed.look, arguments: { at: pods } }
        - tool_call: { name: shed.fail, arguments: {} }
    - chunks: [{ text: It is the pods. }]
  \"*\":
    - chunks: [{ text: In short the pods. }]
";

fn test_process(tools: &ToolServer) -> TestProcess {
    let config = format!(
        "defaults: {{ llm_provider: tape }}
mcp_servers: {{ shed: {{ transport: {{ type: http, url: \"{}\" }} }} }}
agents: {{ Looker: {{ mcp_servers: [shed], iteration_strategy: native-thinking }} }}
agent_chains: {{ test: {{ alert_types: [test], stages: [{{ name: look, agent: Looker }}] }} }}
",
        tools.url
    );
    let providers = "llm_providers:\n  tape: { type: replay, cassette: tape.yaml, model: recorded }\n";
    TestProcess::new(&[("tarsy.yaml", &config), ("llm-providers.yaml", providers), ("tape.yaml", CASSETTE)])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_investigation_updates_the_metrics() {
    let tools = ToolServer::start().await;
    let paths = ["/metrics", "/ready", "/api/v1/system/mcp-servers"];
    let received = test_process(&tools).follow_in(&[], "Pods restart", &paths).await;
    let expected = [
        r#"tarsy_sessions{status="completed"} 1"#,
        "tarsy_queue_sessions 0",
        "tarsy_workers_running 5",
        r#"tarsy_tool_call_duration_seconds_count{server="shed",outcome="ok"} 1"#,
        r#"tarsy_tool_call_duration_seconds_count{server="shed",outcome="error"} 1"#,
        r#"tarsy_mcp_server_up{server="shed"} 1"#,
    ];
    for line in expected {
        assert!(received.lines().any(|found| found == line), "{line} is not in:\n{received}");
    }
    let calls = received.lines().find(|line| line.starts_with("tarsy_model_call_duration_seconds_count{"));
    assert!(
        calls.is_some_and(|line| line.contains(r#"provider="tape""#) && line.ends_with(" 3")),
        "{calls:?}"
    );
    assert!(received.contains(r#"{"status":"ready","database":"reachable""#), "{received}");
    assert!(received.contains(r#""state":"ready""#) && received.contains(r#""shed.look""#), "{received}");
}

/// Returns the names of a span and its ancestors, outermost first.
fn path(spans: &[Span], span: &Span) -> String {
    match spans.iter().find(|other| other.span_id == span.parent_span_id) {
        Some(parent) => format!("{} > {}", path(spans, parent), span.name),
        None => span.name.clone(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_investigation_is_a_trace_and_log_lines_have_its_session_id() {
    let (tools, collector) = (ToolServer::start().await, Collector::start().await);
    let process = test_process(&tools);
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str())];
    let received = process.follow_in(&environment, "Pods restart", &[]).await;

    let spans = collector.spans();
    let mut paths: Vec<String> = spans.iter().map(|span| path(&spans, span)).collect();
    paths.sort();
    let agent = "session > stage > invoke_agent Looker";
    let chats = paths.iter().filter(|path| path.starts_with(&format!("{agent} > chat "))).count();
    assert_eq!(chats, 2, "{paths:#?}");
    for wanted in ["execute_tool shed.look", "execute_tool shed.fail"] {
        assert!(paths.contains(&format!("{agent} > {wanted}")), "{paths:#?}");
    }
    let first = spans.iter().find(|span| span.name.starts_with("chat ")).unwrap();
    let value = |key: &str| attribute(first, key).unwrap_or_default();
    assert_eq!(value("gen_ai.operation.name"), "chat");
    assert_eq!(value("gen_ai.provider.name"), "tarsy.replay");
    assert_eq!(value("gen_ai.response.finish_reasons"), "[tool_calls]");
    assert!(attribute(first, "gen_ai.usage.input_tokens").is_some(), "{first:#?}");
    let failed = spans.iter().find(|span| span.name == "execute_tool shed.fail").unwrap();
    assert_eq!(failed.status.as_ref().map(|status| status.code), Some(2), "status error");

    let session_id = value("gen_ai.conversation.id");
    assert!(received.contains(&session_id), "{session_id}");
    let log = fs::read_to_string(process.path().join("log")).unwrap();
    let ended = log.lines().find(|line| line.contains("session ended")).unwrap();
    assert!(ended.contains(&format!("session{{session.id={session_id}")), "{ended}");
    assert!(!log.contains("gen_ai."), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_log_lines_have_the_session_id() {
    let tools = ToolServer::start().await;
    let process = test_process(&tools);
    let received = process.follow_in(&[("TARSY_LOG", "json")], "Pods restart", &[]).await;
    let log = fs::read_to_string(process.path().join("log")).unwrap();
    let mut lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let ended = lines.find(|line| line["message"] == "session ended").unwrap();
    assert_eq!(ended["spans"][0]["name"], "session");
    let session_id = ended["spans"][0]["session.id"].as_str().unwrap();
    assert!(received.contains(&format!(r#""session_id":"{session_id}""#)), "{ended}");
}
