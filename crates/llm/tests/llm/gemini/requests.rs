//! Requests: URL, headers, body.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::{Message, ModelFailureKind, ToolDefinition};
use tarsy_llm::{ModelRequest, NativeTools, Vendor, collect};

use super::{PRO, THREE, conversation, events, last, question, sent, settings};
use crate::peer::{Peer, ScriptedResponse};

pub(crate) fn pods_tool() -> ToolDefinition {
    ToolDefinition {
        name: "k8s.get_pods".to_owned(),
        description: "Lists pods.".to_owned(),
        input_schema: json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "namespace": { "type": "string" } },
            "required": ["namespace"],
        }),
    }
}

fn time_tool() -> ToolDefinition {
    let input_schema = json!({ "type": "object", "properties": {} });
    ToolDefinition { name: "clock.now".to_owned(), description: String::new(), input_schema }
}

#[tokio::test]
async fn a_request_is_encoded_in_the_gemini_format() {
    let request = ModelRequest {
        tools: Arc::from([pods_tool(), time_tool()].map(Arc::new)),
        ..conversation([
            Message::system("You are careful."),
            Message::system("You are brief."),
            Message::user("An alert came."),
            Message::user(""),
            Message::user("Look into it."),
            Message::assistant("I will."),
            Message::user("Go on."),
        ])
    };
    let body = sent(PRO, request).await.json();
    let expected = json!({
        "systemInstruction": { "parts": [{ "text": "You are careful." }, { "text": "You are brief." }] },
        "contents": [
            { "role": "user", "parts": [{ "text": "An alert came." }, { "text": "Look into it." }] },
            { "role": "model", "parts": [{ "text": "I will." }] },
            { "role": "user", "parts": [{ "text": "Go on." }] },
        ],
        "tools": [{ "functionDeclarations": [
            {
                "name": "k8s__get_pods",
                "description": "Lists pods.",
                "parametersJsonSchema": {
                    "type": "object",
                    "properties": { "namespace": { "type": "string" } },
                    "required": ["namespace"],
                },
            },
            { "name": "clock__now" },
        ] }],
        "generationConfig": { "thinkingConfig": { "includeThoughts": true, "thinkingBudget": 32768 } },
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn the_key_is_sent_in_a_header_only() {
    let received = sent(PRO, question()).await;
    assert_eq!(received.path, "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    assert_eq!(received.header("x-goog-api-key"), Some("test-key"));
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert!(!received.body.contains("test-key"));
}

#[tokio::test]
async fn the_path_of_a_gateway_is_kept() {
    let peer =
        Peer::start([ScriptedResponse::stream(events(&[&last(r#"{"text":"a"}"#)]).as_bytes(), 99)]).await;
    let gateway = peer.url.join("team/gemini").unwrap();
    let model = Vendor::Google.model(settings(&gateway, PRO)).unwrap();
    collect(model.stream(question())).await.unwrap();
    let path = "/team/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
    assert_eq!(peer.requests()[0].path, path);
}

#[tokio::test]
async fn settings_are_encoded() {
    let peer =
        Peer::start([ScriptedResponse::stream(events(&[&last(r#"{"text":"a"}"#)]).as_bytes(), 99)]).await;
    let mut settings = settings(&peer.url, THREE);
    (settings.temperature, settings.max_output_tokens) = (Some(0.5), Some(2000));
    collect(Vendor::Google.model(settings).unwrap().stream(question())).await.unwrap();
    let expected = json!({
        "temperature": 0.5,
        "maxOutputTokens": 2000,
        "thinkingConfig": { "includeThoughts": true, "thinkingLevel": "HIGH" },
    });
    assert_eq!(peer.requests()[0].json()["generationConfig"], expected);
}

#[tokio::test]
async fn native_tools_are_sent_if_the_model_supports_them() {
    let native = ["googleSearch", "urlContext", "codeExecution"];
    let (ours, none): (Vec<Arc<ToolDefinition>>, _) = (vec![Arc::new(time_tool())], Vec::new());
    for (model, tools, expected, mixed) in [
        (PRO, &none, &native[..], false),
        (PRO, &ours, &["functionDeclarations"][..], false),
        (THREE, &none, &native[..], false),
        (THREE, &ours, &["functionDeclarations", "googleSearch", "urlContext", "codeExecution"][..], true),
    ] {
        let native_tools = NativeTools { google_search: true, code_execution: true, url_context: true };
        let request = ModelRequest { tools: tools.as_slice().into(), native_tools, ..question() };
        let body = sent(model, request).await.json();
        let kinds =
            body["tools"].as_array().unwrap().iter().flat_map(|tool| tool.as_object().unwrap().keys());
        assert_eq!(kinds.collect::<Vec<_>>(), expected, "{model}");
        let expected = if mixed { json!({ "includeServerSideToolInvocations": true }) } else { Value::Null };
        assert_eq!(body["toolConfig"], expected, "{model}");
    }
}

#[tokio::test]
async fn only_enabled_native_tools_are_sent() {
    let native_tools = NativeTools { code_execution: true, ..NativeTools::default() };
    let body = sent(PRO, ModelRequest { native_tools, ..question() }).await.json();
    assert_eq!(body["tools"], json!([{ "codeExecution": {} }]));
    assert_eq!(sent(PRO, question()).await.json().get("tools"), None);
}

#[tokio::test]
async fn a_request_without_user_content_is_not_sent() {
    let peer = Peer::start([]).await;
    let model = Vendor::Google.model(settings(&peer.url, PRO)).unwrap();
    let error = collect(model.stream(conversation([Message::system("Be brief.")]))).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::InvalidRequest);
    assert!(peer.requests().is_empty());
}
