//! Tool calls by the fault server: valid ones with results, and invalid ones.

use serde_json::{Value, json};

use super::server::FaultServer;
use super::wire::Wire;

/// A call, its result, and the final reply.
pub(crate) async fn call_and_result(server: &FaultServer) {
    let client = server.client("tools");
    let called = client.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert_eq!(call.name, "k8s.pods_list");
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
    assert!(arguments["namespace"].is_string() && arguments["limit"].is_u64(), "{arguments}");
    let answered = client.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty() && answered.reply.tool_calls.is_empty(), "{answered:?}");
}

/// Invalid JSON arguments are passed on unchanged; the toolbox reports them to the model.
pub(crate) async fn malformed_arguments(server: &FaultServer) {
    if server.wire == Wire::Gemini {
        return;
    }
    let client = server.client("malformed-arguments");
    server.script("malformed-arguments", &json!({"type": "tool_fault", "kind": "malformed_arguments"})).await;
    let called = client.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert!(serde_json::from_str::<Value>(&call.arguments).is_err(), "{}", call.arguments);
    let answered = client.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty(), "{answered:?}");
}

/// Calls of undefined tools are passed on unchanged.
pub(crate) async fn unknown_tool(server: &FaultServer) {
    let client = server.client("unknown-tool");
    server.script("unknown-tool", &json!({"type": "tool_fault", "kind": "unknown_tool"})).await;
    let called = client.ask_with_tools().await.unwrap();
    let [call] = &called.reply.tool_calls[..] else { panic!("{called:?}") };
    assert_eq!(call.name, "llmock_unknown_tool");
    let answered = client.send_results(&called).await.unwrap();
    assert!(!answered.reply.text.is_empty(), "{answered:?}");
}
