//! The tools of a request.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::ModelRequest;
use crate::names::wire_name;
use crate::wire::openai::parameters;

/// A function tool.
#[derive(Debug, Serialize)]
pub(super) struct ChatTool {
    r#type: &'static str,
    function: ChatFunction,
}

#[derive(Debug, Serialize)]
struct ChatFunction {
    name: String,
    description: String,
    parameters: Map<String, Value>,
}

/// Returns the tools that a request binds.
pub(super) fn bound_tools(request: &ModelRequest) -> Vec<ChatTool> {
    let tools = request.tools.iter();
    tools.map(|bound| tool(&bound.name, &bound.description, &bound.input_schema)).collect()
}

/// Returns definitions with only a name for the tools that were called earlier. Gateways to Anthropic and
/// Bedrock reject a conversation with calls of tools that the request does not define, even if no tool may be
/// called any more.
pub(super) fn called_tools(request: &ModelRequest) -> Vec<ChatTool> {
    let mut seen = HashSet::new();
    let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
    let names = calls.map(|call| call.name.as_str()).filter(|name| seen.insert(*name));
    names.map(|name| tool(name, "No longer available; do not call it.", &json!({}))).collect()
}

fn tool(name: &str, description: &str, schema: &Value) -> ChatTool {
    let function = ChatFunction {
        name: wire_name(name),
        description: description.to_owned(),
        parameters: parameters(schema),
    };
    ChatTool { r#type: "function", function }
}
