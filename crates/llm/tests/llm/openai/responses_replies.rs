//! Decoding of Responses streams.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::Vendor;

use super::client::{ask, calls, failure, question, reply, sse};
use crate::peer::ScriptedResponse;

fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn call(status: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "k8s__pods_list",
        "arguments": arguments, "status": status})
}

fn done(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn delta(index: u64, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": text})
}

fn thought(index: u64, part: u64, text: &str) -> Value {
    json!({"type": "response.reasoning_summary_text.delta", "output_index": index, "summary_index": part, "delta": text})
}

fn ended(kind: &str, response: &Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

fn completed() -> Value {
    ended(
        "completed",
        &json!({"status": "completed", "output": [], "usage": {"input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3}}}),
    )
}

#[tokio::test]
async fn parts_are_separated_and_unknown_events_are_ignored() {
    let assembly = reply(
        Vendor::OpenAi,
        "gpt-5",
        &[
            json!({"type": "response.created", "response": null}),
            json!({"type": "keepalive", "sequence_number": 3}),
            thought(0, 0, "First, "),
            thought(0, 0, "look."),
            thought(0, 1, "Then think."),
            json!({"type": "response.reasoning_text.delta", "output_index": 1, "content_index": 0, "delta": "Raw."}),
            delta(2, "Looking"),
            delta(2, " now."),
            done(2, &message("Looking now.")),
            json!({"type": "response.new_thing", "item": null}),
            delta(3, "Done é."),
            done(3, &message("Done é.")),
            done(4, &json!({"type": "hologram", "id": "h_1"})),
            completed(),
        ],
    )
    .await
    .unwrap();
    assert_eq!(assembly.reply.thinking, "First, look.\n\nThen think.\n\nRaw.");
    assert_eq!(assembly.reply.text, "Looking now.\n\nDone é.");
    let usage = assembly.reply.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens), (10, 4));
    assert_eq!((usage.output_tokens, usage.thinking_tokens), (7, 3));
}

#[tokio::test]
async fn the_final_version_of_an_item_wins() {
    let assembly = reply(
        Vendor::OpenAi,
        "gpt-5",
        &[
            json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"namesp"}),
            done(0, &call("completed", "{\"namespace\":\"a\"}")),
            delta(1, "Half"),
            done(1, &message("Half and whole.")),
            done(2, &json!({"type": "reasoning", "summary": [{"text": "One."}, {"text": "Two."}]})),
            completed(),
        ],
    )
    .await
    .unwrap();
    assert_eq!(calls(&assembly), ["call_1 k8s.pods_list {\"namespace\":\"a\"}"]);
    assert_eq!(assembly.reply.text, "Half and whole.");
    assert_eq!(assembly.reply.thinking, "One.\n\nTwo.");
}

#[tokio::test]
async fn items_without_an_index_keep_their_order() {
    let call = |id: &str| {
        json!({"type": "function_call", "call_id": id, "name": "k8s__pods_list", "arguments": "{}",
            "status": "completed"})
    };
    let done = |item: &Value| json!({"type": "response.output_item.done", "item": item});
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "S",
        "content": [{"type": "reasoning_text", "text": "Hm."}]});
    let assembly = reply(
        Vendor::OpenAi,
        "gpt-oss",
        &[
            json!({"type": "response.reasoning_text.delta", "item_id": "rs_1", "delta": "Hm"}),
            done(&thought),
            json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": "Looking"}),
            done(&message("Looking.")),
            done(&call("c1")),
            done(&call("c2")),
            completed(),
        ],
    )
    .await
    .unwrap();
    assert_eq!((assembly.reply.thinking.as_str(), assembly.reply.text.as_str()), ("Hm.", "Looking."));
    let state = assembly.reply.provider_state.unwrap();
    let places: Vec<_> = ["rs_1", "msg_1", "c1", "c2"].map(|id| state.find(&format!("\"{id}\""))).into();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{state}");
}

