//! Errors of Chat Completions servers, as responses and inside streams.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{ModelError, Vendor};

use super::client::{ask, question};
use crate::peer::ScriptedResponse;

const BEGUN: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Begun\"}}]}\n\n";

async fn broken_by(rest: &str) -> ModelError {
    let answer = ScriptedResponse::stream(format!("{BEGUN}{rest}").as_bytes(), 4);
    ask(Vendor::OpenAiCompatible, "m", question(), answer).await.0.unwrap_err()
}

async fn refused(answer: ScriptedResponse) -> ModelError {
    ask(Vendor::OpenAiCompatible, "some-model", question(), answer).await.0.unwrap_err()
}

#[tokio::test]
async fn errors_inside_a_stream_are_classified() {
    use ModelFailureKind as Kind;
    let error = |error: Value| format!("data: {}\n\n", json!({"error": error}));
    for (rest, expected) in [
        (error(json!({"message": "Slow", "code": 429})), Kind::RateLimit),
        (error(json!({"message": "Bad gateway", "code": 502, "metadata": {"raw": "upstream"}})), Kind::Overloaded),
        (error(json!({"message": "wrong", "type": "invalid_request_error"})), Kind::InvalidRequest),
        (error(json!("the runner has stopped")), Kind::Overloaded),
        (error(json!("the input exceeds the context length")), Kind::ContextTooLong),
        ("event: error\ndata: {\"error\":{\"message\":\"no such call\",\"code\":\"tool_use_failed\"}}\n\n".to_owned(), Kind::ProviderBug),
        ("event: error\ndata: upstream connect error\n\n".to_owned(), Kind::Overloaded),
        ("data: {\"choices\":[],\"x_groq\":{\"id\":\"r\",\"error\":\"over capacity\"}}\n\n".to_owned(), Kind::Overloaded),
        ("event: error\ndata: {\"message\":\"gone\"}\n\n".to_owned(), Kind::Overloaded),
        ("{\n  \"error\": {\n    \"message\": \"bare\",\n    \"code\": 401\n  }\n}\n".to_owned(), Kind::Credentials),
        ("data: {\"object\":\"error\",\"message\":\"x\",\"code\":400}\n\n".to_owned(), Kind::InvalidRequest),
        ("data: {\"detail\":\"worker died\"}\n\n".to_owned(), Kind::Overloaded),
        ("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\",\"error\":{\"code\":503,\"message\":\"x\"}}]}\n\n".to_owned(), Kind::Overloaded),
        ("data: {\"choices\":[{\"delta\":{}},\"finish_reason\"\n\n".to_owned(), Kind::ProviderBug),
    ] {
        let error = broken_by(&rest).await;
        assert_eq!(error.failure.kind, expected, "{rest}");
        assert_eq!(error.failure.partial_text, "Begun", "{rest}");
    }
}

#[tokio::test]
async fn an_unknown_model_or_path_is_named() {
    let error = refused(ScriptedResponse::status(404, "404 page not found")).await;
    assert_eq!(error.failure.kind, ModelFailureKind::InvalidRequest);
    let message = error.failure.message;
    for part in ["404 page not found", "some-model", "http://127.0.0.1:", "/v1/chat/completions"] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn an_exhausted_account_is_not_a_rate_limit() {
    let body = json!({"error": {"message": "You exceeded your quota.", "type": "insufficient_quota", "code": "insufficient_quota"}});
    let error = refused(ScriptedResponse::status(429, &body.to_string()).header("retry-after", "3")).await;
    assert_eq!(error.failure.kind, ModelFailureKind::Credentials);
    assert!(!error.is_transient());
    assert!(error.failure.message.contains("no credit or quota left"), "{error}");
}

#[tokio::test]
async fn retry_after_is_read_from_header_or_message() {
    let body = json!({"error": {"message": "Rate limit. Please try again in 1m0.5s.", "code": "rate_limit_exceeded"}}).to_string();
    let error = refused(ScriptedResponse::status(429, &body)).await;
    assert_eq!(
        (error.failure.kind, error.delay()),
        (ModelFailureKind::RateLimit, Some(Duration::from_millis(60_500)))
    );
    let header = refused(ScriptedResponse::status(429, &body).header("retry-after", "2")).await;
    assert_eq!(header.delay(), Some(Duration::from_secs(2)));
}

#[tokio::test]
async fn errors_never_contain_the_key() {
    for answer in [
        ScriptedResponse::status(401, "{\"error\":\"no\"}"),
        ScriptedResponse::status(404, ""),
        ScriptedResponse::stream(b"data: ?\n\n", 9),
    ] {
        assert!(!refused(answer).await.to_string().contains("sk-secret"));
    }
}

/// Groq checks tool calls itself; what the model wrote is in `failed_generation`.
#[tokio::test]
async fn an_invalid_tool_call_that_the_server_rejects_is_neither_an_outage_nor_an_empty_reply() {
    let written = "<function=k8s.pods_list>{\"namespace\": </function>";
    let error = json!({"message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error", "code": "tool_use_failed", "status_code": 400, "failed_generation": written});
    let event = json!({"error": error}).to_string();
    let role = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n";
    for answer in [
        ScriptedResponse::stream(format!("{role}event: error\ndata: {event}\n\n").as_bytes(), 3),
        ScriptedResponse::stream(format!("{role}data: {event}\n\ndata: [DONE]\n\n").as_bytes(), 7),
        ScriptedResponse::status(400, &event),
    ] {
        let error = refused(answer).await;
        assert_eq!(error.failure.kind, ModelFailureKind::ProviderBug);
        assert!(!error.is_transient());
        assert!(error.failure.message.contains("Failed to call a function"), "{error}");
        assert!(
            error.failure.message.contains("the model wrote a tool call that the provider rejects"),
            "{error}"
        );
        assert_eq!(error.failure.partial_text, written);
    }
}
