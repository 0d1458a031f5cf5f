//! Cancellation against a third-party server over each transport: the server is notified and sends no
//! response.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tarsy_tools::{HttpEndpoint, ServerSettings, Transport};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::everything::{listening, program};
use crate::support::{call, pool, stdio, tool_call};

/// All bytes that one side has sent.
type Traffic = Arc<Mutex<Vec<u8>>>;

/// Cancels a call, and waits until it would have ended. `traffic` returns what client and server have sent so
/// far.
async fn assert_cancellation(settings: ServerSettings, traffic: impl Fn() -> (String, String)) {
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    let (cancel, arguments) = (CancellationToken::new(), json!({"duration": 2, "steps": 4}));
    let operation = tool_call("trigger-long-running-operation", &arguments);
    // The first progress notification proves that the server is executing the call.
    assert!(toolbox.call(&operation, &cancel, |_| cancel.cancel()).await.is_err());
    // A second operation of the same length ends after the first one would have.
    call(&toolbox, "trigger-long-running-operation", arguments).await;
    assert_eq!(call(&toolbox, "echo", json!({"message": "after"})).await.text, "Echo: after");
    let (ours, theirs) = traffic();
    let cancelled = message_with(&ours, "notifications/cancelled")["params"]["requestId"].clone();
    assert_eq!(cancelled, message_with(&ours, "trigger-long-running-operation")["id"]);
    let has_response = |id: &Value| theirs.contains(&format!("\"id\":{id}}}"));
    assert!(has_response(&message_with(&ours, "after")["id"]), "{theirs}");
    assert!(!has_response(&cancelled), "{theirs}");
    pool.close().await;
}

/// Returns the first message that contains `text`.
fn message_with(traffic: &str, text: &str) -> Value {
    let mut messages = traffic.split("{\"jsonrpc\"").skip(1).map(|rest| format!("{{\"jsonrpc\"{rest}"));
    let message =
        messages.find(|message| message.contains(text)).unwrap_or_else(|| panic!("{text}: {traffic}"));
    serde_json::Deserializer::from_str(&message).into_iter().next().unwrap().unwrap()
}

/// Starts a proxy in front of a port, and returns its port and the traffic of both sides.
async fn record_traffic(port: u16) -> (u16, Traffic, Traffic) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own_port = listener.local_addr().unwrap().port();
    let (ours, theirs) = (Traffic::default(), Traffic::default());
    let (up, down) = (ours.clone(), theirs.clone());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let ((from_client, to_client), (from_server, to_server)) =
                (client.into_split(), server.into_split());
            tokio::spawn(copy(from_client, to_server, up.clone()));
            tokio::spawn(copy(from_server, to_client, down.clone()));
        }
    });
    (own_port, ours, theirs)
}

async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, traffic: Traffic) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        traffic.lock().unwrap().extend_from_slice(&buffer[..length]);
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn over_the_network(kind: &str, path: &str, transport: fn(HttpEndpoint) -> Transport) {
    let (_server, port) = listening(kind).await;
    let (port, ours, theirs) = record_traffic(port).await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}{path}"));
    let text = |traffic: &Traffic| String::from_utf8_lossy(&traffic.lock().unwrap()).into_owned();
    let settings = ServerSettings::new("peer", transport(endpoint));
    assert_cancellation(settings, || (text(&ours), text(&theirs))).await;
}

#[tokio::test]
async fn cancels_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // `tee` writes to its standard output first, so that is the file: a message is recorded before it arrives.
    let record = |name: &str| format!("tee /dev/fd/3 3>&1 >'{}'", folder.path().join(name).display());
    let pipeline = format!("{} | '{}' stdio | {}", record("ours"), program(), record("theirs"));
    assert_cancellation(stdio("sh", ["-c", &pipeline]), || (read("ours"), read("theirs"))).await;
}

#[tokio::test]
async fn cancels_over_streamable_http() {
    over_the_network("streamableHttp", "/mcp", Transport::Http).await;
}

#[tokio::test]
async fn cancels_over_server_sent_events() {
    over_the_network("sse", "/sse", Transport::Sse).await;
}
