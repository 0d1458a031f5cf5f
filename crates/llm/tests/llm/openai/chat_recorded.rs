//! Recorded responses of Chat Completions servers decode equally in pieces of any size.

use serde_json::Value;
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{Assembly, Vendor};

use super::client::{ask, failure, question};
use super::recorded::{PIECES, events, recorded};
use crate::peer::ScriptedResponse;

/// Decodes a file in pieces of several sizes and compares the reply with the file.
async fn read(name: &str) -> Option<(Assembly, Vec<Value>)> {
    let bytes = recorded(name)?;
    let mut replies = Vec::new();
    for piece in PIECES {
        let (reply, _) =
            ask(Vendor::OpenAiCompatible, "m", question(), ScriptedResponse::stream(&bytes, piece)).await;
        replies.push(reply.unwrap());
    }
    assert!(replies.windows(2).all(|pair| pair[0] == pair[1]));
    let (reply, events) = (replies.remove(0), events(&bytes));
    check_usage(&reply, &events);
    Some((reply, events))
}

fn check_usage(reply: &Assembly, events: &[Value]) {
    let expected = events.iter().rev().map(|event| &event["usage"]).find(|usage| usage.is_object()).unwrap();
    let count = |path: &str| expected.pointer(path).unwrap().as_u64().unwrap();
    let usage = reply.reply.usage;
    assert_eq!(usage.input_tokens, count("/prompt_tokens"));
    assert_eq!(usage.output_tokens, count("/completion_tokens"));
    assert_eq!(usage.thinking_tokens, count("/completion_tokens_details/reasoning_tokens"));
    assert!(usage.input_tokens > 0 && usage.output_tokens > 0);
}

/// Returns a field of all deltas, concatenated.
fn expected(events: &[Value], field: &str) -> String {
    let path = format!("/choices/0/delta/{field}");
    events.iter().filter_map(|event| event.pointer(&path)?.as_str()).collect()
}

/// Returns id, name and arguments of the call with an index.
fn expected_call(events: &[Value], index: u64) -> [String; 3] {
    let deltas =
        events.iter().filter_map(|event| event.pointer("/choices/0/delta/tool_calls")?.as_array()).flatten();
    let own: Vec<_> = deltas.filter(|delta| delta["index"] == index).collect();
    ["/id", "/function/name", "/function/arguments"]
        .map(|path| own.iter().filter_map(|delta| delta.pointer(path)?.as_str()).collect())
}

async fn check_calls(name: &str, count: usize) {
    let Some((reply, events)) = read(name).await else { return };
    let calls: Vec<_> = reply.reply.tool_calls.iter().collect();
    assert_eq!(calls.len(), count);
    for (index, call) in (0..).zip(calls) {
        assert_eq!(
            [call.id.clone(), call.name.clone(), call.arguments.clone()],
            expected_call(&events, index)
        );
    }
    assert_eq!(reply.reply.text, "");
    assert!(reply.reply.provider_state.is_some());
}

#[tokio::test]
async fn a_tool_call() {
    check_calls("openai-chat/c01_tool_call.sse", 1).await;
}

#[tokio::test]
async fn parallel_tool_calls() {
    check_calls("openai-chat/c03_parallel_tool_calls.sse", 2).await;
}

#[tokio::test]
async fn reasoning_content() {
    let Some((reply, events)) = read("openai-chat/c09_deepseek_reasoning_content.sse").await else { return };
    assert_eq!(reply.reply.thinking, expected(&events, "reasoning_content"));
    assert_eq!(reply.reply.text, expected(&events, "content"));
    assert!(!reply.reply.thinking.is_empty() && !reply.reply.text.is_empty());
    assert!(reply.reply.usage.thinking_tokens > 0);
}

#[tokio::test]
async fn a_rate_limit_behind_a_gateway() {
    let Some(bytes) = recorded("openai-chat/c14_error_429_openrouter.json") else { return };
    let body = String::from_utf8(bytes).unwrap();
    let (reply, _) =
        ask(Vendor::OpenAiCompatible, "m", question(), ScriptedResponse::status(429, &body)).await;
    let expected: Value = serde_json::from_str(&body).unwrap();
    let (kind, message) = failure(reply);
    assert_eq!(kind, ModelFailureKind::RateLimit);
    assert!(message.contains(expected["error"]["metadata"]["raw"].as_str().unwrap()));
}
