//! Recorded responses of the real API, if available. They are not part of the repository.

use std::path::PathBuf;

use serde_json::Value;
use tarsy_domain::{ModelFailureKind, ModelReply, TokenUsage};

use super::reply_to;
use crate::peer::ScriptedResponse;

/// Returns the bytes of a recording, or `None` if it is not available.
fn recording(name: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = std::env::var_os("TARSY_TEST_DATA").map_or(root, PathBuf::from);
    std::fs::read(root.join("wire/anthropic").join(name)).ok()
}

/// The expected values, read from the events by a simpler parser.
#[derive(Default)]
struct Found {
    text: String,
    thinking: String,
    signatures: Vec<String>,
    kinds: Vec<String>,
    starts: Vec<Value>,
    usage: Value,
}

fn read(bytes: &[u8]) -> Found {
    let mut found = Found::default();
    let text = std::str::from_utf8(bytes).unwrap();
    for event in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(event).unwrap();
        let string = |path: &str| event.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        found.text.push_str(&string("/delta/text"));
        found.thinking.push_str(&string("/delta/thinking"));
        found.signatures.extend(Some(string("/delta/signature")).filter(|signature| !signature.is_empty()));
        if let Some(block) = event.get("content_block") {
            found.kinds.push(string("/content_block/type"));
            found.starts.push(block.clone());
        }
        if event.get("usage").is_some() {
            found.usage = event["usage"].clone();
        }
    }
    found
}

/// Serves a recording in pieces of several sizes and returns the reply, which must not depend on the size.
async fn replay(bytes: &[u8]) -> ModelReply {
    let mut replies = Vec::new();
    // Pieces of 1, 3 and 7 bytes also split characters.
    for piece in [1, 3, 7, 1000, bytes.len()] {
        replies.push(reply_to(ScriptedResponse::stream(bytes, piece)).await.unwrap().reply);
    }
    assert!(replies.windows(2).all(|pair| pair[0] == pair[1]));
    replies.remove(0)
}

/// Checks the common properties of a recording and returns the blocks that are sent back.
fn check(reply: &ModelReply, found: &Found) -> Vec<Value> {
    assert_eq!(reply.text, found.text);
    assert_eq!(reply.thinking, found.thinking);
    let count = |key: &str| found.usage[key].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    let usage = TokenUsage {
        input_tokens: count("input_tokens") + cached + count("cache_creation_input_tokens"),
        output_tokens: count("output_tokens"),
        thinking_tokens: found
            .usage
            .pointer("/output_tokens_details/thinking_tokens")
            .and_then(Value::as_u64)
            .unwrap_or(0),
        cached_tokens: cached,
    };
    assert_eq!(reply.usage, usage);
    let state: Value = serde_json::from_str(reply.provider_state.as_deref().unwrap()).unwrap();
    let blocks = state["native"].as_array().unwrap().clone();
    let kinds: Vec<&str> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, found.kinds);
    let signatures: Vec<&str> = blocks.iter().filter_map(|block| block["signature"].as_str()).collect();
    assert_eq!(signatures, found.signatures);
    blocks
}

#[tokio::test]
async fn thinking_and_a_call() {
    let Some(bytes) = recording("a01_thinking_then_tool.sse") else { return };
    let (reply, found) = (replay(&bytes).await, read(&bytes));
    let blocks = check(&reply, &found);
    assert_eq!(found.signatures.len(), 1);
    assert_eq!(reply.tool_calls.len(), 1);
    assert_eq!(reply.tool_calls[0].arguments, "{}");
    assert_eq!(reply.tool_calls[0].id, found.starts[1]["id"]);
    assert_eq!(reply.tool_calls[0].name, found.starts[1]["name"]);
    assert_eq!(blocks[1], found.starts[1]);
}

#[tokio::test]
async fn a_call_alone() {
    let Some(bytes) = recording("a03_tool_call.sse") else { return };
    let (reply, found) = (replay(&bytes).await, read(&bytes));
    assert_eq!(check(&reply, &found), found.starts);
    assert_eq!(reply.tool_calls.len(), 1);
    assert!(reply.text.is_empty());
}

#[tokio::test]
async fn hidden_thinking() {
    let Some(bytes) = recording("a05_redacted_thinking.sse") else { return };
    let (reply, found) = (replay(&bytes).await, read(&bytes));
    let blocks = check(&reply, &found);
    assert_eq!(blocks.iter().filter(|block| block["data"].is_string()).count(), 2);
    assert_eq!(blocks[..2], found.starts[..2]);
    assert!(reply.thinking.is_empty() && !reply.text.is_empty());
}

#[tokio::test]
async fn a_page_fetched_by_the_vendor() {
    let Some(bytes) = recording("a07_server_tool_web_fetch.sse") else { return };
    let (reply, found) = (replay(&bytes).await, read(&bytes));
    let blocks = check(&reply, &found);
    assert_eq!(blocks[2], found.starts[2]);
    assert_eq!(blocks[1]["input"]["url"], found.starts[2]["content"]["url"]);
    assert!(reply.tool_calls.is_empty());
    assert_eq!(reply.groundings.len(), 1);
    assert_eq!(reply.groundings[0].sources[0].uri, found.starts[2]["content"]["url"]);
}

#[tokio::test]
async fn a_rejected_request() {
    let Some(bytes) = recording("a12_error_400.json") else { return };
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let answer = ScriptedResponse::status(400, std::str::from_utf8(&bytes).unwrap());
    let failure = reply_to(answer).await.unwrap_err().failure;
    assert_eq!(failure.kind, ModelFailureKind::InvalidRequest);
    assert!(failure.message.contains(body["error"]["message"].as_str().unwrap()));
    assert!(failure.message.contains(body["request_id"].as_str().unwrap()));
}
