//! Errors of the Messages API: rejected requests, errors inside streams, truncated streams.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{Message, ModelFailureKind};
use tarsy_llm::ModelError;

use super::stream::Stream;
use super::{ask, reply_to, request};
use crate::peer::{Peer, ScriptedResponse, Then};

async fn failure(stream: &Stream) -> ModelError {
    reply_to(ScriptedResponse::stream(stream.bytes(), 9)).await.unwrap_err()
}

fn error(kind: &str, message: &str) -> String {
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
        .to_string()
}

#[tokio::test]
async fn a_rejected_request_is_classified_by_its_status() {
    use ModelFailureKind::*;
    let cases = [
        (
            401,
            "authentication_error",
            "invalid x-api-key",
            Credentials,
            "the provider answered 401: invalid x-api-key (request req_1)",
        ),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 9 > 8",
            ContextTooLong,
            "the provider answered 400: prompt is too long: 9 > 8 (request req_1)",
        ),
        (
            404,
            "not_found_error",
            "model: claude-nine",
            InvalidRequest,
            "the provider does not know the model claude-nine (request req_1)",
        ),
        (
            529,
            "overloaded_error",
            "Overloaded",
            Overloaded,
            "the provider answered 529: Overloaded (request req_1)",
        ),
    ];
    for (status, kind, message, expected, said) in cases {
        let error = reply_to(ScriptedResponse::status(status, &error(kind, message))).await.unwrap_err();
        assert_eq!((error.failure.kind, error.failure.message.as_str()), (expected, said));
    }
}

#[tokio::test]
async fn a_rate_limit_carries_retry_after() {
    let answer =
        ScriptedResponse::status(429, &error("rate_limit_error", "slow down")).header("retry-after", "13");
    let error = reply_to(answer).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::RateLimit);
    assert_eq!(error.delay(), Some(Duration::from_secs(13)));
}

#[tokio::test]
async fn an_error_inside_a_stream_keeps_the_partial_text() {
    let overloaded = [
        format!("event: error\ndata: {}\n\n", error("overloaded_error", "Overloaded")),
        "{\n  \"error\": {\n    \"type\": \"overloaded_error\",\n    \"message\": \"Overloaded\"\n  }\n}\n\n"
            .to_owned(),
        "event: error\ndata: {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}\n\n".to_owned(),
    ];
    for text in overloaded {
        let error = failure(&Stream::begin().text(0, &["So far"]).raw(&text)).await;
        assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
        assert_eq!(error.failure.message, "the provider broke off the reply: Overloaded");
        assert_eq!(error.failure.partial_text, "So far");
        assert_eq!(error.failure.usage.input_tokens, 3112);
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_an_error() {
    for stream in [
        Stream::begin(),
        Stream::begin().text(0, &["So far"]),
        Stream::begin().text(0, &["So far"]).stopping("end_turn"),
    ] {
        let error = failure(&stream).await;
        assert_eq!(error.failure.kind, ModelFailureKind::Network);
        assert!(error.failure.message.starts_with("the reply was cut off"), "{}", error.failure.message);
    }
    let reset = ScriptedResponse::stream(Stream::begin().text(0, &["So far"]).bytes(), 9).then(Then::Reset);
    assert_eq!(reply_to(reset).await.unwrap_err().failure.kind, ModelFailureKind::Network);
}

#[tokio::test]
async fn an_incomplete_tool_call_is_an_error() {
    for pieces in [vec![], vec!["{\"namespace\": \"pa"]] {
        let error =
            failure(&Stream::begin().text(0, &["Now"]).call(1, "toolu_a", &pieces).stop("max_tokens")).await;
        assert_eq!(error.failure.kind, ModelFailureKind::ProviderBug);
        let expected = "the reply reached the most tokens it may have in the middle of a call of k8s.pods; a larger max_output_tokens helps";
        assert_eq!(error.failure.message, expected);
    }
    let window = Stream::begin().call(0, "toolu_a", &["{"]).stop("model_context_window_exceeded");
    assert_eq!(failure(&window).await.failure.kind, ModelFailureKind::ContextTooLong);
}

#[tokio::test]
async fn invalid_json_arguments_are_kept_unchanged() {
    let broken = Stream::begin().call(0, "toolu_a", &["{]"]).stop("tool_use");
    let reply = reply_to(ScriptedResponse::stream(broken.bytes(), 9)).await.unwrap().reply;
    assert_eq!(reply.tool_calls[0].arguments, "{]");
    assert!(reply.provider_state.unwrap().contains(r#""input":{"arguments":"{]"}"#));
}

#[tokio::test]
async fn a_complete_tool_call_is_valid_at_the_output_limit() {
    let stream = Stream::begin().call(0, "toolu_a", &["{\"namespace\": \"pay\"}"]).stop("max_tokens");
    assert_eq!(
        reply_to(ScriptedResponse::stream(stream.bytes(), 9)).await.unwrap().reply.tool_calls.len(),
        1
    );
}

#[tokio::test]
async fn thinking_without_text_is_an_error() {
    let error = failure(&Stream::begin().thinking(0, &["Hm."], ("c2", "ln")).stop("max_tokens")).await;
    assert_eq!(error.failure.kind, ModelFailureKind::EmptyReply);
    assert!(error.failure.message.contains("max_output_tokens"), "{}", error.failure.message);
    let error =
        failure(&Stream::begin().thinking(0, &["Hm."], ("c2", "ln")).text(1, &[""]).stop("end_turn")).await;
    assert_eq!(error.failure.kind, ModelFailureKind::EmptyReply);
}

#[tokio::test]
async fn a_refusal_carries_its_reason() {
    let details = json!({ "type": "refusal", "category": "cyber", "explanation": "This could do harm." });
    let delta = json!({ "stop_reason": "refusal", "stop_details": details });
    let stream = Stream::begin()
        .text(0, &["I"])
        .event("message_delta", &json!({ "delta": delta, "usage": { "output_tokens": 4 } }));
    let error = failure(&stream).await;
    assert_eq!(error.failure.kind, ModelFailureKind::ContentFiltered);
    assert_eq!(error.failure.message, "the provider refused to answer (cyber): This could do harm.");
    assert_eq!((error.failure.partial_text.as_str(), error.failure.usage.output_tokens), ("I", 4));
    let silent = failure(&Stream::begin().stop("refusal")).await;
    assert_eq!(silent.failure.message, "the provider refused to answer: no reason was given");
}

#[tokio::test]
async fn malformed_events_are_provider_bugs() {
    let error = failure(&Stream::begin().raw("event: content_block_delta\ndata: {\"type\":\n\n")).await;
    assert_eq!(error.failure.kind, ModelFailureKind::ProviderBug);
    let error =
        failure(&Stream::begin().event("content_block_start", &json!({ "index": 0, "content_block": [] })))
            .await;
    assert_eq!(error.failure.kind, ModelFailureKind::ProviderBug);
}

#[tokio::test]
async fn errors_never_contain_the_key() {
    let peer = Peer::start([ScriptedResponse::status(401, "nothing useful")]).await;
    let error = ask(&peer, request([Message::user("Hello.")])).await.unwrap_err();
    assert_eq!(peer.requests()[0].header("x-api-key"), Some("sk-test"));
    assert!(!format!("{error:?}").contains("sk-test"));
}
