//! Gemini over real HTTP: what is sent, and what is made of the answer.
mod recorded;
mod requests;
mod streams;
mod tools;
mod turns;
mod vertex;

use std::sync::Arc;

use serde_json::Value;
use tarsy_domain::{Message, ModelCatalog, Secret};
use tarsy_llm::{
    Assembly, ModelError, ModelRequest, NativeTools, Origin, Settings, Tags, Thinking, Timeouts, Vendor,
    collect,
};

use crate::peer::{Answer, Peer, Received, SOON};

const PRO: &str = "gemini-2.5-pro";
const THREE: &str = "gemini-3-pro-preview";

fn settings(base_url: &url::Url, model: &str) -> Settings {
    Settings {
        origin: Origin { provider: "google-test".to_owned(), model: model.to_owned() },
        base_url: base_url.clone(),
        api_key: Some(Secret::new("test-key")),
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    }
}

fn conversation(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::default(),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    }
}

fn question() -> ModelRequest {
    conversation([Message::user("Why is the pod down?")])
}

/// Asks a model of AI Studio, and gives what it made of the answer and what it was sent.
async fn ask(model: &str, request: ModelRequest, answer: Answer) -> (Result<Assembly, ModelError>, Received) {
    let peer = Peer::start([answer]).await;
    let model = Vendor::Google.model(settings(&peer.url, model)).unwrap();
    let result = tokio::time::timeout(SOON, collect(model.stream(request))).await.unwrap();
    (result, peer.requests().remove(0))
}

/// What is sent for a request.
async fn sent(model: &str, request: ModelRequest) -> Received {
    ask(
        model,
        request,
        Answer::stream(events(&[r#"{"candidates":[{"finishReason":"STOP"}]}"#]).as_bytes(), 999),
    )
    .await
    .1
}

/// Asks in all at once and in small pieces; the answer must not depend on it.
async fn reply(body: &str) -> Result<Assembly, ModelError> {
    let mut results = Vec::new();
    for piece in [1, 7, usize::MAX] {
        results.push(ask(PRO, question(), Answer::stream(body.as_bytes(), piece)).await.0);
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    results.remove(0)
}

/// A stream of events, framed as Google frames them.
fn events(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect()
}

/// An event with parts.
fn parts(parts: &str) -> String {
    format!(r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"index":0}}]}}"#)
}

/// An event with parts and the end.
fn last(parts: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"STOP","index":0}}]}}"#
    )
}

/// The native turn inside a reply's state.
fn native(assembly: &Assembly) -> Value {
    let state: Value = serde_json::from_str(assembly.reply.provider_state.as_deref().unwrap()).unwrap();
    state["native"].clone()
}
