//! Recorded responses of the Responses API decode equally in pieces of any size.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tarsy_domain::{ModelFailureKind, TokenUsage};
use tarsy_llm::{Assembly, Vendor};

use super::client::{ask, failure, question};
use super::recorded::{PIECES, data_lines, events, recorded};
use crate::peer::ScriptedResponse;

#[derive(Deserialize)]
struct Done {
    r#type: String,
    item: Option<Box<RawValue>>,
}

/// Decodes a file in pieces of several sizes and compares the reply with the file.
async fn read(name: &str) -> Option<(Assembly, Vec<Value>)> {
    let bytes = recorded(name)?;
    let mut replies = Vec::new();
    for piece in PIECES {
        let (reply, _) =
            ask(Vendor::OpenAi, "gpt-5", question(), ScriptedResponse::stream(&bytes, piece)).await;
        replies.push(reply.unwrap());
    }
    assert!(replies.windows(2).all(|pair| pair[0] == pair[1]));
    let reply = replies.remove(0);
    check_state(&reply, &bytes);
    check_usage(reply.reply.usage, &events(&bytes));
    Some((reply, events(&bytes)))
}

/// Checks that the state contains every finished item byte for byte and in order, except reasoning without
/// content.
fn check_state(reply: &Assembly, bytes: &[u8]) {
    let state = reply.reply.provider_state.as_deref().unwrap();
    let done = data_lines(bytes).into_iter().filter_map(|line| serde_json::from_str::<Done>(&line).ok());
    let items =
        done.filter(|event| event.r#type == "response.output_item.done").filter_map(|event| event.item);
    let kept = items.filter(|item| {
        let item: Value = serde_json::from_str(item.get()).unwrap();
        item["type"] != "reasoning" || item["encrypted_content"].is_string()
    });
    let native = kept.map(|item| item.get().to_owned()).collect::<Vec<_>>().join(",");
    assert!(state.contains(&format!("[{native}]")));
}

fn check_usage(usage: TokenUsage, events: &[Value]) {
    let expected = &events.last().unwrap()["response"]["usage"];
    let count = |path: &str| expected.pointer(path).unwrap().as_u64().unwrap();
    assert_eq!(usage.input_tokens, count("/input_tokens"));
    assert_eq!(usage.output_tokens, count("/output_tokens"));
    assert_eq!(usage.thinking_tokens, count("/output_tokens_details/reasoning_tokens"));
    assert!(usage.input_tokens > 0 && usage.output_tokens > 0);
}

/// Returns the deltas of a kind, concatenated per part and separated between parts.
fn expected(events: &[Value], kind: &str, part: &str) -> String {
    let mut parts = BTreeMap::<(u64, u64), String>::new();
    for event in events.iter().filter(|event| event["type"] == kind) {
        let key = (event["output_index"].as_u64().unwrap(), event[part].as_u64().unwrap());
        parts.entry(key).or_default().push_str(event["delta"].as_str().unwrap());
    }
    parts.into_values().collect::<Vec<_>>().join("\n\n")
}

/// Returns id, name and arguments of each finished call.
fn expected_calls(events: &[Value]) -> Vec<[String; 3]> {
    let items = events
        .iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| &event["item"]);
    let calls = items.filter(|item| item["type"] == "function_call");
    calls
        .map(|call| ["call_id", "name", "arguments"].map(|key| call[key].as_str().unwrap().to_owned()))
        .collect()
}

fn calls(reply: &Assembly) -> Vec<[String; 3]> {
    let calls = reply.reply.tool_calls.iter();
    calls.map(|call| [call.id.clone(), call.name.clone(), call.arguments.clone()]).collect()
}

#[tokio::test]
async fn a_function_call() {
    let Some((reply, events)) = read("openai-responses/r01_function_call.sse").await else { return };
    assert_eq!(calls(&reply), expected_calls(&events));
    assert_eq!((calls(&reply).len(), reply.reply.text.as_str(), reply.reply.thinking.as_str()), (1, "", ""));
}

#[tokio::test]
async fn reasoning_summaries_then_text_and_a_call() {
    let file = "openai-responses/r04_phase_reasoning_summary_tool.sse";
    let Some((reply, events)) = read(file).await else { return };
    assert_eq!(calls(&reply), expected_calls(&events));
    assert_eq!(calls(&reply).len(), 1);
    assert_eq!(reply.reply.text, expected(&events, "response.output_text.delta", "content_index"));
    assert_eq!(
        reply.reply.thinking,
        expected(&events, "response.reasoning_summary_text.delta", "summary_index")
    );
    assert!(!reply.reply.text.is_empty() && !reply.reply.thinking.is_empty());
    assert!(reply.reply.provider_state.unwrap().contains("\"phase\":"));
}

#[tokio::test]
async fn encrypted_reasoning_and_a_call() {
    let Some((reply, events)) = read("openai-responses/r07_usage_tool.sse").await else { return };
    assert_eq!(calls(&reply), expected_calls(&events));
    let encrypted = |kind: &str| {
        let event = events.iter().find(|event| event["type"] == kind).unwrap();
        event["item"]["encrypted_content"].as_str().unwrap().to_owned()
    };
    let state = reply.reply.provider_state.unwrap();
    assert!(state.contains(&encrypted("response.output_item.done")));
    assert!(!state.contains(&encrypted("response.output_item.added")));
    assert!(reply.reply.usage.thinking_tokens > 0);
}

#[tokio::test]
async fn a_rejected_request() {
    let Some(bytes) = recorded("openai-responses/r11_error_400.json") else { return };
    let body = String::from_utf8(bytes).unwrap();
    let (reply, _) = ask(Vendor::OpenAi, "gpt-4o", question(), ScriptedResponse::status(400, &body)).await;
    let expected: Value = serde_json::from_str(&body).unwrap();
    let (kind, message) = failure(reply);
    assert_eq!(kind, ModelFailureKind::InvalidRequest);
    assert!(message.contains(expected["error"]["message"].as_str().unwrap()));
}
