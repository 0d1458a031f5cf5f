//! Recorded responses of the real API, if available. They are not part of the repository.
//!
//! A second, simpler parser reads the expected values from each file.

use std::path::PathBuf;

use serde_json::{Value, value::RawValue};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Assembly, ModelError};

use super::{PRO, ask, question};
use crate::peer::ScriptedResponse;

/// A file as the simpler parser reads it.
struct Recording {
    name: &'static str,
    bytes: Vec<u8>,
    events: Vec<Value>,
    raw_parts: Vec<String>,
}

fn directory() -> PathBuf {
    let set = std::env::var_os("TARSY_TEST_DATA").map(PathBuf::from);
    set.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"))
        .join("wire/gemini")
}

fn read(name: &'static str) -> Option<Vec<u8>> {
    std::fs::read(directory().join(name)).ok()
}

impl Recording {
    fn open(name: &'static str) -> Option<Self> {
        let bytes = read(name)?;
        let text = String::from_utf8(bytes.clone()).unwrap();
        let data: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let events = data.iter().map(|data| serde_json::from_str(data).unwrap()).collect();
        let raw_parts = data.iter().flat_map(|data| raw_parts(data)).collect();
        Some(Self { name, bytes, events, raw_parts })
    }

    fn parts(&self) -> impl Iterator<Item = &Value> {
        let candidates = self.events.iter().map(|event| &event["candidates"][0]["content"]["parts"]);
        candidates.filter_map(Value::as_array).flatten()
    }

    fn text(&self, is_thought: bool) -> String {
        let parts = self.parts().filter(|part| (part["thought"] == Value::Bool(true)) == is_thought);
        parts.filter_map(|part| part["text"].as_str()).collect()
    }

    fn usage(&self) -> Value {
        self.events.iter().rev().find_map(|event| event.get("usageMetadata")).cloned().unwrap_or_default()
    }

    /// Replays the response in pieces of several sizes, some of which split characters; the reply must be the
    /// same.
    async fn replay(&self) -> Result<Assembly, ModelError> {
        let mut results = Vec::new();
        for piece in [1, 7, 1021, usize::MAX] {
            results.push(ask(PRO, question(), ScriptedResponse::stream(&self.bytes, piece)).await.0);
        }
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{}", self.name);
        results.remove(0)
    }
}

fn raw_parts(data: &str) -> Vec<String> {
    type Object = std::collections::HashMap<String, Box<RawValue>>;
    fn field(object: &str, name: &str) -> Option<String> {
        let object: Object = serde_json::from_str(object).ok()?;
        object.get(name).map(|raw| raw.get().to_owned())
    }
    fn list(list: &str) -> Vec<String> {
        let list: Vec<Box<RawValue>> = serde_json::from_str(list).unwrap_or_default();
        list.iter().map(|raw| raw.get().to_owned()).collect()
    }
    let candidate = field(data, "candidates").and_then(|candidates| list(&candidates).into_iter().next());
    let parts = candidate.and_then(|candidate| field(&field(&candidate, "content")?, "parts"));
    parts.map(|parts| list(&parts)).unwrap_or_default()
}

fn signatures<'a>(parts: impl IntoIterator<Item = &'a Value>) -> Vec<&'a str> {
    parts.into_iter().filter_map(|part| part["thoughtSignature"].as_str()).collect()
}

#[tokio::test]
async fn successful_responses_are_decoded_completely() {
    for name in [
        "g01_tool_call_thought_signature.sse",
        "g03_thinking_thought_parts.sse",
        "g06_google_search_grounding.sse",
        "g07_code_execution.sse",
        "g09_text.sse",
        "g20_fc_thought_summary_signature.sse",
        "g27_utf8.sse",
    ] {
        let Some(recording) = Recording::open(name) else { continue };
        let reply = recording.replay().await.unwrap().reply;
        assert_eq!(reply.text, recording.text(false), "{name}");
        assert_eq!(reply.thinking, recording.text(true), "{name}");
        check_calls(&recording, &reply.tool_calls);
        check_usage(&recording, reply.usage);
        check_state(&recording, reply.provider_state.as_deref());
    }
}

fn check_calls(recording: &Recording, calls: &[tarsy_domain::ToolCall]) {
    let expected: Vec<_> = recording.parts().filter_map(|part| part.get("functionCall")).collect();
    assert_eq!(calls.len(), expected.len(), "{}", recording.name);
    for (call, expected) in calls.iter().zip(expected) {
        assert_eq!(call.name, expected["name"].as_str().unwrap());
        assert_eq!(serde_json::from_str::<Value>(&call.arguments).unwrap(), expected["args"]);
        assert!(!call.id.is_empty());
    }
}

