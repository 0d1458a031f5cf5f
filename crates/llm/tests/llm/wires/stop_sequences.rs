//! Stop sequences: sent where the API takes them, and applied here in any case.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Assembly, Model, ModelError, ModelRequest, StopSequenceGuard, collect};
use tokio::time::timeout;

use super::{End, TestWire, WIRES, question};
use crate::peer::{Peer, SOON, ScriptedResponse, Then};

const STOP: &[&str] = &["\nObservation:"];

fn request() -> ModelRequest {
    ModelRequest { stop_sequences: STOP, ..question() }
}

async fn sent(wire: TestWire, model: &str, request: ModelRequest) -> Value {
    let body = wire.texts(&["Fine."]) + &wire.end(End::StopSequence);
    let (reply, received) =
        wire.ask(model, request, ScriptedResponse::stream(body.as_bytes(), usize::MAX)).await;
    assert_eq!(reply.unwrap().reply.text, "Fine.");
    serde_json::from_str(&received.body).unwrap()
}

#[tokio::test]
async fn stop_sequences_are_sent_in_the_field_of_each_api() {
    for (wire, path) in [
        (TestWire::Gemini, "/generationConfig/stopSequences"),
        (TestWire::Anthropic, "/stop_sequences"),
        (TestWire::Chat, "/stop"),
    ] {
        let body = sent(wire, wire.default_model(), request()).await;
        assert_eq!(body.pointer(path), Some(&json!(STOP)), "{body}");
        let body = sent(wire, wire.default_model(), question()).await;
        assert_eq!(body.pointer(path), None, "{body}");
    }
    let body = sent(TestWire::Responses, "gpt-5", request()).await;
    assert!(!body.to_string().contains("Observation"), "{body}");
}

#[tokio::test]
async fn models_that_reject_stop_sequences_get_none() {
    for (model, accepts) in [
        ("some-model", true),
        ("gpt-4o", true),
        ("gpt-oss-20b", true),
        ("grok-3", true),
        ("o3-mini", false),
        ("openai/gpt-5", false),
        ("gpt-5.2-pro", false),
        ("gpt-6.1", false),
        ("grok-4", false),
        ("grok-3-mini", false),
        ("grok-4.5", false),
    ] {
        let body = sent(TestWire::Chat, model, request()).await;
        assert_eq!(body.get("stop").is_some(), accepts, "{model}");
    }
}

async fn guarded(wire: TestWire, texts: &[&str]) -> Result<Assembly, ModelError> {
    let body = wire.texts(texts) + &wire.end(End::Done);
    let peer = Peer::start([ScriptedResponse::stream(body.as_bytes(), 7)]).await;
    let model = StopSequenceGuard::new(wire.model(&peer, wire.default_model()));
    timeout(SOON, collect(model.stream(request()))).await.unwrap()
}

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

#[tokio::test]
async fn a_reply_ends_at_the_first_stop_sequence_however_it_is_split() {
    let text = "Thought: look.\nAction: k8s.pods\nObservation: all is well\nFinal Answer: done";
    let letters = letters(text);
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let split = ["Thought: look.\nAction: k8s.pods", "\n", "Observ", "ation", ":", " all is well"];
    for wire in WIRES {
        for texts in [&[text][..], &letters, &split] {
            let reply = guarded(wire, texts).await.unwrap().reply;
            assert_eq!(reply.text, "Thought: look.\nAction: k8s.pods", "{wire:?}");
            assert_eq!(reply.provider_state, None, "the state would contain the invented text");
            assert!(reply.usage.output_tokens > 0 && reply.usage.input_tokens > 0, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn text_that_only_resembles_a_stop_sequence_is_kept() {
    for text in ["a\nObservations: none", "a\nObserv", "an Observation: none", "a\n\n\nb\n", "\nObservatory"]
    {
        let letters = letters(text);
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        for texts in [&[text][..], &letters] {
            assert_eq!(guarded(TestWire::Chat, texts).await.unwrap().reply.text, text);
        }
    }
}

#[tokio::test]
async fn a_reply_that_begins_with_a_stop_sequence_is_empty() {
    for texts in [&["Observation: all is well"][..], &["Obs", "ervation", ": all"], &["\n", "\nObservation:"]]
    {
        let failure = guarded(TestWire::Chat, texts).await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::EmptyReply);
    }
}

#[tokio::test]
async fn the_request_is_cancelled_at_a_stop_sequence() {
    let wire = TestWire::Chat;
    let answer = ScriptedResponse::stream(wire.texts(&["Action: a\nObservation: b"]).as_bytes(), usize::MAX);
    let peer = Peer::start([answer.then(Then::Repeat)]).await;
    let model = StopSequenceGuard::new(wire.model(&peer, "m"));
    let reply = timeout(SOON, collect(model.stream(request()))).await.unwrap().unwrap().reply;
    assert_eq!(reply.text, "Action: a");
    timeout(SOON, peer.next_hang_up()).await.unwrap();
}

#[tokio::test]
async fn a_broken_reply_keeps_the_text_that_was_held_back() {
    let wire = TestWire::Chat;
    let answer = ScriptedResponse::stream(wire.texts(&["Half\nObserv"]).as_bytes(), 9).then(Then::Reset);
    let peer = Peer::start([answer]).await;
    let model = StopSequenceGuard::new(wire.model(&peer, "m"));
    let failure = timeout(SOON, collect(model.stream(request()))).await.unwrap().unwrap_err().failure;
    assert_eq!(failure.partial_text, "Half\nObserv");
}
