//! A cancelled call as a real server sees it, over each transport: it is told, and does not answer any more.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_tools::{Endpoint, ServerSettings, Transport};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::everything::{listening, program};
use crate::support::{call, pool, stdio, tool_call};

/// Everything that one side said.
type Said = Arc<Mutex<Vec<u8>>>;

/// Cancels a call that would take two seconds, and waits three. `said` tells what we and the server said until then.
async fn is_told_and_falls_silent(settings: ServerSettings, said: impl Fn() -> (String, String)) {
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    let (cancel, long) = (CancellationToken::new(), json!({"duration": 2, "steps": 2}));
    let long = tool_call("trigger-long-running-operation", &long);
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cancel.cancel();
        tokio::time::sleep(Duration::from_secs(3)).await;
    };
    let (outcome, ()) = tokio::join!(toolbox.call(&long, &cancel, |_| {}), cancelling);
    assert!(outcome.is_err());
    assert_eq!(call(&toolbox, "echo", json!({"message": "after"})).await.text, "Echo: after");
    let (ours, theirs) = said();
    let cancelled = message_with(&ours, "notifications/cancelled")["params"]["requestId"].clone();
    assert_eq!(cancelled, message_with(&ours, "trigger-long-running-operation")["id"]);
    let answers = |id: &Value| theirs.contains(&format!("\"id\":{id}}}"));
    assert!(answers(&message_with(&ours, "after")["id"]), "{theirs}");
    assert!(!answers(&cancelled), "{theirs}");
    pool.close().await;
}

/// The first message that holds these words, among whatever else was said.
fn message_with(said: &str, words: &str) -> Value {
    let mut messages = said.split("{\"jsonrpc\"").skip(1).map(|rest| format!("{{\"jsonrpc\"{rest}"));
    let message =
        messages.find(|message| message.contains(words)).unwrap_or_else(|| panic!("{words}: {said}"));
    serde_json::Deserializer::from_str(&message).into_iter().next().unwrap().unwrap()
}

/// Listens in on whoever connects to a port, and answers the port to connect to and what either side says.
async fn listen_in(port: u16) -> (u16, Said, Said) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own_port = listener.local_addr().unwrap().port();
    let (ours, theirs) = (Said::default(), Said::default());
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

async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, said: Said) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        said.lock().unwrap().extend_from_slice(&buffer[..length]);
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn over_the_network(kind: &str, path: &str, transport: fn(Endpoint) -> Transport) {
    let (_server, port) = listening(kind).await;
    let (port, ours, theirs) = listen_in(port).await;
    let endpoint = Endpoint::new(format!("http://127.0.0.1:{port}{path}"));
    let text = |said: &Said| String::from_utf8_lossy(&said.lock().unwrap()).into_owned();
    let settings = ServerSettings::new("peer", transport(endpoint));
    is_told_and_falls_silent(settings, || (text(&ours), text(&theirs))).await;
}

#[tokio::test]
async fn a_program_is_told_and_falls_silent() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let pipeline = format!("tee '{}' | '{}' stdio | tee '{}'", path("ours"), program(), path("theirs"));
    is_told_and_falls_silent(stdio("sh", ["-c", &pipeline]), || (read("ours"), read("theirs"))).await;
}

#[tokio::test]
async fn a_server_over_streamable_http_is_told_and_falls_silent() {
    over_the_network("streamableHttp", "/mcp", Transport::Http).await;
}

#[tokio::test]
async fn a_server_over_server_sent_events_is_told_and_falls_silent() {
    over_the_network("sse", "/sse", Transport::Sse).await;
}
