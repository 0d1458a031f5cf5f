//! Gemini over real HTTP: requests, and the decoding of responses.
mod partial_calls;
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

use crate::peer::{Peer, Received, SOON, ScriptedResponse};

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
        stop_sequences: &[],
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::default(),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    }
}

fn question() -> ModelRequest {
    conversation([Message::user("Why is the pod down?")])
}

/// Sends a request to an AI Studio model. Returns the decoded response and the received request.
async fn ask(
    model: &str,
    request: ModelRequest,
    answer: ScriptedResponse,
) -> (Result<Assembly, ModelError>, Received) {
    let peer = Peer::start([answer]).await;
    let model = Vendor::Google.model(settings(&peer.url, model)).unwrap();
    let result = tokio::time::timeout(SOON, collect(model.stream(request))).await.unwrap();
    (result, peer.requests().remove(0))
}

/// Returns the HTTP request for a model request.
async fn sent(model: &str, request: ModelRequest) -> Received {
    ask(
        model,
        request,
        ScriptedResponse::stream(events(&[r#"{"candidates":[{"finishReason":"STOP"}]}"#]).as_bytes(), 999),
    )
    .await
    .1
}

/// Serves the response whole and in small pieces; the reply must not depend on it.
async fn reply(body: &str) -> Result<Assembly, ModelError> {
    let mut results = Vec::new();
    for piece in [1, 2, 3, 4, 5, 6, 7, usize::MAX] {
        results.push(ask(PRO, question(), ScriptedResponse::stream(body.as_bytes(), piece)).await.0);
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    results.remove(0)
}

/// Frames events as Google does.
fn events(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect()
}

/// Returns an event with parts.
fn parts(parts: &str) -> String {
    format!(r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"index":0}}]}}"#)
}

/// Returns the last event, with parts and a finish reason.
fn last(parts: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"STOP","index":0}}]}}"#
    )
}

/// Returns the native turn in the state of a reply.
fn native(assembly: &Assembly) -> Value {
    let state: Value = serde_json::from_str(assembly.reply.provider_state.as_deref().unwrap()).unwrap();
    state["native"].clone()
}
