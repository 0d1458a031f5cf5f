//! A reply goes back as it came, and only to whom it came from.

use serde_json::{Value, json};
use tarsy_domain::{Message, ToolCall};
use tarsy_llm::{ModelRequest, Vendor};

use super::desk::{ask, calls, conversation, remembered, with_tools};
use crate::peer::{Answer, Received};

/// Odd spacing, odd order and escapes, which a second writing would lose.
const REASONING: &str =
    r#"{ "encrypted_content":"gAAA\/+é=",  "summary":[],"type":"reasoning","id":"rs_1" }"#;
const MESSAGE: &str = r#"{"id":"msg_1","phase":"commentary","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":"Looking. \u00e9"}]}"#;
const CALL: &str = r#"{"type":"function_call","status":"completed","arguments":"{\"namespace\": \"a\"}","call_id":"call_1","name":"k8s__pods_list","id":"fc_1"}"#;
const EMPTY_REASONING: &str = r#"{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":null}"#;

fn first_answer() -> Answer {
    let done = |(place, item): (usize, &str)| {
        format!(
            "event: response.output_item.done\ndata: {{\"type\":\"response.output_item.done\",\"output_index\":{place},\"item\":{item}}}\n\n"
        )
    };
    let items = [EMPTY_REASONING, REASONING, MESSAGE, CALL, REASONING];
    let items: String = items.into_iter().enumerate().map(done).collect();
    let end = json!({"type": "response.completed", "response": {"status": "completed"}});
    Answer::stream(format!("{items}event: response.completed\ndata: {end}\n\n").as_bytes(), 11)
}

/// What is sent after the first reply and the results of its calls, to a model that may be another.
async fn second_request(model: &str) -> Received {
    let opening = [Message::system("Be brief."), Message::user("Look.")];
    let request = with_tools(conversation(opening.clone()));
    let (first, _) = ask(Vendor::OpenAi, "gpt-5", request, first_answer()).await;
    let first = first.unwrap();
    assert_eq!(calls(&first), [r#"call_1 k8s.pods_list {"namespace": "a"}"#]);
    let result = Message::tool(&first.reply.tool_calls[0], "two pods");
    let second = conversation(opening.into_iter().chain([remembered(&first), result]));
    ask(Vendor::OpenAi, model, second, Answer::status(400, "{}")).await.1
}

#[tokio::test]
async fn items_go_back_byte_for_byte_to_the_same_model() {
    let received = second_request("gpt-5").await;
    assert!(received.body.contains(&format!("{REASONING},{MESSAGE},{CALL},")), "{}", received.body);
    let input = received.json()["input"].clone();
    assert_eq!(input.as_array().map(Vec::len), Some(5));
    assert_eq!(input[4], json!({"type": "function_call_output", "call_id": "call_1", "output": "two pods"}));
}

#[tokio::test]
async fn another_model_is_told_anew() {
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
async fn a_native_call_without_a_result_gets_one() {
    let (first, _) = ask(Vendor::OpenAi, "gpt-5", stopped([]), first_answer()).await;
    let request = stopped([remembered(&first.unwrap()), Message::user("Go on.")]);
    let input =
        ask(Vendor::OpenAi, "gpt-5", request, Answer::status(400, "{}")).await.1.json()["input"].clone();
    let told: Vec<&Value> = input.as_array().unwrap().iter().skip(4).collect();
    let output =
        json!({"type": "function_call_output", "call_id": "call_1", "output": "This call was not run."});
    assert_eq!(told, [&output, &json!({"role": "user", "content": "Go on."})]);
}

fn stopped(rest: impl IntoIterator<Item = Message>) -> ModelRequest {
    with_tools(conversation([Message::user("Look.")].into_iter().chain(rest)))
}

#[tokio::test]
async fn long_ids_of_others_are_shortened_on_both_sides() {
    let call = ToolCall { id: "x".repeat(90), name: "web.get".to_owned(), arguments: String::new() };
    let asking = Message { tool_calls: vec![call.clone()], ..Message::assistant("") };
    let request = stopped([asking, Message::tool(&call, "ok")]);
    let input =
        ask(Vendor::OpenAi, "gpt-5", request, Answer::status(400, "{}")).await.1.json()["input"].clone();
    assert_eq!(input[1]["call_id"], input[2]["call_id"]);
    assert!(input[1]["call_id"].as_str().unwrap().len() <= 40);
}
