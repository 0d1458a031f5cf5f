//! The tools of a request.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_domain::ToolDefinition;

use crate::names::wire_name;
use crate::wire::openai::{flatten_top, parameters};

/// A function tool.
#[derive(Debug, Serialize)]
pub(super) struct ResponsesTool<'a> {
    r#type: &'static str,
    name: String,
    description: &'a str,
    parameters: Map<String, Value>,
    /// Sent although it is false: without it the vendor rewrites the schema.
    strict: bool,
}

impl<'a> From<&'a ToolDefinition> for ResponsesTool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        Self {
            r#type: "function",
            name: wire_name(&tool.name),
            description: &tool.description,
            parameters: flatten_top(parameters(&tool.input_schema), &tool.name),
            strict: false,
        }
    }
}
