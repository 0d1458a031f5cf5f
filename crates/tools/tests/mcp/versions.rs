//! Servers that implement one protocol version each, from the first to the newest.

use serde_json::{Value, json};
use tarsy_tools::{HttpEndpoint, ServerSettings, ServerState, ToolBox, Transport};
use tokio::process::{Child, Command};

use crate::support::{assert_tool_changes_are_seen, call, listening, pool, script, stdio};

const WITH_INITIALIZE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEWEST: &str = "2026-07-28";

fn program(version: &str) -> ServerSettings {
    stdio("node", [script("versioned.mjs"), version.to_owned(), "stdio".to_owned()])
}

async fn on_the_network(version: &str, refusal: &str) -> (Child, ServerSettings) {
    let mut command = Command::new("node");
    command.args([&script("versioned.mjs"), version, "http", refusal]);
    let (child, port) = listening(command).await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/mcp"));
    (child, ServerSettings::new("peer", Transport::Http(endpoint)))
}

/// Opens a server that must be ready with this version.
async fn open(settings: ServerSettings, version: &str) -> ToolBox {
    let toolbox = pool().open([settings]).await;
    let health = toolbox.health().remove(0);
    assert_eq!(health.state, ServerState::Ready, "{version}: {health:?}");
    assert_eq!(health.protocol_version.as_deref(), Some(version));
    toolbox
}

/// Returns what the server observes of a call.
async fn observed(toolbox: &ToolBox) -> Value {
    serde_json::from_str(&call(toolbox, "reports", json!({})).await.text).unwrap()
}

#[tokio::test]
async fn supports_every_version_with_initialize_over_stdio() {
    for version in WITH_INITIALIZE {
        let toolbox = open(program(version), version).await;
        assert_eq!(observed(&toolbox).await, json!({"requested": "2025-11-25"}), "{version}");
        assert_tool_changes_are_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn supports_every_version_with_initialize_over_http_and_sends_the_header() {
    for version in WITH_INITIALIZE {
        let (_server, settings) = on_the_network(version, "0").await;
        let toolbox = open(settings, version).await;
        assert_eq!(observed(&toolbox).await, json!({"requested": "2025-11-25", "header": version}));
        assert_tool_changes_are_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn supports_the_newest_version_over_stdio() {
    let toolbox = open(program(NEWEST), NEWEST).await;
    assert_eq!(observed(&toolbox).await["meta"], NEWEST);
    assert_tool_changes_are_seen(&toolbox).await;
}

#[tokio::test]
async fn supports_the_newest_version_over_http_however_initialize_is_rejected() {
    // Unknown method, missing header, unsupported version, missing `_meta`.
    for refusal in ["-32601", "-32020", "-32022", "-32602"] {
        let (_server, settings) = on_the_network(NEWEST, refusal).await;
        let toolbox = open(settings, NEWEST).await;
        let observed = observed(&toolbox).await;
        assert_eq!((&observed["header"], &observed["meta"]), (&json!(NEWEST), &json!(NEWEST)), "{refusal}");
        assert_tool_changes_are_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn responds_to_input_that_the_newest_version_requires() {
    let toolbox = open(program(NEWEST), NEWEST).await;
    let outcome = call(&toolbox, "requests_input", json!({})).await;
    let responses: Value = serde_json::from_str(&outcome.text).unwrap_or_else(|_| panic!("{outcome:?}"));
    let declined = json!({"roots": {"roots": []}, "name": {"action": "decline"}});
    assert_eq!(responses, json!({"inputResponses": declined, "requestState": "keep \"this\""}));
    let samples = call(&toolbox, "samples", json!({})).await;
    assert_eq!(samples.text, "the tool requested sampling from our model, which this client does not offer");
    let insists = call(&toolbox, "keeps_requesting_input", json!({})).await;
    assert_eq!(insists.text, "the tool requested input 8 times and returned no result");
}

#[tokio::test]
async fn accepts_an_unknown_version() {
    let toolbox = open(program("2025-12-31"), "2025-12-31").await;
    assert_eq!(observed(&toolbox).await["requested"], "2025-11-25");
}

#[tokio::test]
async fn reports_the_first_error_if_both_handshakes_are_rejected() {
    let refuses = r#"process.stdin.on('data', (line) => {
        const { id, method } = JSON.parse(line)
        const error = method === 'initialize' ? { code: -32602, message: 'no name' } : { code: -32601, message: 'what?' }
        console.log(JSON.stringify({ jsonrpc: '2.0', id, error }))
    })"#;
    let toolbox = pool().open([stdio("node", ["-e", refuses])]).await;
    let error = toolbox.health().remove(0).last_error.unwrap();
    assert!(error.starts_with("the server rejected the handshake: no name"), "{error}");
}
