//! A recorded model with a third-party MCP server.

use std::path::Path;

use tarsy_domain::{SessionStatus, TimelineEventType};

use super::test_process::TestProcess;

const CASSETTE: &str = "
cassette: 1
agents:
  collect/Looker-1: &looks
    - chunks:
        - thinking: I add.
        - tool_call: { name: everything.get-sum, arguments: { a: 2, b: 40 } }
        - tool_call: { name: everything.echo, arguments: { message: hello } }
    - chunks: [{ text: It is 42. }]
  collect/Looker-2: *looks
  SynthesisAgent:
    - chunks: [{ text: Both say 42. }]
  conclude/Thinker:
    - chunks: [{ text: The answer is 42. }]
  \"*\":
    - chunks: [{ text: In short 42. }]
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn investigates_with_a_third_party_server() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-peers/mcp");
    assert!(peers.join("installed").exists(), "scripts/install-test-tools was not run: {}", peers.display());
    let server = peers.join("node_modules/.bin/mcp-server-everything");
    let config = format!(
        "defaults: {{ llm_provider: tape }}
mcp_servers:
  everything: {{ transport: {{ type: stdio, command: \"{}\", args: [stdio] }} }}
agents:
  Looker: {{ mcp_servers: [everything], iteration_strategy: native-thinking }}
  Thinker: {{ iteration_strategy: react-final-analysis }}
agent_chains:
  test:
    alert_types: [test]
    stages:
      - {{ name: collect, agent: Looker, replicas: 2 }}
      - {{ name: conclude, agent: Thinker, when: 'stages.collect.analysis contains \"42\"' }}
",
        server.display()
    );
    let providers = "llm_providers:\n  tape: { type: replay, cassette: tape.yaml }\n";
    let process = TestProcess::new(&[
        ("tarsy.yaml", &config),
        ("llm-providers.yaml", providers),
        ("tape.yaml", CASSETTE),
    ]);
    let session = process.investigate("What is the answer?").await;

    assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
    assert_eq!(session.final_analysis.as_deref(), Some("The answer is 42."));
    assert_eq!(session.executive_summary.as_deref(), Some("In short 42."));
    let store = process.store().await;
    let timeline = store.timeline_list(session.session_id, 0, 100).await.unwrap();
    let results: Vec<_> = timeline
        .iter()
        .filter(|event| event.entry.event_type == TimelineEventType::ToolResult)
        .map(|event| event.entry.content.as_str())
        .collect();
    assert_eq!(results.iter().filter(|text| text.contains("42")).count(), 2, "{results:?}");
    assert_eq!(results.iter().filter(|text| text.contains("hello")).count(), 2, "{results:?}");
    store.close().await;
}
