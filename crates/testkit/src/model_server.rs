//! A model with a real Chat Completions API whose replies are scripted by the test.
//!
//! It records the requests. A reply depends only on its request, as with a cassette, so a session that is
//! interrupted and resumed gets the same replies as one that is not.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::post;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running server; it stops when it is dropped.
pub struct ModelServer {
    /// Its `base_url`.
    pub url: String,
    state: Arc<ModelServerState>,
    task: JoinHandle<()>,
}

struct ModelServerState {
    script: Box<dyn Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync>,
    log: Mutex<Vec<ScriptedRequest>>,
    /// Indices in the log of the requests whose reply was sent completely.
    completed: Mutex<HashSet<usize>>,
    count: watch::Sender<usize>,
    /// Number of clients that disconnected before they got a reply.
    disconnects: watch::Sender<usize>,
}

/// Counts a disconnect when it is dropped.
struct HangingRequest<'a>(&'a ModelServerState);

impl Drop for HangingRequest<'_> {
    fn drop(&mut self) {
        self.0.disconnects.send_modify(|count| *count += 1);
    }
}

/// A request that the server received.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedRequest {
    /// The name of the model, by which a script distinguishes agents.
    pub model: String,
    /// The conversation.
    pub messages: Vec<Value>,
    /// The bound tools.
    pub tools: Vec<Value>,
    /// The stop sequences.
    pub stop: Vec<Value>,
}

/// A scripted reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedReply {
    /// A text.
    Text(String),
    /// A text that ends at the output limit.
    CutOff(String),
    /// Tool calls, by name and arguments, after a text.
    Calls(String, Vec<(String, Value)>),
    /// An HTTP error status.
    Error(u16),
    /// A rate limit, with the number of seconds to wait.
    RetryAfter(u64),
    /// No reply until the client disconnects.
    Hang,
    /// A reply after a delay.
    Delayed(Duration, Box<ScriptedReply>),
    /// A reply with a pause between its two halves.
    Paused(Duration, Box<ScriptedReply>),
}

impl ScriptedRequest {
    /// Returns the number of tool results in the conversation.
    pub fn results(&self) -> usize {
        self.messages.iter().filter(|message| message["role"] == "tool" || is_observation(message)).count()
    }

    /// Returns the names of the bound tools.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
    }

    /// Returns the conversation as one text.
    pub fn text(&self) -> String {
        let texts = self.messages.iter().filter_map(|message| message["content"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

fn is_observation(message: &Value) -> bool {
    let is_user = message["role"] == "user";
    is_user && message["content"].as_str().is_some_and(|text| text.starts_with("Observation:"))
}

impl ModelServer {
    /// Starts a server with a script.
    pub async fn start(script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let state = Arc::new(ModelServerState {
            script: Box::new(script),
            log: Mutex::default(),
            completed: Mutex::default(),
            count: watch::Sender::new(0),
            disconnects: watch::Sender::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening on loopback");
        let url = format!("http://{}/v1", listener.local_addr().expect("the address"));
        let router = Router::new().route("/v1/chat/completions", post(handle)).with_state(Arc::clone(&state));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { url, state, task }
    }

    /// Returns all requests so far, in order.
    pub fn log(&self) -> Vec<ScriptedRequest> {
        self.state.log.lock().expect("the lock is not poisoned").clone()
    }

    /// Returns the number of replies that were sent completely. A client may have disconnected before it read
    /// them.
    pub fn completed_replies(&self) -> usize {
        self.state.completed.lock().expect("the lock is not poisoned").len()
    }

    /// Waits until there were this many requests.
    pub async fn wait_for_requests(&self, times: usize) {
        let mut count = self.state.count.subscribe();
        count.wait_for(|count| *count >= times).await.expect("the server runs");
    }

    /// Waits until this many clients that get [`ScriptedReply::Hang`] have disconnected.
    pub async fn wait_for_disconnects(&self, times: usize) {
        let mut disconnects = self.state.disconnects.subscribe();
        disconnects.wait_for(|count| *count >= times).await.expect("the server runs");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn handle(State(state): State<Arc<ModelServerState>>, body: Bytes) -> Response<Body> {
    let request: Value = serde_json::from_slice(&body).expect("a JSON request");
    let request = ScriptedRequest {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        messages: request["messages"].as_array().cloned().unwrap_or_default(),
        tools: request["tools"].as_array().cloned().unwrap_or_default(),
        stop: request["stop"].as_array().cloned().unwrap_or_default(),
    };
    let mut reply = (state.script)(&request);
    let number = {
        let mut log = state.log.lock().expect("the lock is not poisoned");
        log.push(request);
        log.len() - 1
    };
    state.count.send_modify(|count| *count += 1);
    let mut pause = Duration::ZERO;
    let mut finish_reason = "stop";
    loop {
        let delta = match reply {
            ScriptedReply::Hang => {
                let _hanging = HangingRequest(&state);
                std::future::pending().await
            }
            ScriptedReply::Error(status) => {
                return Response::builder()
                    .status(StatusCode::from_u16(status).expect("a status"))
                    .body(Body::from(r#"{"error":{"message":"scripted error"}}"#))
                    .expect("a response");
            }
            ScriptedReply::RetryAfter(seconds) => {
                return Response::builder()
                    .status(StatusCode::TOO_MANY_REQUESTS)
                    .header("retry-after", seconds)
                    .body(Body::from(r#"{"error":{"message":"slow down"}}"#))
                    .expect("a response");
            }
            ScriptedReply::Text(text) => json!({ "content": text }),
            ScriptedReply::CutOff(text) => {
                finish_reason = "length";
                json!({ "content": text })
            }
            ScriptedReply::Calls(text, calls) => json!({ "content": text, "tool_calls": tool_calls(calls) }),
            ScriptedReply::Delayed(delay, then) => {
                tokio::time::sleep(delay).await;
                reply = *then;
                continue;
            }
            ScriptedReply::Paused(between, then) => {
                pause = between;
                reply = *then;
                continue;
            }
        };
        return stream_of(&delta, finish_reason, pause, state, number);
    }
}

fn tool_calls(calls: Vec<(String, Value)>) -> Vec<Value> {
    let call = |(index, (name, arguments)): (usize, (String, Value))| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function })
    };
    calls.into_iter().enumerate().map(call).collect()
}

/// Streams a reply in two halves, and records its completion when the second one was taken for sending.
fn stream_of(
    delta: &Value,
    finish_reason: &str,
    pause: Duration,
    state: Arc<ModelServerState>,
    number: usize,
) -> Response<Body> {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 });
    let events = [
        json!({ "choices": [{ "index": 0, "delta": delta }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish_reason }], "usage": usage }),
    ];
    let mut body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    body.push_str("data: [DONE]\n\n");
    let second = body.split_off(body.floor_char_boundary(body.len() / 2));
    let halves = stream::unfold(vec![second, body], move |mut left| {
        let state = Arc::clone(&state);
        async move {
            let Some(half) = left.pop() else {
                state.completed.lock().expect("the lock is not poisoned").insert(number);
                return None;
            };
            if left.is_empty() {
                tokio::time::sleep(pause).await;
            }
            Some((Ok::<_, Infallible>(half), left))
        }
    });
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from_stream(halves))
        .expect("a response")
}
