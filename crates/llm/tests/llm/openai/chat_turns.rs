//! Reasoning is sent back with its reply, and only to the model that produced it.

use serde_json::{Value, json};
use tarsy_domain::Message;
use tarsy_llm::Vendor;

use super::client::{ask, conversation, sse, stored, with_tools};
use crate::peer::{Received, ScriptedResponse};

fn answer(deltas: &[Value]) -> ScriptedResponse {
    let events =
        deltas.iter().map(|delta| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}));
    let end = [json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}), json!("[DONE]")];
    ScriptedResponse::stream(&sse(&events.chain(end).collect::<Vec<_>>()), 13)
}

/// Returns the request after a first reply and its tool results, to a possibly different model.
async fn second_request(first: &[Value], model: &str) -> Received {
    let opening = Message::user("Look.");
    let request = with_tools(conversation([opening.clone()]));
    let (reply, _) = ask(Vendor::OpenAiCompatible, "deepseek-reasoner", request, answer(first)).await;
    let reply = reply.unwrap();
    let results =
        reply.reply.tool_calls.iter().map(|call| Message::tool(call, format!("result of {}", call.name)));
    let messages: Vec<_> = [opening, stored(&reply)].into_iter().chain(results).collect();
    let request = with_tools(conversation(messages));
    ask(Vendor::OpenAiCompatible, model, request, ScriptedResponse::status(400, "{}")).await.1
}

fn call(id: &Value) -> Value {
    json!({"tool_calls": [{"index": 0, "id": id, "type": "function",
        "function": {"name": "k8s__pods_list", "arguments": "{\"namespace\": \"a\"}"}}]})
}

#[tokio::test]
async fn plain_reasoning_is_sent_back_with_tool_calls() {
    let first =
        [json!({"reasoning_content": "Hm\u{e9}"}), json!({"content": "Looking."}), call(&json!("call_1"))];
    let same = second_request(&first, "deepseek-reasoner").await.json()["messages"].clone();
    assert_eq!(
        same,
        json!([
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "Looking.", "reasoning_content": "Hmé", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "k8s__pods_list", "arguments": "{\"namespace\": \"a\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "result of k8s.pods_list"},
        ])
    );
    let other = second_request(&first, "qwen3").await;
    assert!(!other.body.contains("reasoning_content"), "{}", other.body);
    assert_eq!(other.json()["messages"][1]["tool_calls"], same[1]["tool_calls"]);
}

#[tokio::test]
async fn plain_reasoning_is_not_sent_back_without_tool_calls() {
    let first = [json!({"reasoning_content": "Hm."}), json!({"content": "Done."})];
    let second = second_request(&first, "deepseek-reasoner").await.json();
    assert_eq!(second["messages"][1], json!({"role": "assistant", "content": "Done."}));
}

#[tokio::test]
async fn signed_blocks_and_unknown_fields_are_sent_back() {
    let signed =
        json!({"type": "reasoning.text", "text": "Hm.", "signature": "S+/=", "format": "x", "index": 0});
    let mut first_call = call(&json!("call_1"));
    first_call["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": "T+/="}});
    let first = [json!({"reasoning": "Hm.", "reasoning_details": [signed]}), first_call];
    let second = second_request(&first, "deepseek-reasoner").await;
    let assistant = &second.json()["messages"][1];
    assert_eq!(assistant["reasoning_details"], json!([signed]));
    assert_eq!(assistant["reasoning"], Value::Null);
    assert_eq!(assistant["content"], Value::Null);
    assert_eq!(assistant["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "T+/=");
    let other = second_request(&first, "qwen3").await;
    assert!(!other.body.contains("S+/=") && !other.body.contains("T+/="), "{}", other.body);
}

#[tokio::test]
async fn generated_ids_link_calls_and_results() {
    for id in [Value::Null, json!("")] {
        let second = second_request(&[call(&id)], "deepseek-reasoner").await.json();
        assert_eq!(second["messages"][1]["tool_calls"][0]["id"], "call00000");
        assert_eq!(second["messages"][2]["tool_call_id"], "call00000");
    }
}

#[tokio::test]
async fn thinking_in_tags_is_not_sent_back() {
    let first = [json!({"content": "<think>Hm.</think>Looking."}), call(&json!("a"))];
    let second = second_request(&first, "deepseek-reasoner").await;
    assert_eq!(second.json()["messages"][1]["content"], "Looking.");
}
