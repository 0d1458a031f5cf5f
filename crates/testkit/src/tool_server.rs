//! An MCP server over streamable HTTP that counts what it was asked to do, and does it as slowly as a test wants.
//!
//! Its tools: `look` (read-only) answers what it is given; `restart` has an effect, which is counted; `wait` (read-only)
//! does not answer before it is cancelled; `log` (read-only) answers with as many lines as it is asked for; `fail` reports an
//! error; `leak` (read-only) answers with a text that the test has planted; `count` (read-only) with the number of calls
//! so far. Each of them takes the time that its
//! argument `takes_ms` says, between its effect and its answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running server; it stops when it is dropped.
pub struct ToolServer {
    /// Its address.
    pub url: String,
    shed: Arc<Shed>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shed {
    /// Every call, by the tool's name and its arguments.
    calls: Mutex<Vec<(String, Value)>>,
    count: watch::Sender<usize>,
    planted: Mutex<String>,
}

impl ToolServer {
    /// Starts a server.
    pub async fn start() -> Self {
        let shed = Arc::new(Shed::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening on loopback");
        let url = format!("http://{}/mcp", listener.local_addr().expect("the address"));
        let router = Router::new().route("/mcp", post(answer)).with_state(Arc::clone(&shed));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { url, shed, task }
    }

    /// Every call so far, by the tool's name and its arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.shed.calls.lock().expect("nobody panicked with it").clone()
    }

    /// Waits until its tools were called so many times.
    pub async fn called(&self, times: usize) {
        let mut count = self.shed.count.subscribe();
        count.wait_for(|count| *count >= times).await.expect("the server is there");
    }

    /// What `leak` answers from now on.
    pub fn plant(&self, text: &str) {
        text.clone_into(&mut self.shed.planted.lock().expect("nobody panicked with it"));
    }
}

impl Shed {
    /// Notes a call; answers its number.
    fn note(&self, name: &str, arguments: &Value) -> usize {
        let mut calls = self.calls.lock().expect("nobody panicked with it");
        calls.push((name.to_owned(), arguments.clone()));
        calls.len()
    }
}

impl Drop for ToolServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shed): State<Arc<Shed>>, Json(request): Json<Value>) -> Response {
    let Some(id) = request.get("id").cloned() else { return StatusCode::ACCEPTED.into_response() };
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "shed", "version": "1" },
        }),
        "tools/list" => json!({ "tools": tools() }),
        "tools/call" => call(&shed, &request["params"]).await,
        _ => json!({}),
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

fn tools() -> Vec<Value> {
    let tool = |name: &str, read_only: bool| {
        json!({
            "name": name, "description": format!("The tool {name}."), "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": read_only },
        })
    };
    vec![
        tool("look", true),
        tool("restart", false),
        tool("wait", true),
        tool("log", true),
        tool("fail", true),
        tool("leak", true),
        tool("count", true),
    ]
}

async fn call(shed: &Shed, params: &Value) -> Value {
    let (name, arguments) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
    let number = shed.note(name, arguments);
    shed.count.send_modify(|count| *count += 1);
    tokio::time::sleep(Duration::from_millis(arguments["takes_ms"].as_u64().unwrap_or_default())).await;
    let text = match name {
        "look" => format!("seen: {arguments}"),
        "restart" => "restarted".to_owned(),
        "count" => format!("call {number}"),
        "wait" => std::future::pending().await,
        "log" => log(arguments["lines"].as_u64().unwrap_or(10)),
        "leak" => shed.planted.lock().expect("nobody panicked with it").clone(),
        _ => return json!({ "content": [{ "type": "text", "text": "it is broken" }], "isError": true }),
    };
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// Lines that cannot be told as fewer: no two are alike.
fn log(lines: u64) -> String {
    let line = |number: u64| format!("{number:06} {:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}
