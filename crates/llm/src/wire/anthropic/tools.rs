//! The tools of a request.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Value, json};
use tarsy_domain::ToolDefinition;
use tracing::debug;

use super::messages::cache_breakpoint;
use super::schema;
use crate::names::wire_name;
use crate::{ModelRequest, NativeTools};

const WEB_FETCH: &str = "web-fetch-2025-09-10";
/// With more searches in one reply the vendor may pause it.
const SEARCHES_PER_REPLY: u32 = 5;

/// Tool definitions, and whether the model may call them.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) definitions: Vec<Value>,
    pub(super) choice: Option<ToolChoice>,
    /// Beta features to name in the header.
    pub(super) betas: Vec<&'static str>,
}

/// The `tool_choice` parameter. Forced calls cannot be combined with thinking, so there is no variant for
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToolChoice {
    None,
}

impl Tools {
    /// Returns the tools that a request binds, or, if there are none, those that its conversation has called:
    /// the API rejects a conversation with tool calls and no definitions.
    pub(super) fn new(request: &ModelRequest) -> Self {
        let mut tools = Self::default();
        tools.definitions.extend(request.tools.iter().map(|tool| describe(tool)));
        if tools.definitions.is_empty() {
            tools.definitions.extend(called_before(request));
            tools.choice = (!tools.definitions.is_empty()).then_some(ToolChoice::None);
        }
        if tools.choice.is_none() {
            tools.add_native(request.native_tools);
        }
        if let Some(last) = tools.definitions.last_mut() {
            last["cache_control"] = cache_breakpoint();
        }
        tools
    }

    fn add_native(&mut self, native: NativeTools) {
        if native.google_search {
            let search = json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": SEARCHES_PER_REPLY });
            self.definitions.push(search);
        }
        if native.url_context {
            let fetch =
                json!({ "type": "web_fetch_20250910", "name": "web_fetch", "max_uses": SEARCHES_PER_REPLY });
            self.definitions.push(fetch);
            self.betas.push(WEB_FETCH);
        }
        if native.code_execution {
            debug!("code execution is not implemented for this vendor");
        }
    }
}

fn describe(tool: &ToolDefinition) -> Value {
    let adapted = schema::adapt(&tool.input_schema);
    for loss in &adapted.losses {
        debug!(tool.name, loss, "tool schema cannot be sent unchanged");
    }
    let description = [Some(tool.description.clone()), adapted.note].into_iter().flatten();
    let description = description.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n");
    let mut definition = json!({ "name": wire_name(&tool.name) });
    if !description.is_empty() {
        definition["description"] = Value::String(description);
    }
    definition["input_schema"] = adapted.schema;
    definition
}

/// Returns definitions with only a name for the tools that were called earlier.
fn called_before(request: &ModelRequest) -> Vec<Value> {
    let mut seen = HashSet::new();
    let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
    let names = calls.map(|call| wire_name(&call.name)).filter(|name| seen.insert(name.clone()));
    names.map(|name| json!({ "name": name, "input_schema": { "type": "object" } })).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tarsy_domain::{Message, ToolCall};

    use super::*;
    use crate::Tags;

    fn request(tools: &[ToolDefinition], native_tools: NativeTools) -> ModelRequest {
        let call =
            |name: &str| ToolCall { id: name.to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
        let calls = vec![call("k8s.pods"), call("k8s.events"), call("k8s.pods")];
        let messages = vec![Arc::new(Message { tool_calls: calls, ..Message::assistant("") })];
        ModelRequest {
            stop_sequences: &[],
            messages,
            tools: tools.iter().cloned().map(Arc::new).collect(),
            native_tools,
            tags: Tags::default(),
        }
    }

    fn pods(schema: Value) -> ToolDefinition {
        ToolDefinition {
            name: "k8s.pods".to_owned(),
            description: "Lists pods.".to_owned(),
            input_schema: schema,
        }
    }

    #[test]
    fn bound_tools_are_described_and_the_last_one_is_marked_for_the_cache() {
        let unnamed = ToolDefinition {
            description: String::new(),
            ..pods(json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }))
        };
        let tools =
            Tools::new(&request(&[pods(json!({ "type": "object" })), unnamed], NativeTools::default()));
        assert_eq!(tools.choice, None);
        assert_eq!(
            tools.definitions,
            [
                json!({ "name": "k8s__pods", "description": "Lists pods.", "input_schema": { "type": "object" } }),
                json!({
                    "name": "k8s__pods",
                    "description": "The arguments must hold one of these sets: a; or b.",
                    "input_schema": { "type": "object" },
                    "cache_control": { "type": "ephemeral" },
                }),
            ]
        );
    }

    #[test]
    fn without_bound_tools_earlier_ones_are_defined_but_cannot_be_called() {
        let all = NativeTools { google_search: true, code_execution: true, url_context: true };
        let tools = Tools::new(&request(&[], all));
        assert_eq!(tools.choice, Some(ToolChoice::None));
        let names: Vec<_> = tools.definitions.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["k8s__pods", "k8s__events"]);
    }

    #[test]
    fn native_tools_are_added_to_bound_ones() {
        let all = NativeTools { google_search: true, code_execution: true, url_context: true };
        let tools = Tools::new(&request(&[pods(json!({}))], all));
        let names: Vec<_> = tools.definitions.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["k8s__pods", "web_search", "web_fetch"]);
        assert_eq!(tools.betas, [WEB_FETCH]);
    }
}
