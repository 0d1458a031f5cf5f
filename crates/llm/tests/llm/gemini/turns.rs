//! What the second request of a conversation sends back.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::{Message, ModelReply, ToolCall};
use tarsy_llm::ModelRequest;

use super::requests::pods_tool;
use super::{PRO, THREE, ask, conversation, events, last, parts, sent};
use crate::peer::ScriptedResponse;

const SIGNED_CALL: &str = r#"{"functionCall": {"name":"k8s__get_pods","args":{"a": 1.50},"id":"fc-1"},"thoughtSignature": "QUJD+/=="}"#;
const SECOND_CALL: &str = r#"{"functionCall":{"name":"odd.name","args":{}}}"#;
const SIGNED_END: &str = r#"{"text":"","thoughtSignature":"REVG"}"#;

/// Returns a model turn with two calls, after a round trip through the database.
async fn called(model: &str) -> Message {
    let body = events(&[
        &parts(r#"{"text":"Hm.","thought":true},{"text":"I look."}"#),
        &parts(&format!("{SIGNED_CALL},{SECOND_CALL}")),
        &last(SIGNED_END),
    ]);
    let first =
        ModelRequest { tools: [Arc::new(pods_tool())].into(), ..conversation([Message::user("Look.")]) };
    let reply = ask(model, first, ScriptedResponse::stream(body.as_bytes(), 13)).await.0.unwrap().reply;
    stored(&message(reply))
}

fn message(reply: ModelReply) -> Message {
    Message {
        tool_calls: reply.tool_calls,
        provider_state: reply.provider_state,
        ..Message::assistant(reply.text)
    }
}

fn stored(message: &Message) -> Message {
    serde_json::from_str(&serde_json::to_string(message).unwrap()).unwrap()
}

fn answered(turn: &Message) -> ModelRequest {
    let results = turn.tool_calls.iter().map(|call| Message::tool(call, format!("result of {}", call.name)));
    conversation([Message::user("Look."), turn.clone()].into_iter().chain(results))
}

fn result(name: &str, result: &str) -> Value {
    json!({ "functionResponse": { "name": name, "response": { "result": result } } })
}

#[tokio::test]
async fn a_turn_is_sent_back_byte_for_byte_with_its_results() {
    let turn = called(THREE).await;
    let received = sent(THREE, answered(&turn)).await;
    let native = format!(
        r#"{{"role":"model","parts":[{{"text":"I look."}},{SIGNED_CALL},{SECOND_CALL},{SIGNED_END}]}}"#
    );
    assert!(received.body.contains(&native), "{}", received.body);
    let contents = &received.json()["contents"];
    let mut first = result("k8s__get_pods", "result of k8s.get_pods");
    first["functionResponse"]["id"] = json!("fc-1");
    let second = result("odd.name", "result of odd.name");
    assert_eq!(contents[2], json!({ "role": "user", "parts": [first, second] }));
    assert_eq!(contents.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_turn_of_another_model_or_provider_is_rebuilt_without_its_signatures() {
    let other_model = called(PRO).await;
    let mut other_provider = called(THREE).await;
    other_provider.provider_state =
        other_provider.provider_state.map(|state| state.replace("google-test", "other"));
    for turn in [other_model, other_provider] {
        let received = sent(THREE, answered(&turn)).await;
        let call = |name: &str, args: Value| json!({ "functionCall": { "name": name, "args": args } });
        let mut first = call("k8s__get_pods", json!({ "a": 1.5 }));
        first["thoughtSignature"] = json!("skip_thought_signature_validator");
        let contents = &received.json()["contents"];
        let expected = json!([{ "text": "I look." }, first, call("odd__name", json!({}))]);
        assert_eq!(contents[1], json!({ "role": "model", "parts": expected }));
        let results =
            [result("k8s__get_pods", "result of k8s.get_pods"), result("odd__name", "result of odd.name")];
        assert_eq!(contents[2], json!({ "role": "user", "parts": results }));
    }
}

#[tokio::test]
async fn a_turn_is_sent_back_without_calls_that_have_no_result() {
    let turn = Message { tool_calls: Vec::new(), ..called(THREE).await };
    let body =
        sent(THREE, conversation([Message::user("Look."), turn, Message::user("No tools.")])).await.json();
    assert_eq!(body["contents"][1], json!({ "role": "model", "parts": [{ "text": "I look." }] }));
}

#[tokio::test]
async fn older_models_get_no_placeholder_signature() {
    let received = sent(PRO, answered(&called(THREE).await)).await;
    assert!(!received.body.contains("thoughtSignature"), "{}", received.body);
}

#[tokio::test]
async fn a_request_without_tools_may_follow_tool_calls() {
    let turn = called(THREE).await;
    let mut request = answered(&turn);
    request.messages.push(Message::user("Conclude now.").into());
    let body = sent(THREE, request).await.json();
    assert_eq!(body.get("tools"), None);
    let contents = body["contents"].as_array().unwrap();
    let roles: Vec<_> = contents.iter().map(|content| content["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "model", "user", "user"]);
    assert_eq!(contents[3]["parts"], json!([{ "text": "Conclude now." }]));
}

#[tokio::test]
async fn non_object_arguments_are_wrapped() {
    let mut turn = Message::assistant("");
    let arguments = ["[1]", "{\"a\":", "", " {\"a\":1}"];
    turn.tool_calls = arguments
        .iter()
        .enumerate()
        .map(|(number, arguments)| ToolCall {
            id: number.to_string(),
            name: "a.b".to_owned(),
            arguments: (*arguments).to_owned(),
        })
        .collect();
    let body = sent(PRO, answered(&turn)).await.json();
    let parts = body["contents"][1]["parts"].as_array().unwrap();
    let sent: Vec<_> = parts.iter().map(|part| part["functionCall"]["args"].clone()).collect();
    let wrapped = |text: &str| json!({ "arguments": text });
    assert_eq!(sent, [wrapped("[1]"), wrapped("{\"a\":"), json!({}), json!({ "a": 1 })]);
}
