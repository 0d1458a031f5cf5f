//! An exported session can be played by the replay provider, with the same result.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use tarsy_config::{Config, Environment};
use tarsy_domain::{SessionId, SessionStatus, TimelineEventType};
use tarsy_server::{AccessMode, AccessPolicy, App, WebhookAuth, router};
use tarsy_store::{Session, Store};
use tarsy_testkit::ToolServer;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::test_process::TestProcess;

/// Two agents, one of which fails once; a long log that is summarized; and a conclusion.
const CASSETTE: &str = "
cassette: 1
agents:
  look/Looker-1:
    - chunks:
        - thinking: The log first.
        - text: I read it.
        - tool_call: { id: call-a, name: shed.log, arguments: { lines: 3000 } }
        - state: '{\"signature\":\"abc\"}'
        - usage: { input_tokens: 12, output_tokens: 3, thinking_tokens: 2, cached_tokens: 1 }
    - chunks: [{ text: The log is long. }]
  look/Looker-1 summary:
    - chunks: [{ text: Nothing but numbers. }]
  look/Looker-2:
    - chunks: [{ text: I }]
      error: { kind: overloaded, message: Too much to do. }
    - chunks: [{ text: There is a log. }]
  look/SynthesisAgent:
    - chunks: [{ text: Both saw a log. }]
  conclude/Thinker:
    - chunks: [{ text: The log is the cause. }]
  ExecSummaryAgent:
    - chunks: [{ text: It was the log. }]
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn playing_an_exported_session_produces_the_same_session() {
    let tools = ToolServer::start().await;
    let first =
        TestProcess::new(&files(&tools, CASSETTE).each_ref().map(|(name, text)| (*name, text.as_str())));
    let recorded = first.investigate("Why?").await;
    assert_eq!(recorded.status, SessionStatus::Completed, "{:?}", recorded.error_message);
    let store = first.store().await;
    let cassette = export(&store, recorded.session_id).await;
    let expected = timeline(&store, &recorded).await;
    assert!(expected.iter().any(|(kind, _)| *kind == TimelineEventType::McpToolSummary), "{expected:?}");

    let second =
        TestProcess::new(&files(&tools, &cassette).each_ref().map(|(name, text)| (*name, text.as_str())));
    let replayed = second.investigate("Why?").await;
    let again = second.store().await;
    assert_eq!(timeline(&again, &replayed).await, expected);
    assert_eq!(replayed.final_analysis, recorded.final_analysis);
    assert_eq!(replayed.executive_summary, recorded.executive_summary);
    assert_eq!(replayed.usage, recorded.usage);
    assert_eq!(turns(&export(&again, replayed.session_id).await), turns(&cassette));
    store.close().await;
    again.close().await;
}

fn files(tools: &ToolServer, cassette: &str) -> [(&'static str, String); 3] {
    let config = format!(
        "defaults: {{ llm_provider: tape }}
mcp_servers:
  shed: {{ transport: {{ type: http, url: \"{}\" }} }}
agents:
  Looker: {{ mcp_servers: [shed], iteration_strategy: native-thinking }}
  Thinker: {{ iteration_strategy: react-final-analysis }}
agent_chains:
  test:
    alert_types: [test]
    stages:
      - {{ name: look, agent: Looker, replicas: 2 }}
      - {{ name: conclude, agent: Thinker }}
",
        tools.url
    );
    let providers = "llm_providers:\n  tape: { type: replay, cassette: tape.json }\n".to_owned();
    [("tarsy.yaml", config), ("llm-providers.yaml", providers), ("tape.json", cassette.to_owned())]
}

/// Exports a session.
async fn export(store: &Store, session_id: SessionId) -> String {
    let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
    let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
    let app = App::new(store.clone(), config, policy, "1.2.3", CancellationToken::new()).unwrap();
    let address = format!("/api/v1/sessions/{session_id}/export");
    let request = Request::get(address).body(Body::empty()).unwrap();
    let (parts, body) = router(app).oneshot(request).await.unwrap().into_parts();
    assert_eq!(parts.status, StatusCode::OK);
    String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap()
}

/// Returns the timeline, sorted, because the order of parallel agents varies.
async fn timeline(store: &Store, session: &Session) -> Vec<(TimelineEventType, String)> {
    let entries = store.timeline_list(session.session_id, 0, 1_000).await.unwrap();
    let mut timeline: Vec<_> =
        entries.into_iter().map(|event| (event.entry.event_type, event.entry.content)).collect();
    timeline.sort();
    timeline
}

/// Returns the turns of a cassette without durations.
fn turns(cassette: &str) -> serde_json::Value {
    let mut cassette: serde_json::Value = serde_json::from_str(cassette).unwrap();
    remove_durations(&mut cassette["agents"]);
    cassette["agents"].clone()
}

fn remove_durations(value: &mut serde_json::Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.remove("after_ms");
        fields.values_mut().for_each(remove_durations);
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(remove_durations);
    }
}
