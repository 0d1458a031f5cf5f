//! Sends requests to models behind the scripted server.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::{Message, ModelCatalog, ModelFailureKind, Secret, ToolCall, ToolDefinition};
use tarsy_llm::{
    Assembly, ModelError, ModelRequest, NativeTools, Origin, Settings, Tags, Thinking, Timeouts, Vendor,
    collect,
};

use crate::peer::{Peer, Received, ScriptedResponse};

/// Returns the settings of a model at a URL.
pub(crate) fn settings(base_url: url::Url, model: &str) -> Settings {
    Settings {
        origin: Origin { provider: "client".to_owned(), model: model.to_owned() },
        base_url,
        api_key: Some(Secret::new("sk-secret")),
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    }
}

/// Creates a request without tools.
pub(crate) fn conversation(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    }
}

/// Adds the tools `k8s.pods_list` and `web.get`.
pub(crate) fn with_tools(request: ModelRequest) -> ModelRequest {
    let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {"namespace": {"type": "string"}}, "required": ["namespace"]});
    let tool = |name: &str, input_schema: Value| {
        let (name, description) = (name.to_owned(), format!("Calls {name}."));
        Arc::new(ToolDefinition { name, description, input_schema })
    };
    ModelRequest { tools: Arc::new([tool("k8s.pods_list", schema), tool("web.get", Value::Null)]), ..request }
}

/// Creates a request with tools.
pub(crate) fn question() -> ModelRequest {
    with_tools(conversation([Message::system("Be brief."), Message::user("Which pods fail?")]))
}

/// Sends a request. Returns the reply and the received HTTP request.
pub(crate) async fn ask(
    vendor: Vendor,
    model: &str,
    request: ModelRequest,
    answer: ScriptedResponse,
) -> (Result<Assembly, ModelError>, Received) {
    ask_with(vendor, request, answer, |url| settings(url, model)).await
}

/// Like [`ask`], with custom settings.
pub(crate) async fn ask_with(
    vendor: Vendor,
    request: ModelRequest,
    answer: ScriptedResponse,
    settings: impl FnOnce(url::Url) -> Settings,
) -> (Result<Assembly, ModelError>, Received) {
    let peer = Peer::start([answer]).await;
    let model = vendor.model(settings(peer.url.clone())).unwrap();
    let reply = collect(model.stream(request)).await;
    (reply, peer.requests().remove(0))
}

/// Returns the reply for given events in the vendor's format.
pub(crate) async fn reply(vendor: Vendor, model: &str, events: &[Value]) -> Result<Assembly, ModelError> {
    ask(vendor, model, question(), ScriptedResponse::stream(&sse(events), 5)).await.0
}

/// Returns kind and message of a failure.
pub(crate) fn failure(reply: Result<Assembly, ModelError>) -> (ModelFailureKind, String) {
    let failure = reply.unwrap_err().failure;
    (failure.kind, failure.message)
}

/// Returns a reply as a message, after a round trip through the database.
pub(crate) fn stored(assembly: &Assembly) -> Message {
    let reply = assembly.reply.clone();
    let message = Message {
        tool_calls: reply.tool_calls,
        provider_state: reply.provider_state,
        ..Message::assistant(reply.text)
    };
    serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap()
}

/// Returns the tool calls of a reply as `id name arguments`.
pub(crate) fn calls(assembly: &Assembly) -> Vec<String> {
    let encode = |ToolCall { id, name, arguments }: &ToolCall| format!("{id} {name} {arguments}");
    assembly.reply.tool_calls.iter().map(encode).collect()
}

/// Encodes events.
pub(crate) fn sse(events: &[Value]) -> Vec<u8> {
    let encode = |event: &Value| match event {
        Value::String(text) => format!("data: {text}\n\n"),
        event @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            format!("data: {event}\n\n")
        }
    };
    events.iter().map(encode).collect::<String>().into_bytes()
}