#[tokio::test]
async fn items_may_arrive_in_the_final_event_only() {
    let output = json!([message("All of it."), call("completed", "")]);
    let streamed = [ended("completed", &json!({"status": "completed", "output": output}))];
    let whole = json!({"object": "response", "status": "completed", "output": output}).to_string();
    let answers =
        [ScriptedResponse::stream(&sse(&streamed), 9), ScriptedResponse::stream(whole.as_bytes(), 9)];
    for answer in answers {
        let assembly = ask(Vendor::OpenAi, "gpt-4o", question(), answer).await.0.unwrap();
        assert_eq!(assembly.reply.text, "All of it.");
        assert_eq!(calls(&assembly), ["call_1 k8s.pods_list {}"]);
        assert!(assembly.reply.provider_state.unwrap().contains("\"id\":\"fc_1\""));
    }
}

#[tokio::test]
async fn a_reply_at_the_output_limit_is_returned_if_it_has_text() {
    let cut = ended(
        "incomplete",
        &json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
    );
    let said =
        [delta(0, "So far"), done(0, &message("So far")), done(1, &call("incomplete", "{\"na")), cut.clone()];
    let assembly = reply(Vendor::OpenAi, "gpt-5", &said).await.unwrap();
    assert_eq!((assembly.reply.text.as_str(), calls(&assembly).len()), ("So far", 0));
    assert!(!assembly.reply.provider_state.unwrap().contains("fc_1"));

    let (kind, message) =
        failure(reply(Vendor::OpenAi, "gpt-5", &[done(0, &call("incomplete", "{")), cut]).await);
    assert_eq!(kind, ModelFailureKind::EmptyReply);
    assert!(message.contains("max_output_tokens"), "{message}");
}

#[tokio::test]
async fn filtered_replies_carry_their_reason() {
    let refused = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]});
    let filtered = json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}});
    for (events, reason) in [
        (vec![done(0, &refused), completed()], "I will not."),
        (vec![delta(0, "Some"), ended("incomplete", &filtered)], "content_filter"),
    ] {
        let (kind, message) = failure(reply(Vendor::OpenAi, "gpt-5", &events).await);
        assert_eq!(kind, ModelFailureKind::ContentFiltered);
        assert!(message.contains(reason), "{message}");
    }
}

#[tokio::test]
async fn failures_inside_a_stream_are_classified_by_code() {
    use ModelFailureKind as Kind;
    let failed = |code: &str| {
        ended(
            "failed",
            &json!({"status": "failed", "error": {"code": code, "message": "Please try again in 2s."}}),
        )
    };
    for (event, expected, wait) in [
        (failed("rate_limit_exceeded"), Kind::RateLimit, true),
        (failed("server_error"), Kind::Overloaded, true),
        (failed("context_length_exceeded"), Kind::ContextTooLong, true),
        (failed("insufficient_quota"), Kind::Credentials, true),
        (ended("failed", &json!({"status": "failed", "error": null})), Kind::Overloaded, false),
        (json!({"type": "error", "code": "rate_limit_exceeded", "message": "Slow."}), Kind::RateLimit, false),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}),
            Kind::InvalidRequest,
            false,
        ),
        (json!({"error": {"message": "Down.", "code": 503}}), Kind::Overloaded, false),
        (json!({"message": "The context window is full", "type": "odd"}), Kind::ContextTooLong, false),
    ] {
        let error = reply(Vendor::OpenAi, "gpt-5", &[delta(0, "Begun"), event.clone()]).await.unwrap_err();
        assert_eq!(error.failure.kind, expected, "{event}");
        assert_eq!(error.failure.partial_text, "Begun", "{event}");
        assert_eq!(error.delay().is_some(), wait, "{event}");
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_an_error() {
    let (kind, message) =
        failure(reply(Vendor::OpenAi, "gpt-5", &[done(0, &message("All.")), json!("[DONE]")]).await);
    assert_eq!(kind, ModelFailureKind::Network);
    assert!(message.contains("cut off"), "{message}");
    let (kind, _) = failure(reply(Vendor::OpenAi, "gpt-5", &[json!("{\"type\": ")]).await);
    assert_eq!(kind, ModelFailureKind::ProviderBug);
}
