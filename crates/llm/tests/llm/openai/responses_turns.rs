//! A reply is sent back unchanged, and only to the model that produced it.

use serde_json::{Value, json};
use tarsy_domain::{Message, ToolCall};
use tarsy_llm::{ModelRequest, Vendor};

use super::client::{ask, calls, conversation, stored, with_tools};
use crate::peer::{Received, ScriptedResponse};

/// Unusual whitespace, key order and escapes, which serializing again would lose.
const REASONING: &str =
    r#"{ "encrypted_content":"gAAA\/+é=",  "summary":[],"type":"reasoning","id":"rs_1" }"#;
const MESSAGE: &str = r#"{"id":"msg_1","phase":"commentary","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":"Looking. \u00e9"}]}"#;
const CALL: &str = r#"{"type":"function_call","status":"completed","arguments":"{\"namespace\": \"a\"}","call_id":"call_1","name":"k8s__pods_list","id":"fc_1"}"#;
const EMPTY_REASONING: &str = r#"{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":null}"#;

fn first_answer() -> ScriptedResponse {
    let done = |(place, item): (usize, &str)| {
        format!(
            "event: response.output_item.done\ndata: {{\"type\":\"response.output_item.done\",\"output_index\":{place},\"item\":{item}}}\n\n"
        )
    };
    let items = [EMPTY_REASONING, REASONING, MESSAGE, CALL, REASONING];
    let items: String = items.into_iter().enumerate().map(done).collect();
    let end = json!({"type": "response.completed", "response": {"status": "completed"}});
    ScriptedResponse::stream(format!("{items}event: response.completed\ndata: {end}\n\n").as_bytes(), 11)
}

/// Returns the request after the first reply and its tool results, to a possibly different model.
async fn second_request(model: &str) -> Received {
    let opening = [Message::system("Be brief."), Message::user("Look.")];
    let request = with_tools(conversation(opening.clone()));
    let (first, _) = ask(Vendor::OpenAi, "gpt-5", request, first_answer()).await;
    let first = first.unwrap();
    assert_eq!(calls(&first), [r#"call_1 k8s.pods_list {"namespace": "a"}"#]);
    let result = Message::tool(&first.reply.tool_calls[0], "two pods");
    let second = conversation(opening.into_iter().chain([stored(&first), result]));
    ask(Vendor::OpenAi, model, second, ScriptedResponse::status(400, "{}")).await.1
}

#[tokio::test]
async fn items_are_sent_back_byte_for_byte_to_the_same_model() {
    let received = second_request("gpt-5").await;
    assert!(received.body.contains(&format!("{REASONING},{MESSAGE},{CALL},")), "{}", received.body);
    let input = received.json()["input"].clone();
    assert_eq!(input.as_array().map(Vec::len), Some(5));
    assert_eq!(input[4], json!({"type": "function_call_output", "call_id": "call_1", "output": "two pods"}));
}

#[tokio::test]
async fn another_model_receives_rebuilt_items() {
    let received = second_request("gpt-5-mini").await;
    assert!(
        !received.body.contains("gAAA") && !received.body.contains("rs_1") && !received.body.contains("fc_1")
    );
    assert_eq!(
        received.json()["input"],
        json!([
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "Looking. é"},
            {"type": "function_call", "call_id": "call_1", "name": "k8s__pods_list", "arguments": "{\"namespace\": \"a\"}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "two pods"},
        ])
    );
}

#[tokio::test]
async fn a_call_without_a_result_gets_a_placeholder_result() {
    let (first, _) = ask(Vendor::OpenAi, "gpt-5", stopped([]), first_answer()).await;
    let request = stopped([stored(&first.unwrap()), Message::user("Go on.")]);
    let input =
        ask(Vendor::OpenAi, "gpt-5", request, ScriptedResponse::status(400, "{}")).await.1.json()["input"]
            .clone();
    let sent: Vec<&Value> = input.as_array().unwrap().iter().skip(4).collect();
    let output =
        json!({"type": "function_call_output", "call_id": "call_1", "output": "This call was not run."});
    assert_eq!(sent, [&output, &json!({"role": "user", "content": "Go on."})]);
}

fn stopped(rest: impl IntoIterator<Item = Message>) -> ModelRequest {
    with_tools(conversation([Message::user("Look.")].into_iter().chain(rest)))
}

#[tokio::test]
async fn long_ids_of_other_models_are_shortened_consistently() {
    let call = ToolCall { id: "x".repeat(90), name: "web.get".to_owned(), arguments: String::new() };
    let asking = Message { tool_calls: vec![call.clone()], ..Message::assistant("") };
    let request = stopped([asking, Message::tool(&call, "ok")]);
    let input =
        ask(Vendor::OpenAi, "gpt-5", request, ScriptedResponse::status(400, "{}")).await.1.json()["input"]
            .clone();
    assert_eq!(input[1]["call_id"], input[2]["call_id"]);
    assert!(input[1]["call_id"].as_str().unwrap().len() <= 40);
}
