//! A model behind a real Chat Completions interface whose every answer is decided by the test.
//!
//! It keeps what it was asked. What it answers depends on the request alone, as with a cassette, so a session that is
//! interrupted and resumed gets the same answers as one that was not.

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
    desk: Arc<Desk>,
    task: JoinHandle<()>,
}

struct Desk {
    script: Box<dyn Fn(&Asked) -> Said + Send + Sync>,
    log: Mutex<Vec<Asked>>,
    /// Which of them, by their place in the log, were answered to the last byte.
    answered: Mutex<HashSet<usize>>,
    count: watch::Sender<usize>,
    /// How many went away before they had an answer.
    left: watch::Sender<usize>,
}

/// Somebody who waits for an answer that never comes.
struct Waiting<'a>(&'a Desk);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.left.send_modify(|left| *left += 1);
    }
}

/// What the server was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The model's name, by which a script tells agents apart.
    pub model: String,
    /// The conversation.
    pub messages: Vec<Value>,
}

/// What the model says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A text.
    Text(String),
    /// Calls of tools, by name with arguments, after a text.
    Calls(String, Vec<(String, Value)>),
    /// Nothing but an error.
    Error(u16),
    /// Nothing at all, until the client goes away.
    Nothing,
    /// The same, after some time.
    After(Duration, Box<Said>),
    /// The same, of which the second half comes some time after the first.
    Halting(Duration, Box<Said>),
}

impl Asked {
    /// How many results of tools the conversation holds.
    pub fn results(&self) -> usize {
        self.messages.iter().filter(|message| message["role"] == "tool" || is_observation(message)).count()
    }

    /// The conversation as one text.
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
    /// Starts a server that answers by a script.
    pub async fn start(script: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Self {
        let desk = Arc::new(Desk {
            script: Box::new(script),
            log: Mutex::default(),
            answered: Mutex::default(),
            count: watch::Sender::new(0),
            left: watch::Sender::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening on loopback");
        let url = format!("http://{}/v1", listener.local_addr().expect("the address"));
        let router = Router::new().route("/v1/chat/completions", post(answer)).with_state(Arc::clone(&desk));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { url, desk, task }
    }

    /// Everything it was asked so far, in order.
    pub fn log(&self) -> Vec<Asked> {
        self.desk.log.lock().expect("nobody panicked with it").clone()
    }

    /// How many of its answers were written to the last byte. Whoever asked may be gone before it reads them.
    pub fn answered(&self) -> usize {
        self.desk.answered.lock().expect("nobody panicked with it").len()
    }

    /// Waits until it was asked so many times.
    pub async fn asked(&self, times: usize) {
        let mut count = self.desk.count.subscribe();
        count.wait_for(|count| *count >= times).await.expect("the server is there");
    }

    /// Waits until so many of those who get [`Said::Nothing`] have closed their connection.
    pub async fn left(&self, times: usize) {
        let mut left = self.desk.left.subscribe();
        left.wait_for(|left| *left >= times).await.expect("the server is there");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(desk): State<Arc<Desk>>, body: Bytes) -> Response<Body> {
    let request: Value = serde_json::from_slice(&body).expect("a JSON request");
    let asked = Asked {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        messages: request["messages"].as_array().cloned().unwrap_or_default(),
    };
    let mut said = (desk.script)(&asked);
    let number = {
        let mut log = desk.log.lock().expect("nobody panicked with it");
        log.push(asked);
        log.len() - 1
    };
    desk.count.send_modify(|count| *count += 1);
    let mut halt = Duration::ZERO;
    loop {
        let delta = match said {
            Said::Nothing => {
                let _waiting = Waiting(&desk);
                std::future::pending().await
            }
            Said::Error(status) => {
                return Response::builder()
                    .status(StatusCode::from_u16(status).expect("a status"))
                    .body(Body::from(r#"{"error":{"message":"as the script wants it"}}"#))
                    .expect("a response");
            }
            Said::Text(text) => json!({ "content": text }),
            Said::Calls(text, calls) => json!({ "content": text, "tool_calls": tool_calls(calls) }),
            Said::After(pause, then) => {
                tokio::time::sleep(pause).await;
                said = *then;
                continue;
            }
            Said::Halting(pause, then) => {
                halt = pause;
                said = *then;
                continue;
            }
        };
        return stream_of(&delta, halt, desk, number);
    }
}

fn tool_calls(calls: Vec<(String, Value)>) -> Vec<Value> {
    let call = |(index, (name, arguments)): (usize, (String, Value))| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function })
    };
    calls.into_iter().enumerate().map(call).collect()
}

/// The answer in two halves, and a note when the second one was taken over for sending.
fn stream_of(delta: &Value, halt: Duration, desk: Arc<Desk>, number: usize) -> Response<Body> {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 });
    let events = [
        json!({ "choices": [{ "index": 0, "delta": delta }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "usage": usage }),
    ];
    let mut body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    body.push_str("data: [DONE]\n\n");
    let second = body.split_off(body.floor_char_boundary(body.len() / 2));
    let halves = stream::unfold(vec![second, body], move |mut left| {
        let desk = Arc::clone(&desk);
        async move {
            let Some(half) = left.pop() else {
                desk.answered.lock().expect("nobody panicked with it").insert(number);
                return None;
            };
            if left.is_empty() {
                tokio::time::sleep(halt).await;
            }
            Some((Ok::<_, Infallible>(half), left))
        }
    });
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from_stream(halves))
        .expect("a response")
}
