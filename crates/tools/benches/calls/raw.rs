//! Raw calls: JSON written to a pipe or posted to a URL, and the response parsed. This is the minimum work of
//! any client.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

/// The protocol version of both sides; some versions cost servers more work than others.
const VERSION: &str = "2025-11-25";

/// A program with its pipes. It is killed on drop.
pub(crate) struct RawPipe {
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    _child: Child,
}

impl RawPipe {
    pub(crate) async fn start(program: &Path, argument: &str) -> Self {
        let mut command = Command::new(program);
        command.arg(argument).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let pipes = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let raw = Self { pipes: Mutex::new(pipes), _child: child };
        raw.exchange(&initialize().to_string(), 1).await;
        raw.exchange(&initialized().to_string(), 0).await;
        raw
    }

    pub(crate) async fn call(&self, text: &str) {
        self.exchange(&call(text).to_string(), 1).await;
    }

    pub(crate) async fn call_concurrently(&self, text: &str, calls: usize) {
        let line = call(text).to_string();
        self.exchange(&vec![line.as_str(); calls].join("\n"), calls).await;
    }

    /// Writes lines and reads as many responses concurrently, so that neither side blocks on a full pipe.
    async fn exchange(&self, lines: &str, answers: usize) {
        let mut pipes = self.pipes.lock().await;
        let (stdin, stdout) = &mut *pipes;
        let writing = async {
            stdin.write_all(lines.as_bytes()).await.unwrap();
            stdin.write_all(b"\n").await.unwrap();
        };
        let reading = async {
            let (mut line, mut read) = (String::new(), 0);
            while read < answers {
                line.clear();
                stdout.read_line(&mut line).await.unwrap();
                let message: Value = serde_json::from_str(&line).unwrap();
                read += usize::from(message.get("id").is_some());
            }
        };
        tokio::join!(writing, reading);
    }
}

/// A URL that receives posts over pooled connections.
pub(crate) struct RawHttp {
    client: reqwest::Client,
    url: String,
    session: Option<String>,
}

impl RawHttp {
    pub(crate) async fn open(url: &str) -> Self {
        let mut raw = Self { client: reqwest::Client::new(), url: url.to_owned(), session: None };
        let response = raw.post(&initialize()).await;
        let session = response.headers().get("mcp-session-id");
        raw.session = session.map(|session| session.to_str().unwrap().to_owned());
        response.bytes().await.unwrap();
        raw.post(&initialized()).await;
        raw
    }

    pub(crate) async fn call(&self, text: &str) {
        let body = self.post(&call(text)).await.text().await.unwrap();
        let mut events = body.lines().filter_map(|line| line.strip_prefix("data: "));
        let answer = events.next_back().unwrap_or(&body);
        let message: Value = serde_json::from_str(answer).unwrap();
        assert!(message["result"]["content"][0]["text"].as_str().unwrap().len() >= text.len());
    }

    pub(crate) async fn call_concurrently(&self, text: &str, calls: usize) {
        join_all((0..calls).map(|_| self.call(text))).await;
    }

    async fn post(&self, message: &Value) -> reqwest::Response {
        let request = self.client.post(&self.url).header("content-type", "application/json");
        let mut request = request.header("accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", VERSION);
        }
        request.body(message.to_string()).send().await.unwrap()
    }
}

/// The MCP project's server, with its URL. It is killed on drop.
pub(crate) async fn start_everything(program: &Path) -> (Child, String) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(program);
    command.arg("streamableHttp").env("PORT", port.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = command.kill_on_drop(true).spawn().unwrap();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    (server, format!("http://127.0.0.1:{port}/mcp"))
}

fn call(text: &str) -> Value {
    let params = json!({"name": "echo", "arguments": {"message": text}});
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
}

fn initialize() -> Value {
    let client = json!({"name": "raw", "version": "1"});
    let params = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}
