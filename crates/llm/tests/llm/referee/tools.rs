//! The referee calls a tool that it is offered, takes the result and answers; or it calls wrongly.

use serde_json::{Value, json};

use super::court::Court;
use super::wire::Wire;

/// A call, its result, and the answer.
pub(crate) async fn call_and_result(court: &Court) {
    let player = court.player("tools");
    let called = player.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert_eq!(call.name, "k8s.pods_list");
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
    assert!(arguments["namespace"].is_string() && arguments["limit"].is_u64(), "{arguments}");
    let answered = player.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty() && answered.reply.tool_calls.is_empty(), "{answered:?}");
}

/// Arguments that are no JSON come as they are: whoever runs the tool tells the model.
pub(crate) async fn malformed_arguments(court: &Court) {
    if court.wire == Wire::Gemini {
        return;
    }
    let player = court.player("malformed-arguments");
    court.script("malformed-arguments", &json!({"type": "tool_fault", "kind": "malformed_arguments"})).await;
    let called = player.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert!(serde_json::from_str::<Value>(&call.arguments).is_err(), "{}", call.arguments);
    let answered = player.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty(), "{answered:?}");
}

/// So do calls of tools that nobody offered.
pub(crate) async fn unknown_tool(court: &Court) {
    let player = court.player("unknown-tool");
    court.script("unknown-tool", &json!({"type": "tool_fault", "kind": "unknown_tool"})).await;
    let called = player.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert_eq!(call.name, "llmock_unknown_tool");
    let answered = player.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty(), "{answered:?}");
}
