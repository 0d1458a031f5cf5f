//! A reply that reaches its output limit is marked.

use serde_json::json;
use tarsy_domain::ModelFailureKind;

use super::{End, TestWire, WIRES, events};

#[tokio::test]
async fn a_reply_at_the_output_limit_is_marked_as_cut_off() {
    for wire in WIRES {
        for (end, expected) in [(End::Done, false), (End::StopSequence, false), (End::OutputLimit, true)] {
            let body = wire.texts(&["The pod ", "is"]) + &wire.end(end);
            let reply = wire.read(body.as_bytes()).await.unwrap().reply;
            assert_eq!((reply.text.as_str(), reply.cut_off), ("The pod is", expected), "{wire:?} {end:?}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_reaches_its_limit_before_any_text_is_empty() {
    for wire in WIRES {
        let body = wire.texts(&[]) + &wire.end(End::OutputLimit);
        let failure = wire.read(body.as_bytes()).await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::EmptyReply, "{wire:?}");
    }
}

#[tokio::test]
async fn other_names_of_the_limit_are_known() {
    let anthropic = TestWire::Anthropic.texts(&["Half"])
        + &events(&[
            json!({"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}}),
            json!({"type": "message_stop"}),
        ]);
    assert!(TestWire::Anthropic.read(anthropic.as_bytes()).await.unwrap().reply.cut_off);
    for reason in ["length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"] {
        let chat = TestWire::Chat.texts(&["Half"])
            + &events(&[json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})]);
        assert!(TestWire::Chat.read(chat.as_bytes()).await.unwrap().reply.cut_off, "{reason}");
    }
    let incomplete = events(&[json!({"type": "response.incomplete", "response": {"status": "incomplete"}})]);
    let responses = TestWire::Responses.texts(&["Half"]) + &incomplete;
    assert!(TestWire::Responses.read(responses.as_bytes()).await.unwrap().reply.cut_off);
}