fn check_usage(recording: &Recording, usage: tarsy_domain::TokenUsage) {
    let said = recording.usage();
    let count = |name: &str| said[name].as_u64().unwrap_or_default();
    assert_eq!(usage.total_tokens(), count("totalTokenCount"), "{}", recording.name);
    assert_eq!(usage.thinking_tokens, count("thoughtsTokenCount"), "{}", recording.name);
    assert_eq!(usage.cached_tokens, count("cachedContentTokenCount"), "{}", recording.name);
}

/// Checks that the state contains every signature, in order, with its part byte for byte.
fn check_state(recording: &Recording, state: Option<&str>) {
    let expected = signatures(recording.parts());
    let Some(state) = state else { return assert!(expected.is_empty(), "{}", recording.name) };
    let parsed: Value = serde_json::from_str(state).unwrap();
    assert_eq!(signatures(parsed["native"]["parts"].as_array().unwrap()), expected, "{}", recording.name);
    for part in recording.raw_parts.iter().filter(|part| part.contains("\"thoughtSignature\"")) {
        assert!(state.contains(part), "{}", recording.name);
    }
}

#[tokio::test]
async fn decodes_sources() {
    let Some(recording) = Recording::open("g06_google_search_grounding.sse") else { return };
    let groundings = recording.replay().await.unwrap().reply.groundings;
    let mut metadata = recording.events.iter().map(|event| &event["candidates"][0]["groundingMetadata"]);
    let said = metadata.rfind(|said| said.get("groundingChunks").is_some()).unwrap();
    let [grounding] = groundings.as_slice() else { panic!("{} groundings", groundings.len()) };
    let length = |name: &str| said[name].as_array().unwrap().len();
    assert_eq!(grounding.queries.len(), length("webSearchQueries"));
    assert_eq!(grounding.sources.len(), length("groundingChunks"));
    assert_eq!(grounding.supports.len(), length("groundingSupports"));
    assert_eq!(said["searchEntryPoint"]["renderedContent"], grounding.search_entry_point_html.as_str());
    for (source, said) in grounding.sources.iter().zip(said["groundingChunks"].as_array().unwrap()) {
        assert_eq!(
            (&said["web"]["uri"], &said["web"]["title"]),
            (&source.uri.clone().into(), &source.title.clone().into())
        );
    }
    for support in &grounding.supports {
        assert!(support.end_index > support.start_index);
        assert!(support.source_indices.iter().all(|index| (*index as usize) < grounding.sources.len()));
    }
}

#[tokio::test]
async fn decodes_code_with_its_result() {
    let Some(recording) = Recording::open("g07_code_execution.sse") else { return };
    let executions = recording.replay().await.unwrap().reply.code_executions;
    let field = |part: &str, name: &str| -> Vec<String> {
        let found = recording.parts().filter_map(|said| said.get(part));
        found.map(|said| said[name].as_str().unwrap().to_owned()).collect()
    };
    let codes: Vec<_> = executions.iter().map(|execution| execution.code.clone()).collect();
    let results: Vec<_> = executions.iter().map(|execution| execution.result.clone()).collect();
    assert_eq!(codes, field("executableCode", "code"));
    assert_eq!(results, field("codeExecutionResult", "output"));
}

#[tokio::test]
async fn filtered_replies_carry_their_reason() {
    if let Some(recording) = Recording::open("g22_finish_safety.sse") {
        let error = recording.replay().await.unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::ContentFiltered);
        assert!(error.to_string().contains("SAFETY"), "{error}");
        assert_eq!(error.failure.partial_text, recording.text(false));
        check_usage(&recording, error.failure.usage);
    }
    if let Some(recording) = Recording::open("g23_prompt_blocked.sse") {
        let error = recording.replay().await.unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::ContentFiltered);
        let reason = recording.events[0]["promptFeedback"]["blockReason"].as_str().unwrap();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn a_quota_error_carries_retry_after() {
    let Some(bytes) = read("g30_429_retry_info.json") else { return };
    let body = String::from_utf8(bytes).unwrap();
    let said: Value = serde_json::from_str(&body).unwrap();
    let details = said["error"]["details"].as_array().unwrap();
    let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str()).unwrap();
    let delay: f64 = delay.trim_end_matches('s').parse().unwrap();
    let error = ask(PRO, question(), ScriptedResponse::status(429, &body)).await.0.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::RateLimit);
    // Rounded up to a millisecond.
    let rounding = error.delay().unwrap().as_secs_f64() - delay;
    assert!((0.0..0.001).contains(&rounding), "{rounding}");
    assert!(error.to_string().contains(said["error"]["message"].as_str().unwrap()));
}
