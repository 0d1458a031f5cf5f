//! Our client with a service in Python.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tarsy_domain::{
    CodeExecution, Grounding, GroundingSource, Message, ModelFailureKind as Kind, TokenUsage, ToolCall,
    ToolDefinition,
};
use tarsy_llm::{
    Assembly, Chunk, GrpcModel, GrpcSettings, Model, ModelError, ModelRequest, NativeTools, Origin,
    RemoteModel, Tags, Timeouts, collect,
};

use super::python::script;
use crate::program::Program;

/// A running service and a model that uses it.
struct Service {
    model: GrpcModel,
    program: Program,
}

impl Service {
    fn start() -> Self {
        let program = Program::start(&mut script("model_service.py"));
        let patience = Duration::from_secs(20);
        let settings = GrpcSettings {
            origin: Origin { provider: "remote".to_owned(), model: "gemini-3-pro".to_owned() },
            address: tarsy_domain::Secret::new(program.printed_after("listening on ")),
            remote: RemoteModel {
                provider: "google".to_owned(),
                api_key_env: "GOOGLE_API_KEY".to_owned(),
                ..RemoteModel::default()
            },
            timeouts: Timeouts {
                connect: patience,
                first_chunk: patience,
                stall: patience,
                ..Timeouts::default()
            },
        };
        Self { model: GrpcModel::new(settings).unwrap(), program }
    }

    /// Requests one of the service's scripted replies.
    async fn ask(&self, answer: &str) -> Result<Assembly, ModelError> {
        collect(self.model.stream(request([Message::user(answer)]))).await
    }
}

fn request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([Arc::new(ToolDefinition {
            name: "k8s.pods".to_owned(),
            description: "Lists pods.".to_owned(),
            input_schema: json!({"type": "object"}),
        })]),
        native_tools: NativeTools { google_search: true, ..NativeTools::default() },
        tags: Tags {
            session_id: "session".to_owned(),
            execution_id: "execution".to_owned(),
            stage: "Analysis".to_owned(),
            agent: "Agent".to_owned(),
            turn: 2,
            question: None,
        },
    }
}

fn call() -> ToolCall {
    ToolCall { id: "a".to_owned(), name: "k8s.pods".to_owned(), arguments: "{\"b\" : 1}".to_owned() }
}

#[tokio::test]
async fn every_kind_of_chunk_arrives() {
    let reply = Service::start().ask("everything").await.unwrap().reply;
    assert_eq!((reply.thinking.as_str(), reply.text.as_str()), ("Hm.", "Grüße aus Python"));
    assert_eq!(reply.tool_calls, [call()]);
    let execution = CodeExecution { code: "print(1)".to_owned(), result: "1".to_owned() };
    assert_eq!(reply.code_executions, [execution]);
    let source = GroundingSource { uri: "u".to_owned(), title: "t".to_owned() };
    let grounding =
        Grounding { queries: vec!["q".to_owned()], sources: vec![source], ..Grounding::default() };
    assert_eq!(reply.groundings, [grounding]);
    let usage = TokenUsage { input_tokens: 7, output_tokens: 5, thinking_tokens: 3, cached_tokens: 0 };
    assert_eq!(reply.usage, usage);
}

#[tokio::test]
async fn the_service_parses_a_whole_conversation() {
    let said = Message {
        tool_calls: vec![call()],
        provider_state: Some("ours alone".to_owned()),
        ..Message::assistant("Let me look.")
    };
    let conversation =
        [Message::system("Be brief."), said, Message::tool(&call(), "none"), Message::user("echo")];
    let reply = collect(Service::start().model.stream(request(conversation))).await.unwrap();
    let echoed: Value = serde_json::from_str(&reply.reply.text).unwrap();
    let expected = json!({
        "sessionId": "session",
        "executionId": "execution",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Let me look.",
                "toolCalls": [{"id": "a", "name": "k8s.pods", "arguments": "{\"b\" : 1}"}]},
            {"role": "tool", "content": "none", "toolCallId": "a", "toolName": "k8s.pods"},
            {"role": "user", "content": "echo"},
        ],
        "llmConfig": {"provider": "google", "model": "gemini-3-pro", "apiKeyEnv": "GOOGLE_API_KEY",
            "nativeTools": {"google_search": true, "code_execution": false, "url_context": false}},
        "tools": [{"name": "k8s.pods", "description": "Lists pods.", "parametersSchema": "{\"type\":\"object\"}"}],
    });
    assert_eq!(echoed, expected);
}

#[tokio::test]
async fn provider_and_transport_errors_are_classified() {
    let service = Service::start();
    for (answer, kind) in [
        ("credentials", Kind::Credentials),
        ("invalid_request", Kind::InvalidRequest),
        ("invalid_backend", Kind::InvalidRequest),
        ("max_retries", Kind::Overloaded),
        ("partial_stream_error", Kind::Network),
        ("provider_error", Kind::ProviderBug),
        ("internal", Kind::ProviderBug),
        ("cut", Kind::Network),
        ("UNAVAILABLE", Kind::Network),
        ("CANCELLED", Kind::Network),
        ("UNKNOWN", Kind::Network),
        ("ABORTED", Kind::Network),
        ("DEADLINE_EXCEEDED", Kind::Timeout),
        ("RESOURCE_EXHAUSTED", Kind::RateLimit),
        ("UNAUTHENTICATED", Kind::Credentials),
        ("PERMISSION_DENIED", Kind::Credentials),
        ("INVALID_ARGUMENT", Kind::InvalidRequest),
        ("NOT_FOUND", Kind::InvalidRequest),
        ("FAILED_PRECONDITION", Kind::InvalidRequest),
        ("OUT_OF_RANGE", Kind::InvalidRequest),
        ("UNIMPLEMENTED", Kind::InvalidRequest),
        ("INTERNAL", Kind::ProviderBug),
        ("DATA_LOSS", Kind::ProviderBug),
        ("ALREADY_EXISTS", Kind::ProviderBug),
    ] {
        let error = service.ask(answer).await.unwrap_err();
        assert_eq!(error.failure.kind, kind, "{answer}: {error}");
        assert_eq!(error.failure.partial_text, "Half", "{answer}");
    }
}

#[tokio::test]
async fn only_errors_that_the_service_did_not_retry_are_retried() {
    let service = Service::start();
    for (answer, transient) in [
        ("max_retries", false),
        ("partial_stream_error", false),
        ("provider_error", false),
        ("overloaded", true),
        ("UNAVAILABLE", true),
    ] {
        let error = service.ask(answer).await.unwrap_err();
        assert_eq!(error.is_transient(), transient, "{answer}: {error}");
    }
}

#[tokio::test]
async fn the_service_detects_a_cancelled_call() {
    let service = Service::start();
    let mut reply = service.model.stream(request([Message::user("endless")]));
    while !matches!(reply.next().await, Some(Ok(Chunk::Text(_)))) {}
    drop(reply);
    tokio::task::spawn_blocking(move || service.program.printed_after("the call was cancelled"))
        .await
        .unwrap();
}
