//! Usage, blank blocks and compaction: what newer streams contain.

use serde_json::{Value, json};
use tarsy_domain::{Message, ModelReply, TokenUsage};
use tarsy_llm::Assembly;

use super::stream::Stream;
use super::{ask, reply_to, request};
use crate::peer::{Peer, ScriptedResponse};

/// Serves a stream whole and in pieces of 1 to 7 bytes; the reply must not depend on it.
async fn read(stream: &Stream) -> ModelReply {
    let mut replies = Vec::new();
    for piece in [1, 2, 3, 4, 5, 6, 7, usize::MAX] {
        replies.push(reply_to(ScriptedResponse::stream(stream.bytes(), piece)).await.unwrap().reply);
    }
    assert!(replies.windows(2).all(|pair| pair[0] == pair[1]));
    replies.remove(0)
}

fn native(reply: &ModelReply) -> Value {
    let state: Value = serde_json::from_str(reply.provider_state.as_deref().unwrap()).unwrap();
    state["native"].clone()
}

/// Starts with 12 fresh, 100 written and 3000 cached input tokens.
fn with_last_usage(usage: &Value) -> Stream {
    Stream::begin()
        .text(0, &["Fine."])
        .event("message_delta", &json!({"delta": {"stop_reason": "end_turn"}, "usage": usage}))
        .event("message_stop", &json!({}))
}

#[tokio::test]
async fn the_last_usage_replaces_the_first_in_every_field_that_it_has() {
    let usage = |input_tokens, output_tokens, cached_tokens| TokenUsage {
        input_tokens,
        output_tokens,
        thinking_tokens: 0,
        cached_tokens,
    };
    for (last, expected) in [
        (
            json!({"input_tokens": 24, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 200, "output_tokens": 28}),
            usage(224, 28, 200),
        ),
        (json!({"input_tokens": 5, "output_tokens": 28}), usage(3105, 28, 3000)),
        (json!({"output_tokens": 28}), usage(3112, 28, 3000)),
        (
            json!({"input_tokens": null, "cache_read_input_tokens": null, "output_tokens": 1}),
            usage(3112, 1, 3000),
        ),
        (
            json!({"input_tokens": 7000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9}),
            usage(7000, 9, 0),
        ),
        (json!({"input_tokens": 0, "output_tokens": 9}), usage(3112, 9, 3000)),
    ] {
        assert_eq!(read(&with_last_usage(&last)).await.usage, expected, "{last}");
    }
}

#[tokio::test]
async fn blank_text_before_the_first_words_is_not_part_of_the_text() {
    let stream = Stream::begin()
        .text(0, &["\n", "\n"])
        .thinking(1, &["Hm."], ("c2ln", "YQ=="))
        .text(2, &["\n\n  The pod ", "is down.\n\n"])
        .stop("end_turn");
    let reply = read(&stream).await;
    assert_eq!(reply.text, "  The pod is down.\n\n");
    assert_eq!(
        native(&reply),
        json!([{"type": "thinking", "thinking": "Hm.", "signature": "c2lnYQ=="},
            {"type": "text", "text": "\n\n  The pod is down.\n\n"}]),
        "the state keeps the text as it arrived; the API rejects blank blocks"
    );
}

#[tokio::test]
async fn a_compaction_is_sent_back_and_is_not_part_of_the_text() {
    let stream = Stream::begin()
        .block(
            0,
            &json!({"type": "compaction", "content": null, "encrypted_content": null}),
            &[
                json!({"type": "compaction_delta", "content": "The user asked ", "encrypted_content": "b2xk"}),
                json!({"type": "compaction_delta", "content": "about a pöd.", "encrypted_content": "bmV3"}),
            ],
        )
        .text(1, &["It is down."])
        .stop("end_turn");
    let reply = read(&stream).await;
    assert_eq!(reply.text, "It is down.");
    let block = r#"{"type":"compaction","content":"The user asked about a pöd.","encrypted_content":"bmV3"}"#;
    assert_eq!(native(&reply)[0], serde_json::from_str::<Value>(block).unwrap());

    let peer = Peer::start([ScriptedResponse::stream(stream.bytes(), 999)]).await;
    let assistant =
        Message { provider_state: reply.provider_state.clone(), ..Message::assistant(reply.text) };
    let sent: Result<Assembly, _> =
        ask(&peer, request([Message::user("Why?"), assistant, Message::user("And now?")])).await;
    sent.unwrap();
    let received = peer.requests().remove(0);
    assert!(received.body.contains(block), "{}", received.body);
    let betas = received.headers.iter().find(|(name, _)| name == "anthropic-beta").unwrap();
    assert!(betas.1.contains("compact-2026-01-12"), "{betas:?}");
}

#[tokio::test]
async fn an_unknown_block_keeps_what_its_deltas_add() {
    let stream = Stream::begin()
        .block(
            0,
            &json!({"type": "vision", "caption": "", "token": null, "depth": 3}),
            &[
                json!({"type": "vision_delta", "caption": "A ", "depth": 4}),
                json!({"type": "vision_delta", "caption": "graph", "token": "dA==", "notes": [1]}),
                json!({"type": "other_delta", "caption": "lost"}),
            ],
        )
        .text(1, &["See above."])
        .stop("end_turn");
    let reply = read(&stream).await;
    assert_eq!(reply.text, "See above.");
    assert_eq!(
        native(&reply)[0],
        json!({"type": "vision", "caption": "A graph", "token": "dA==", "depth": 3, "notes": [1]})
    );
}
