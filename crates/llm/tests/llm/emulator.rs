//! Two turns with an emulator that sends reasoning and tool calls, on every wire: `aimock`, scripted by
//! `fixtures.json`.
//!
//! Reasoning is decoded as thinking, calls and results are linked, and reasoning is sent back with its turn.
//! The emulator's journal contains the requests as it parsed them, in one format for all wires, but without
//! reasoning; a recording proxy therefore keeps the bytes. The emulator does not support Gemini's signatures.

mod recording_proxy;
mod server;

use std::sync::Arc;

use serde_json::{Value, json};
use server::Emulator;
use tarsy_domain::{Message, ModelCatalog, ModelReply, Secret, TokenUsage, ToolCall, ToolDefinition};
use tarsy_llm::{
    Model, ModelRequest, NativeTools, Origin, Settings, Tags, Thinking, Timeouts, Vendor, collect,
};
use url::Url;

const QUESTION: &str = "Why do the payment pods fail?";

#[tokio::test]
async fn plain_reasoning_is_sent_back_in_chat_completions() {
    let emulator = Emulator::start().await;
    two_turns(&emulator, model(&Vendor::OpenAiCompatible, emulator.url("v1"), "deepseek-reasoner")).await;
    let sent = emulator.sent_last();
    assert!(sent.contains(r#""reasoning_content":"Pods that fail are listed by the cluster"#), "{sent}");
}

#[tokio::test]
async fn encrypted_reasoning_is_sent_back_in_responses() {
    let emulator = Emulator::start().await;
    let first = two_turns(&emulator, model(&Vendor::OpenAi, emulator.url("v1"), "gpt-5-mini")).await;
    let state: Value = serde_json::from_str(&first.provider_state.unwrap()).unwrap();
    let encrypted = state["native"][0]["encrypted_content"].as_str().unwrap();
    let sent = emulator.sent_last();
    assert!(sent.contains(&format!(r#""encrypted_content":"{encrypted}""#)), "{sent}");
}

/// The emulator rejects a second turn that does not start with signed thinking.
#[tokio::test]
async fn signed_thinking_is_sent_back_to_anthropic() {
    let emulator = Emulator::start().await;
    two_turns(&emulator, model(&Vendor::Anthropic, emulator.url(""), "claude-sonnet-4-5")).await;
    let sent = emulator.sent_last();
    assert!(sent.contains(r#""signature":"RXJyb3I+/2lnbmVk==""#), "{sent}");
}

#[tokio::test]
async fn gemini_returns_thinking_and_tool_calls() {
    let emulator = Emulator::start().await;
    two_turns(&emulator, model(&Vendor::Google, emulator.url(""), "gemini-2.5-pro")).await;
}

/// Sends a request, returns tool results, and receives the final reply. Returns the first reply.
async fn two_turns(emulator: &Emulator, model: Arc<dyn Model>) -> ModelReply {
    let first = collect(model.stream(request([Message::user(QUESTION)]))).await.unwrap().reply;
    assert_eq!(first.thinking, "Pods that fail are listed by the cluster, so I ask it first.");
    assert_eq!(first.text, "Let me look at the pods.");
    assert_eq!(first.tool_calls, calls());
    assert_eq!(first.usage, TokenUsage { input_tokens: 31, output_tokens: 17, ..TokenUsage::default() });

    let said = Message {
        tool_calls: first.tool_calls.clone(),
        provider_state: first.provider_state.clone(),
        ..Message::assistant(first.text.clone())
    };
    let results = calls().into_iter().map(|call| Message::tool(&call, format!("{}: out of memory", call.id)));
    let conversation = [Message::user(QUESTION), said].into_iter().chain(results);
    let second = collect(model.stream(request(conversation))).await.unwrap().reply;
    assert_eq!(
        (second.thinking.as_str(), second.text.as_str()),
        ("The log says it plainly.", "They run out of memory.")
    );
    check_journal(&emulator.journal().await);
    first
}

/// Checks that both requests were parsed and that each result refers to its call.
fn check_journal(journal: &[Value]) {
    let [_, second] = journal else { panic!("{journal:?}") };
    let messages = second["body"]["messages"].as_array().unwrap();
    let called = messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    let called: Vec<_> = called.map(|call| (&call["id"], &call["function"]["name"])).collect();
    let pods = (&json!("call_pods"), &json!("k8s__pods_list"));
    assert_eq!(called, [pods, (&json!("call_log"), &json!("k8s__pods_log"))]);
    for id in ["call_pods", "call_log"] {
        let result = messages.iter().find(|message| message["tool_call_id"] == id).unwrap();
        assert!(result["content"].as_str().unwrap().contains(&format!("{id}: out of memory")), "{result}");
    }
}

fn calls() -> Vec<ToolCall> {
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    vec![
        call("call_pods", "k8s.pods_list", r#"{"namespace":"payments"}"#),
        call("call_log", "k8s.pods_log", r#"{"pod":"pay-1","lines":20}"#),
    ]
}

fn model(vendor: &Vendor, base_url: Url, model: &str) -> Arc<dyn Model> {
    let settings = Settings {
        origin: Origin { provider: "emulator".to_owned(), model: model.to_owned() },
        base_url,
        api_key: Some(Secret::new("sk-secret")),
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    };
    vendor.model(settings).unwrap()
}

fn request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    let tool = |name: &str, properties: Value| ToolDefinition {
        name: name.to_owned(),
        description: format!("Calls {name}."),
        input_schema: json!({"type": "object", "properties": properties}),
    };
    let text = json!({"type": "string"});
    let tools = [
        tool("k8s.pods_list", json!({"namespace": text})),
        tool("k8s.pods_log", json!({"pod": text, "lines": {"type": "integer"}})),
    ];
    ModelRequest {
        stop_sequences: &[],
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools.into_iter().map(Arc::new).collect(),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    }
}
