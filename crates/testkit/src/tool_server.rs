//! An MCP server over streamable HTTP that records its calls and replies with a configurable delay.
//!
//! Its tools: `look` (read-only) returns its arguments; `restart` has a side effect; `wait` (read-only) never
//! returns; `log` (read-only) returns the requested number of lines; `fail` reports an error; `leak`
//! (read-only) returns a text that the test sets; `count` (read-only) returns the number of calls so far.
//! Every tool sleeps for `takes_ms`, an argument, before it returns.

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
    /// Its URL.
    pub url: String,
    state: Arc<ToolServerState>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct ToolServerState {
    /// All calls, by tool name and arguments.
    calls: Mutex<Vec<(String, Value)>>,
    count: watch::Sender<usize>,
    planted: Mutex<String>,
}

impl ToolServer {
    /// Starts a server.
    pub async fn start() -> Self {
        let state = Arc::new(ToolServerState::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening on loopback");
        let url = format!("http://{}/mcp", listener.local_addr().expect("the address"));
        let router = Router::new().route("/mcp", post(handle)).with_state(Arc::clone(&state));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { url, state, task }
    }

    /// Returns all calls so far, by tool name and arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.state.calls.lock().expect("the lock is not poisoned").clone()
    }

    /// Waits until there were this many calls.
    pub async fn wait_for_calls(&self, times: usize) {
        let mut count = self.state.count.subscribe();
        count.wait_for(|count| *count >= times).await.expect("the server runs");
    }

    /// Sets the text that `leak` returns.
    pub fn plant(&self, text: &str) {
        text.clone_into(&mut self.state.planted.lock().expect("the lock is not poisoned"));
    }
}

impl ToolServerState {
    /// Records a call and returns its number.
    fn record(&self, name: &str, arguments: &Value) -> usize {
        let mut calls = self.calls.lock().expect("the lock is not poisoned");
        calls.push((name.to_owned(), arguments.clone()));
        calls.len()
    }
}

impl Drop for ToolServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn handle(State(state): State<Arc<ToolServerState>>, Json(request): Json<Value>) -> Response {
    let Some(id) = request.get("id").cloned() else { return StatusCode::ACCEPTED.into_response() };
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "testkit", "version": "1" },
        }),
        "tools/list" => json!({ "tools": tools() }),
        "tools/call" => call(&state, &request["params"]).await,
        _ => json!({}),
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

fn tools() -> Vec<Value> {
    let tool_with = |name: &str, read_only: bool, input_schema: Value| {
        json!({
            "name": name, "description": format!("The tool {name}."), "inputSchema": input_schema,
            "annotations": { "readOnlyHint": read_only },
        })
    };
    let tool = |name: &str, read_only: bool| tool_with(name, read_only, json!({ "type": "object" }));
    let log = json!({ "type": "object", "properties": { "lines": { "type": "integer" } } });
    vec![
        tool("look", true),
        tool("restart", false),
        tool("wait", true),
        tool_with("log", true, log),
        tool("fail", true),
        tool("leak", true),
        tool("count", true),
    ]
}

async fn call(state: &ToolServerState, params: &Value) -> Value {
    let (name, arguments) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
    let number = state.record(name, arguments);
    state.count.send_modify(|count| *count += 1);
    tokio::time::sleep(Duration::from_millis(arguments["takes_ms"].as_u64().unwrap_or_default())).await;
    let text = match name {
        "look" => format!("seen: {arguments}"),
        "restart" => "restarted".to_owned(),
        "count" => format!("call {number}"),
        "wait" => std::future::pending().await,
        "log" => log(arguments["lines"].as_u64().unwrap_or(10)),
        "leak" => state.planted.lock().expect("the lock is not poisoned").clone(),
        _ => return json!({ "content": [{ "type": "text", "text": "it is broken" }], "isError": true }),
    };
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// Returns lines that cannot be collapsed, because no two are similar.
fn log(lines: u64) -> String {
    let line = |number: u64| format!("{number:06} {:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}
