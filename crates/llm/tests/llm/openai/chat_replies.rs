//! Decoding of Chat Completions streams, in the dialects of several servers.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Assembly, Vendor};

use super::client::{ask, calls, failure, question, reply, sse};
use crate::peer::ScriptedResponse;

fn delta(delta: &Value) -> Value {
    json!({"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn text(text: &str) -> Value {
    delta(&json!({"content": text}))
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn end() -> Value {
    json!("[DONE]")
}

async fn read(events: &[Value]) -> Assembly {
    reply(Vendor::OpenAiCompatible, "some-model", events).await.unwrap()
}

#[tokio::test]
async fn text_and_usage_with_unusual_fields() {
    let assembly = read(&[
        json!({"choices": [], "prompt_filter_results": []}),
        json!({"choices": null, "service_tier": "on_demand"}),
        json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": null, "tool_calls": null}, "finish_reason": ""}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
        text("Gr"),
        text("üße"),
        finish("eos_token"),
        json!({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}}),
        end(),
    ])
    .await;
    assert_eq!(assembly.reply.text, "Grüße");
    assert_eq!((assembly.reply.usage.input_tokens, assembly.reply.usage.output_tokens), (12, 3));
    assert_eq!(assembly.reply.provider_state, None);
}

#[tokio::test]
async fn reasoning_is_decoded_from_every_known_field() {
    for (events, thinking) in [
        (
            vec![delta(&json!({"reasoning_content": "Hm"})), delta(&json!({"reasoning_content": "m."}))],
            "Hmm.",
        ),
        (vec![delta(&json!({"reasoning": "Hmm.", "content": ""}))], "Hmm."),
        (vec![delta(&json!({"reasoning": "Hmm.", "reasoning_content": "Hmm."}))], "Hmm."),
        (
            vec![delta(&json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "Hmm."}]}))],
            "Hmm.",
        ),
        (vec![text("<th"), text("ink>Hmm."), text("</"), text("think>\n\n")], "Hmm."),
        (
            vec![delta(
                &json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hmm."}]}]}),
            )],
            "Hmm.",
        ),
    ] {
        let rest = [text("Yes."), finish("stop"), end()];
        let assembly = read(&events.iter().cloned().chain(rest).collect::<Vec<_>>()).await;
        assert_eq!(
            (assembly.reply.thinking.as_str(), assembly.reply.text.as_str()),
            (thinking, "Yes."),
            "{events:?}"
        );
    }
}

#[tokio::test]
async fn calls_are_complete_and_have_canonical_names() {
    let assembly = read(&[
        text("Looking."),
        delta(&json!({"tool_calls": [{"index": 0, "id": "0", "type": "function", "function": {"name": "k8s__pods_list", "arguments": null}}]})),
        delta(&json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"namespace\": "}}]})),
        delta(&json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"a\"}"}}]})),
        delta(&json!({"tool_calls": [{"index": 1, "id": null, "function": {"name": "web__get", "arguments": ""}}]})),
        delta(&json!({"tool_calls": [{"index": 2, "id": "0", "function": {"name": "unknown", "arguments": "{}"}}]})),
        finish("tool_calls"),
        end(),
    ])
    .await;
    assert_eq!(
        calls(&assembly),
        ["0 k8s.pods_list {\"namespace\": \"a\"}", "call00001 web.get {}", "call00002 unknown {}"]
    );
}

#[tokio::test]
async fn a_finish_reason_or_done_completes_a_reply() {
    for (events, complete) in [
        (vec![text("All."), finish("stop"), end()], true),
        (vec![text("All."), finish("stop")], true),
        (vec![text("All."), end()], true),
        (vec![text("All.")], false),
        (vec![text("All."), finish("")], false),
    ] {
        let reply = reply(Vendor::Xai, "grok-4", &events).await;
        assert_eq!(reply.is_ok(), complete, "{events:?}");
        if let Err(error) = reply {
            assert_eq!(
                (error.failure.kind, error.failure.partial_text.as_str()),
                (ModelFailureKind::Network, "All.")
            );
        }
    }
}

#[tokio::test]
async fn comments_and_plain_json_responses_are_accepted() {
    let commented = [
        b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n".as_slice(),
        &sse(&[text("All."), finish("stop")]),
    ];
    let whole = json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "All."}}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    for body in
        [commented.concat(), whole.to_string().into_bytes(), serde_json::to_vec_pretty(&whole).unwrap()]
    {
        let (reply, _) =
            ask(Vendor::OpenAiCompatible, "m", question(), ScriptedResponse::stream(&body, 6)).await;
        assert_eq!(reply.unwrap().reply.text, "All.");
    }
}

#[tokio::test]
async fn limits_and_filters_end_a_reply() {
    let cut_call = delta(
        &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "web__get", "arguments": "{\"u"}}]}),
    );
    let assembly = read(&[text("So far"), cut_call.clone(), finish("length"), end()]).await;
    assert_eq!((assembly.reply.text.as_str(), calls(&assembly).len()), ("So far", 0));
    use ModelFailureKind as Kind;
    for (events, expected) in [
        (vec![cut_call, finish("length"), end()], Kind::EmptyReply),
        (vec![text("So"), finish("content_filter"), end()], Kind::ContentFiltered),
        (vec![delta(&json!({"refusal": "I will not."})), finish("stop"), end()], Kind::ContentFiltered),
        (vec![text("So"), finish("insufficient_system_resource"), end()], Kind::Overloaded),
        (vec![text("So"), finish("error"), end()], Kind::Overloaded),
        (vec![text("<think>For ever"), finish("stop"), end()], Kind::EmptyReply),
    ] {
        let (kind, message) = failure(reply(Vendor::OpenAiCompatible, "m", &events).await);
        assert_eq!(kind, expected, "{message}");
    }
}
