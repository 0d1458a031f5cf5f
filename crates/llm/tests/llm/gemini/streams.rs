//! Decoding of streams: ends, errors, missing and unknown fields.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{ModelFailureKind as Kind, TokenUsage};

use super::{PRO, ask, events, last, native, parts, question, reply};
use crate::peer::{ScriptedResponse, Then};

#[tokio::test]
async fn text_and_thinking_are_streamed() {
    let body = events(&[
        &parts(r#"{"text":"**Looking**\n\n","thought":true}"#),
        &parts(r#"{"text":"The pod "},{"text":"ist "}"#),
        &last(r#"{"text":"überlastet 🚨."}"#),
    ]);
    let assembly = reply(&body).await.unwrap();
    assert_eq!(assembly.reply.text, "The pod ist überlastet 🚨.");
    assert_eq!(assembly.reply.thinking, "**Looking**\n\n");
    assert_eq!(native(&assembly)["parts"], json!([{ "text": "The pod ist überlastet 🚨." }]));
}

#[tokio::test]
async fn plain_text_has_no_state() {
    let assembly = reply(&events(&[&last(r#"{"text":"Fine."}"#)])).await.unwrap();
    assert_eq!(assembly.reply.provider_state, None);
}

#[tokio::test]
async fn the_last_usage_wins() {
    let first = r#"{"usageMetadata":{"promptTokenCount":10,"totalTokenCount":10}}"#;
    let second =
        r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":
        {"promptTokenCount":20,"candidatesTokenCount":5,"thoughtsTokenCount":7,"toolUsePromptTokenCount":100,
        "cachedContentTokenCount":8,"totalTokenCount":132}}"#
            .replace('\n', "");
    let usage = reply(&events(&[first, &second])).await.unwrap().reply.usage;
    let expected = TokenUsage { input_tokens: 120, output_tokens: 12, thinking_tokens: 7, cached_tokens: 8 };
    assert_eq!(usage, expected);
    assert_eq!(usage.total_tokens(), 132);
}

#[tokio::test]
async fn a_finish_reason_on_every_event_does_not_end_the_reply() {
    let body = events(&[&last(r#"{"text":"a"}"#), &last(r#"{"text":"b"}"#), &last("")]);
    assert_eq!(reply(&body).await.unwrap().reply.text, "ab");
}

#[tokio::test]
async fn unknown_and_null_fields_are_ignored() {
    let body = events(&[
        r#"{"somethingNew":[1],"candidates":null,"promptFeedback":null,"usageMetadata":null}"#,
        r#"{"candidates":[],"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}}"#,
        r#"{"candidates":[{"content":null,"finishReason":null,"groundingMetadata":null}]}"#,
        r#"{"candidates":[{"content":{"parts":null},"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#,
        &parts(
            r#"null,7,{},{"text":null},{"newPart":{"a":1}},{"functionCall":null},{"text":"a","thought":null}"#,
        ),
        r#"{"candidates":[{"finishReason":"SOMETHING_NEW","safetyRatings":"?"}],"usageMetadata":{"promptTokenCount":"x"}}"#,
        "[DONE]",
    ]);
    assert_eq!(reply(&body).await.unwrap().reply.text, "a");
}

#[tokio::test]
async fn a_json_array_is_decoded_as_a_stream() {
    let body = format!("[{}\n,\r\n{}\n]", parts(r#"{"text":"a"}"#), last(r#"{"text":"b"}"#));
    assert_eq!(reply(&body).await.unwrap().reply.text, "ab");
}

#[tokio::test]
async fn a_reply_without_a_finish_reason_is_an_error() {
    let error = reply(&events(&[&parts(r#"{"text":"Half of "}"#)])).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::Network);
    assert_eq!(error.to_string(), "the reply was cut off: the stream ended without a finish reason");
    assert_eq!(error.failure.partial_text, "Half of ");
}

#[tokio::test]
async fn a_broken_connection_carries_the_partial_text() {
    let body = events(&[&last(r#"{"text":"Half of "}"#)]);
    let answer = ScriptedResponse::stream(body.as_bytes(), usize::MAX).then(Then::Reset);
    let error = ask(PRO, question(), answer).await.0.unwrap_err();
    assert_eq!((error.failure.kind, error.failure.partial_text.as_str()), (Kind::Network, "Half of "));
}

#[tokio::test]
async fn a_reply_at_the_output_limit_is_returned() {
    let cut = |text: &str| {
        format!(r#"{{"candidates":[{{"content":{{"parts":[{text}]}},"finishReason":"MAX_TOKENS"}}]}}"#)
    };
    let body = events(&[&cut(r#"{"text":"The pod is"}"#)]);
    assert_eq!(reply(&body).await.unwrap().reply.text, "The pod is");

    let usage = r#"{"usageMetadata":{"candidatesTokenCount":0,"thoughtsTokenCount":90}}"#;
    let error = reply(&events(&[usage, &cut("")])).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::EmptyReply);
    assert_eq!(
        error.to_string(),
        "the model wrote as much as it may before it came to an answer (90 tokens, 90 of them thinking); \
         allow more output tokens or less thinking"
    );
}

#[tokio::test]
async fn a_reply_without_content_is_empty() {
    let error = reply(&events(&[&last(r#"{"text":"hm","thought":true}"#)])).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::EmptyReply);
}

#[tokio::test]
async fn failing_finish_reasons_carry_the_reason() {
    for (reason, kind, expected) in [
        ("SAFETY", Kind::ContentFiltered, "Gemini withheld the reply (SAFETY): because"),
        ("RECITATION", Kind::ContentFiltered, "Gemini withheld the reply (RECITATION): because"),
        (
            "PROHIBITED_CONTENT",
            Kind::ContentFiltered,
            "Gemini withheld the reply (PROHIBITED_CONTENT): because",
        ),
        ("BLOCKLIST", Kind::ContentFiltered, "Gemini withheld the reply (BLOCKLIST): because"),
        ("SPII", Kind::ContentFiltered, "Gemini withheld the reply (SPII): because"),
        (
            "MALFORMED_FUNCTION_CALL",
            Kind::ProviderBug,
            "the model wrote a tool call that Gemini cannot read (MALFORMED_FUNCTION_CALL): because",
        ),
        (
            "UNEXPECTED_TOOL_CALL",
            Kind::ProviderBug,
            "the model called a tool that it was not given (UNEXPECTED_TOOL_CALL): because",
        ),
        ("TOO_MANY_TOOL_CALLS", Kind::ProviderBug, "Gemini gave the reply up (TOO_MANY_TOOL_CALLS): because"),
    ] {
        let end = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"b"}}]}},"finishReason":"{reason}","finishMessage":"because"}}]}}"#
        );
        let error = reply(&events(&[&parts(r#"{"text":"a"}"#), &end])).await.unwrap_err();
        assert_eq!((error.failure.kind, error.to_string().as_str()), (kind, expected));
        assert_eq!(error.failure.partial_text, "ab");
    }
}

#[tokio::test]
async fn a_blocked_prompt_carries_the_reason() {
    let body =
        events(&[r#"{"promptFeedback":{"blockReason":"OTHER"},"usageMetadata":{"promptTokenCount":4}}"#]);
    let error = reply(&body).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::ContentFiltered);
    assert_eq!(error.to_string(), "Gemini does not answer this conversation (OTHER)");
    assert_eq!(error.failure.usage.input_tokens, 4);
}

#[tokio::test]
async fn an_error_inside_a_stream_carries_the_partial_text() {
    let busy = r#"{"code":503,"message":"Too busy.","status":"UNAVAILABLE"}"#;
    let bare = json!({ "error": { "code": 503, "message": "Too busy.", "status": "UNAVAILABLE" } });
    let bare = format!("{bare:#}\n");
    let good = events(&[&parts(r#"{"text":"So far"}"#)]);
    for bad in [
        format!("data: {{\"error\":{busy}}}\r\n\r\n"),
        format!("event: error\ndata: {busy}\n\n"),
        format!("data: {busy}\n\n"),
        bare.clone(),
        bare.replace('\n', "\r\n"),
        format!("[{bare}]"),
        format!("[{{\"error\":{busy}}}\n]\n"),
    ] {
        let error = reply(&format!("{good}{bad}")).await.unwrap_err();
        assert_eq!(error.failure.kind, Kind::Overloaded, "{bad}");
        assert_eq!(error.to_string(), "the provider answered 503 (UNAVAILABLE): Too busy.");
        assert_eq!(error.failure.partial_text, "So far");
    }
    let unseparated = format!("{}{bare}", good.trim_end().to_owned() + "\n");
    assert_eq!(reply(&unseparated).await.unwrap_err().failure.kind, Kind::Overloaded);
}

#[tokio::test]
async fn a_rate_limit_inside_a_stream_carries_retry_after() {
    let error = r#"{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED","details":
        [{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}"#;
    let error = reply(error).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::RateLimit);
    assert_eq!(error.delay(), Some(Duration::from_millis(2500)));
}

#[tokio::test]
async fn an_invalid_event_is_a_provider_bug() {
    let error = reply("data: {\"candidates\": [\r\n\r\n").await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::ProviderBug);
    assert!(error.to_string().starts_with("an event is not valid JSON: "), "{error}");
}

#[tokio::test]
async fn a_rejection_carries_message_and_retry_after() {
    let exhausted = r#"{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED"}}"#;
    let answer = ScriptedResponse::status(429, exhausted).header("retry-after", "3");
    let error = ask(PRO, question(), answer).await.0.unwrap_err();
    assert_eq!(error.to_string(), "the provider answered 429 (RESOURCE_EXHAUSTED): Quota.");
    assert_eq!((error.failure.kind, error.delay()), (Kind::RateLimit, Some(Duration::from_secs(3))));

    let wrong_key = r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT",
        "details":[{"reason":"API_KEY_INVALID"}]}}]"#;
    let error = ask(PRO, question(), ScriptedResponse::status(400, wrong_key)).await.0.unwrap_err();
    assert_eq!(error.failure.kind, Kind::Credentials);
    assert_eq!(error.to_string(), "the provider answered 400 (INVALID_ARGUMENT): API key not valid.");
}
