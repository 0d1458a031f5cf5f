//! The MCP project's "everything" server, over each transport.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tarsy_domain::ToolStatus;
use tarsy_tools::{HttpEndpoint, ServerSettings, ToolBox, Transport};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::support::{call, call_with_progress, free_port, peers, pool, stdio, tool_call, until_listening};

pub(crate) fn program() -> String {
    peers().join("node_modules/.bin/mcp-server-everything").to_string_lossy().into_owned()
}

pub(crate) async fn listening(kind: &str) -> (Child, u16) {
    let port = free_port();
    let mut command = Command::new(program());
    command.arg(kind).env("PORT", port.to_string()).kill_on_drop(true);
    let quiet = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let child = quiet.spawn().unwrap();
    until_listening(port).await;
    (child, port)
}

/// Returns each tool with arguments and a part of its result.
fn tools() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("echo", json!({"message": "hello"}), "Echo: hello"),
        (
            "get-annotated-message",
            json!({"messageType": "error", "includeImage": true}),
            "[image: image/png, ",
        ),
        ("get-env", json!({}), "PATH"),
        ("get-resource-links", json!({"count": 3}), "[resource demo://resource/dynamic/text/"),
        (
            "get-resource-reference",
            json!({"resourceType": "Text", "resourceId": 2}),
            "[resource demo://resource/dynamic/text/2]",
        ),
        ("get-structured-content", json!({"location": "Chicago"}), "\"temperature\""),
        ("get-sum", json!({"a": 2, "b": 40}), "42"),
        ("get-tiny-image", json!({}), "[image: image/png, 4033 bytes, not shown]"),
        (
            "gzip-file-as-resource",
            json!({"name": "a.gz", "data": "data:text/plain;base64,aGVsbG8=", "outputType": "resource"}),
            "[resource ",
        ),
        ("toggle-simulated-logging", json!({}), "logging"),
        ("toggle-subscriber-updates", json!({}), "updates"),
        ("trigger-long-running-operation", json!({"duration": 1, "steps": 4}), "completed"),
        ("simulate-research-query", json!({"topic": "x"}), "requires task augmentation"),
    ]
}

async fn calls_every_tool(settings: ServerSettings) {
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    let listed: Vec<_> = toolbox.tools().into_iter().map(|tool| tool.definition.name.clone()).collect();
    let mut expected: Vec<_> = tools().iter().map(|(name, _, _)| format!("peer.{name}")).collect();
    expected.sort();
    assert_eq!(
        {
            let mut listed = listed;
            listed.sort();
            listed
        },
        expected,
        "{:?}",
        toolbox.health()
    );
    for (name, arguments, expected) in tools() {
        let (outcome, updates) = call_with_progress(&toolbox, name, arguments).await;
        assert!(outcome.text.contains(expected), "{name}: {outcome:?}");
        let ok = outcome.status == ToolStatus::Ok;
        assert_eq!(ok, name != "simulate-research-query", "{name}: {outcome:?}");
        if name == "trigger-long-running-operation" {
            let done: Vec<_> = updates.iter().map(|progress| (progress.done, progress.total)).collect();
            assert_eq!(done, [1.0, 2.0, 3.0, 4.0].map(|done| (done, Some(4.0))));
        }
    }
    cancels_immediately(&toolbox).await;
    pool.close().await;
}

async fn cancels_immediately(toolbox: &ToolBox) {
    let cancel = CancellationToken::new();
    let long = tool_call("trigger-long-running-operation", &json!({"duration": 30, "steps": 60}));
    let began = Instant::now();
    assert!(toolbox.call(&long, &cancel, |_| cancel.cancel()).await.is_err());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let after = call(toolbox, "echo", json!({"message": "still open"})).await;
    assert_eq!(after.text, "Echo: still open");
}

#[tokio::test]
async fn calls_every_tool_over_stdio() {
    calls_every_tool(stdio(&program(), ["stdio"])).await;
}

#[tokio::test]
async fn calls_every_tool_over_streamable_http() {
    let (_server, port) = listening("streamableHttp").await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/mcp"));
    calls_every_tool(ServerSettings::new("peer", Transport::Http(endpoint))).await;
}

#[tokio::test]
async fn calls_every_tool_over_server_sent_events() {
    let (_server, port) = listening("sse").await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/sse"));
    calls_every_tool(ServerSettings::new("peer", Transport::Sse(endpoint))).await;
}

#[tokio::test]
async fn reconnects_to_a_restarted_server() {
    let (mut server, port) = listening("streamableHttp").await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/mcp"));
    let pool = pool();
    let mut settings = ServerSettings::new("peer", Transport::Http(endpoint));
    settings.call_within = Duration::from_secs(2);
    let toolbox = pool.open([settings]).await;
    server.kill().await.unwrap();
    let broken = call(&toolbox, "echo", json!({"message": "a"})).await;
    assert!(broken.text.contains("no connection to the server"), "{broken:?}");
    let mut command = Command::new(program());
    command.arg("streamableHttp").env("PORT", port.to_string()).kill_on_drop(true);
    let _restarted =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    crate::support::until_state(&toolbox, tarsy_tools::ServerState::Ready).await;
    assert_eq!(call(&toolbox, "echo", json!({"message": "b"})).await.text, "Echo: b");
    pool.close().await;
}
