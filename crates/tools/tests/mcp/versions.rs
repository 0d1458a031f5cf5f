//! Servers that speak one version of the protocol each, from the first to the newest.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_tools::{Endpoint, ServerSettings, ServerState, ToolBox, Transport};
use tokio::process::{Child, Command};

use crate::support::{call, listening, pool, script, stdio};

const WITH_INITIALIZE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEWEST: &str = "2026-07-28";

fn program(version: &str) -> ServerSettings {
    stdio("node", [script("versioned.mjs"), version.to_owned(), "stdio".to_owned()])
}

async fn on_the_network(version: &str, refusal: &str) -> (Child, ServerSettings) {
    let mut command = Command::new("node");
    command.args([&script("versioned.mjs"), version, "http", refusal]);
    let (child, port) = listening(command).await;
    let endpoint = Endpoint::new(format!("http://127.0.0.1:{port}/mcp"));
    (child, ServerSettings::new("peer", Transport::Http(endpoint)))
}

/// Opens a server that must be ready and speak this version.
async fn open(settings: ServerSettings, version: &str) -> ToolBox {
    let toolbox = pool().open([settings]).await;
    let health = toolbox.health().remove(0);
    assert_eq!(health.state, ServerState::Ready, "{version}: {health:?}");
    assert_eq!(health.protocol_version.as_deref(), Some(version));
    toolbox
}

/// What a call looks like to the server.
async fn told(toolbox: &ToolBox) -> Value {
    serde_json::from_str(&call(toolbox, "tells", json!({})).await.text).unwrap()
}

async fn a_changed_list_is_seen(toolbox: &ToolBox) {
    let before = toolbox.tools().len();
    call(toolbox, "changes", json!({})).await;
    for _ in 0..100 {
        if toolbox.tools().len() == before + 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the new tool never showed: {:?}", toolbox.health());
}

#[tokio::test]
async fn every_version_with_initialize_is_spoken_with_programs() {
    for version in WITH_INITIALIZE {
        let toolbox = open(program(version), version).await;
        assert_eq!(told(&toolbox).await, json!({"asked": "2025-11-25"}), "{version}");
        a_changed_list_is_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn every_version_with_initialize_is_spoken_over_http_and_named_there() {
    for version in WITH_INITIALIZE {
        let (_server, settings) = on_the_network(version, "0").await;
        let toolbox = open(settings, version).await;
        assert_eq!(told(&toolbox).await, json!({"asked": "2025-11-25", "header": version}));
        a_changed_list_is_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn the_newest_version_is_spoken_with_programs() {
    let toolbox = open(program(NEWEST), NEWEST).await;
    assert_eq!(told(&toolbox).await["meta"], NEWEST);
    a_changed_list_is_seen(&toolbox).await;
}

#[tokio::test]
async fn the_newest_version_is_spoken_over_http_however_initialize_is_refused() {
    // No such method, a missing header, a version that is not spoken, and a missing `_meta`.
    for refusal in ["-32601", "-32020", "-32022", "-32602"] {
        let (_server, settings) = on_the_network(NEWEST, refusal).await;
        let toolbox = open(settings, NEWEST).await;
        let told = told(&toolbox).await;
        assert_eq!((&told["header"], &told["meta"]), (&json!(NEWEST), &json!(NEWEST)), "{refusal}");
        a_changed_list_is_seen(&toolbox).await;
    }
}

#[tokio::test]
async fn what_the_newest_version_asks_for_in_an_answer_is_answered_politely() {
    let toolbox = open(program(NEWEST), NEWEST).await;
    let outcome = call(&toolbox, "asks", json!({})).await;
    let answers: Value = serde_json::from_str(&outcome.text).unwrap_or_else(|_| panic!("{outcome:?}"));
    let declined = json!({"roots": {"roots": []}, "name": {"action": "decline"}});
    assert_eq!(answers, json!({"inputResponses": declined, "requestState": "keep \"this\""}));
    let samples = call(&toolbox, "samples", json!({})).await;
    assert_eq!(samples.text, "the tool asks for a model, and ours is not lent");
    let insists = call(&toolbox, "insists", json!({})).await;
    assert_eq!(insists.text, "the tool asks for more and more and comes to no result");
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_taken_as_it_comes() {
    let toolbox = open(program("2025-12-31"), "2025-12-31").await;
    assert_eq!(told(&toolbox).await["asked"], "2025-11-25");
}

#[tokio::test]
async fn a_server_that_refuses_both_ways_to_begin_is_quoted_on_the_first() {
    let refuses = r#"process.stdin.on('data', (line) => {
        const { id, method } = JSON.parse(line)
        const error = method === 'initialize' ? { code: -32602, message: 'no name' } : { code: -32601, message: 'what?' }
        console.log(JSON.stringify({ jsonrpc: '2.0', id, error }))
    })"#;
    let toolbox = pool().open([stdio("node", ["-e", refuses])]).await;
    let error = toolbox.health().remove(0).last_error.unwrap();
    assert!(error.starts_with("it refused to start a session: no name"), "{error}");
}
