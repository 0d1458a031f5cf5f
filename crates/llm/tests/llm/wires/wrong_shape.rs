//! A successful response that is not a reply of the API: another format, another server, a web page.

use std::time::Duration;

use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Model, RetryPolicy, Retrying, collect};

use super::{TestWire, WIRES, question};
use crate::peer::{Peer, ScriptedResponse};

const FOREIGN: &[&str] = &[
    r#"{"hello":"world"}"#,
    r#"{"status":"ok","data":[1,2,3]}"#,
    r#"["a","b"]"#,
    "[]",
    "[[]]",
    r#""a text""#,
    "42",
    "null",
    "<!doctype html>\n<html>\n<head><title>Sign in</title></head>\n\n<body>Welcome</body>\n</html>",
    "OK",
];

#[tokio::test]
async fn a_response_of_another_format_is_a_provider_bug_that_quotes_its_beginning() {
    for wire in WIRES {
        for body in FOREIGN {
            for body in [(*body).to_owned(), format!("data: {}\n\n", body.replace('\n', " "))] {
                let failure = wire.read(body.as_bytes()).await.unwrap_err().failure;
                assert_eq!(failure.kind, ModelFailureKind::ProviderBug, "{wire:?} {body}: {failure}");
                let beginning: String = body.trim_start_matches("data: ").chars().take(12).collect();
                let beginning = beginning.lines().next().unwrap();
                assert!(failure.message.contains(beginning), "{wire:?} {body}: {failure}");
            }
        }
    }
}

#[tokio::test]
async fn a_reply_of_another_api_is_a_provider_bug() {
    for (wire, other) in [
        (TestWire::Gemini, TestWire::Chat),
        (TestWire::Gemini, TestWire::Anthropic),
        (TestWire::Gemini, TestWire::Responses),
        (TestWire::Anthropic, TestWire::Chat),
        (TestWire::Anthropic, TestWire::Gemini),
        (TestWire::Responses, TestWire::Chat),
        (TestWire::Responses, TestWire::Gemini),
        (TestWire::Chat, TestWire::Gemini),
        (TestWire::Chat, TestWire::Anthropic),
        (TestWire::Chat, TestWire::Responses),
    ] {
        let body = other.texts(&["All is well."]) + &other.end(super::End::Done);
        let failure = wire.read(body.as_bytes()).await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::ProviderBug, "{wire:?} from {other:?}: {failure}");
    }
}

#[tokio::test]
async fn gemini_fields_of_another_type_are_a_provider_bug() {
    for body in [
        r#"{"candidates":"none"}"#,
        r#"{"candidates":{"content":{}}}"#,
        r#"{"candidates":[{"content":"All is well.","finishReason":"STOP"}]}"#,
        r#"{"candidates":["All is well."]}"#,
        r#"{"candidates":[{"content":{"parts":"All is well."},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":["All is well."]},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":{"value":"All"}}]},"finishReason":"STOP"}]}"#,
    ] {
        let failure = TestWire::Gemini.read(body.as_bytes()).await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::ProviderBug, "{body}: {failure}");
        assert!(failure.message.contains(&body[..20]), "{failure}");
    }
}

#[tokio::test]
async fn a_response_of_another_format_is_not_retried() {
    for wire in WIRES {
        let answer = || ScriptedResponse::stream(br#"{"hello":"world"}"#, usize::MAX);
        let peer = Peer::start([answer(), answer()]).await;
        let policy = RetryPolicy { initial_pause: Duration::from_millis(1), ..RetryPolicy::default() };
        let model = Retrying::new(wire.model(&peer, wire.default_model()), policy);
        collect(model.stream(question())).await.unwrap_err();
        assert_eq!(peer.requests().len(), 1, "{wire:?}");
    }
}

#[tokio::test]
async fn a_reply_that_breaks_off_stays_a_broken_connection() {
    for wire in WIRES {
        let failure = wire.read(wire.texts(&["Half of "]).as_bytes()).await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::Network, "{wire:?}");
        assert_eq!(failure.partial_text, "Half of ");
        let failure = wire.read(b"").await.unwrap_err().failure;
        assert_eq!(failure.kind, ModelFailureKind::Network, "{wire:?}");
    }
}
