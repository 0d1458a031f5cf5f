//! An investigation as those see it who watch the system: numbers, traces and lines of the log.

use std::fs;

use opentelemetry_proto::tonic::trace::v1::Span;
use tarsy_testkit::ToolServer;

use super::collector::{Collector, attribute};
use super::desk::Desk;

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

fn desk(tools: &ToolServer) -> Desk {
    let config = format!(
        "defaults: {{ llm_provider: tape }}
mcp_servers: {{ shed: {{ transport: {{ type: http, url: \"{}\" }} }} }}
agents: {{ Looker: {{ mcp_servers: [shed], iteration_strategy: native-thinking }} }}
agent_chains: {{ test: {{ alert_types: [test], stages: [{{ name: look, agent: Looker }}] }} }}
",
        tools.url
    );
    let providers = "llm_providers:\n  tape: { type: replay, cassette: tape.yaml, model: recorded }\n";
    Desk::new(&[("tarsy.yaml", &config), ("llm-providers.yaml", providers), ("tape.yaml", CASSETTE)])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_investigation_shows_in_the_numbers_of_its_process() {
    let tools = ToolServer::start().await;
    let paths = ["/metrics", "/ready", "/api/v1/system/mcp-servers"];
    let told = desk(&tools).follow_in(&[], "Pods restart", &paths).await;
    let expected = [
        r#"tarsy_sessions{status="completed"} 1"#,
        "tarsy_queue_sessions 0",
        "tarsy_workers_running 5",
        r#"tarsy_tool_call_duration_seconds_count{server="shed",outcome="ok"} 1"#,
        r#"tarsy_tool_call_duration_seconds_count{server="shed",outcome="error"} 1"#,
        r#"tarsy_mcp_server_up{server="shed"} 1"#,
    ];
    for line in expected {
        assert!(told.lines().any(|found| found == line), "{line} is not in:\n{told}");
    }
    let calls = told.lines().find(|line| line.starts_with("tarsy_model_call_duration_seconds_count{"));
    assert!(
        calls.is_some_and(|line| line.contains(r#"provider="tape""#) && line.ends_with(" 3")),
        "{calls:?}"
    );
    assert!(told.contains(r#"{"status":"ready","database":"reachable""#), "{told}");
    assert!(told.contains(r#""state":"ready""#) && told.contains(r#""shed.look""#), "{told}");
}

/// The names of a span and of those it is within, outermost first.
fn path(spans: &[Span], span: &Span) -> String {
    match spans.iter().find(|other| other.span_id == span.parent_span_id) {
        Some(parent) => format!("{} > {}", path(spans, parent), span.name),
        None => span.name.clone(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_investigation_is_a_trace_and_every_line_about_it_has_its_id() {
    let (tools, collector) = (ToolServer::start().await, Collector::start().await);
    let desk = desk(&tools);
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str())];
    let told = desk.follow_in(&environment, "Pods restart", &[]).await;

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
    let says = |key: &str| attribute(first, key).unwrap_or_default();
    assert_eq!(says("gen_ai.operation.name"), "chat");
    assert_eq!(says("gen_ai.provider.name"), "tarsy.replay");
    assert_eq!(says("gen_ai.response.finish_reasons"), "[tool_calls]");
    assert!(attribute(first, "gen_ai.usage.input_tokens").is_some(), "{first:#?}");
    let failed = spans.iter().find(|span| span.name == "execute_tool shed.fail").unwrap();
    assert_eq!(failed.status.as_ref().map(|status| status.code), Some(2), "an error");

    let session_id = says("gen_ai.conversation.id");
    assert!(told.contains(&session_id), "{session_id}");
    let log = fs::read_to_string(desk.path().join("log")).unwrap();
    let ended = log.lines().find(|line| line.contains("a session has ended")).unwrap();
    assert!(ended.contains(&format!("session{{session.id={session_id}")), "{ended}");
    assert!(!log.contains("gen_ai."), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_in_json_tells_the_session_of_a_line() {
    let tools = ToolServer::start().await;
    let desk = desk(&tools);
    let told = desk.follow_in(&[("TARSY_LOG", "json")], "Pods restart", &[]).await;
    let log = fs::read_to_string(desk.path().join("log")).unwrap();
    let mut lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let ended = lines.find(|line| line["message"] == "a session has ended").unwrap();
    assert_eq!(ended["spans"][0]["name"], "session");
    let session_id = ended["spans"][0]["session.id"].as_str().unwrap();
    assert!(told.contains(&format!(r#""session_id":"{session_id}""#)), "{ended}");
}
