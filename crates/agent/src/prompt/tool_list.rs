//! The list of tools in a prompt: each tool with its parameters from the JSON Schema of its arguments.
//!
//! Schemas come from servers and are untrusted. Everything is bounded: an unreadable schema becomes `any`, a
//! deep or large one is truncated, and tools beyond a limit are only listed by name. Nothing is validated
//! here.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tarsy_domain::ToolDefinition;
use tarsy_domain::json_schema::SchemaView;

use super::compact::signature;
use crate::escape::short_line;
use schema::type_name;

mod schema;

/// The tools for a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolList {
    /// Tools with a description.
    pub(crate) described: Vec<ListedTool>,
    /// Tools beyond the limit.
    pub(crate) more: Option<MoreTools>,
}

/// Tools beyond the limit, without a description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MoreTools {
    pub(crate) count: usize,
    /// Their names, up to a limit.
    pub(crate) names: Vec<String>,
}

/// A tool for a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The tool on one line, for the compact profile.
    pub(crate) signature: String,
    /// The parameters, each followed by its fields.
    pub(crate) parameters: Vec<Parameter>,
    /// Number of top-level parameters that are omitted.
    pub(crate) left_out: usize,
}

/// A parameter, or a field of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// Nesting depth, starting at 0.
    pub(crate) depth: usize,
    /// Type, such as `string`, `integer or null` or `array of object`.
    pub(crate) r#type: String,
    pub(crate) required: bool,
    /// Default value as JSON.
    pub(crate) default: Option<String>,
    /// Allowed values as JSON; empty if not restricted.
    pub(crate) choices: Vec<String>,
    pub(crate) description: String,
}

const MAX_DESCRIPTION: usize = 1_000;
const MAX_NAME: usize = 100;
const MAX_VALUE: usize = 80;
const MAX_CHOICES: usize = 20;
const MAX_PARAMETERS: usize = 60;
const MAX_DEPTH: usize = 3;
/// Maximum number of fields of one top-level parameter.
const MAX_FIELDS: usize = 40;
/// Number of listed parameters after which further tools are listed without fields.
const MANY: usize = 2_000;

/// Maximum number of tools with a description, and the number of listed parameters after which further tools
/// get no description.
const MAX_TOOLS: usize = 400;
const MAX_TOTAL: usize = 6_000;
/// Maximum number of further tools that are listed by name.
const MAX_NAMES: usize = 400;

/// Returns the tools for a template.
pub(crate) fn list_tools(tools: &[Arc<ToolDefinition>]) -> ToolList {
    let mut described = Vec::new();
    let mut listed = 0;
    for tool in tools.iter().take(MAX_TOOLS) {
        if listed >= MAX_TOTAL {
            break;
        }
        let tool = list_tool(tool, if listed < MANY { MAX_DEPTH } else { 0 });
        listed += tool.parameters.len();
        described.push(tool);
    }
    let rest = &tools[described.len()..];
    let names = rest.iter().take(MAX_NAMES).map(|tool| short_line(&tool.name, MAX_NAME)).collect();
    let more = (!rest.is_empty()).then_some(MoreTools { count: rest.len(), names });
    ToolList { described, more }
}

fn list_tool(tool: &ToolDefinition, max_depth: usize) -> ListedTool {
    let root = SchemaView::new(&tool.input_schema).object();
    let properties = root.properties();
    let shown = properties.iter().take(MAX_PARAMETERS);
    let parameters: Vec<Parameter> =
        shown.flat_map(|(name, schema)| with_fields(&root, name, schema, max_depth)).collect();
    ListedTool {
        name: short_line(&tool.name, MAX_NAME),
        description: short_line(&tool.description, MAX_DESCRIPTION),
        signature: signature(tool, &parameters),
        parameters,
        left_out: properties.len().saturating_sub(MAX_PARAMETERS),
    }
}

/// Returns a top-level parameter, followed by its fields.
fn with_fields(
    root: &SchemaView<'_>,
    name: &str,
    schema: &SchemaView<'_>,
    max_depth: usize,
) -> Vec<Parameter> {
    let mut parameters = vec![parameter(root, name, schema, 0)];
    add_fields(schema, 1, max_depth, &mut parameters);
    parameters
}

fn add_fields(schema: &SchemaView<'_>, depth: usize, max_depth: usize, parameters: &mut Vec<Parameter>) {
    if depth > max_depth {
        return;
    }
    let owner = schema.object();
    for (name, field) in owner.properties() {
        if parameters.len() > MAX_FIELDS {
            return;
        }
        parameters.push(parameter(&owner, name, &field, depth));
        add_fields(&field, depth + 1, max_depth, parameters);
    }
}

fn parameter(owner: &SchemaView<'_>, name: &str, schema: &SchemaView<'_>, depth: usize) -> Parameter {
    Parameter {
        name: short_line(name, MAX_NAME),
        depth,
        r#type: type_name(schema),
        required: owner.requires(name),
        default: schema.keyword("default").map(value_text),
        choices: choices(schema),
        description: short_line(schema.description(), MAX_DESCRIPTION),
    }
}

fn choices(schema: &SchemaView<'_>) -> Vec<String> {
    let choices = schema.choices();
    let mut shown: Vec<String> = choices.iter().take(MAX_CHOICES).map(|value| value_text(value)).collect();
    if choices.len() > MAX_CHOICES {
        shown.push(format!("… {} more", choices.len() - MAX_CHOICES));
    }
    shown
}

/// Returns a value as JSON. Serialization stops at the maximum length that is shown.
fn value_text(value: &Value) -> String {
    const CAPACITY: usize = MAX_VALUE * 8;
    let mut buffer = [0; CAPACITY];
    let mut rest = buffer.as_mut_slice();
    // Writing fails when the buffer is full, which truncates the value as intended.
    let _ = serde_json::to_writer(&mut rest, value);
    let written = CAPACITY - rest.len();
    short_line(&String::from_utf8_lossy(&buffer[..written]), MAX_VALUE)
}

#[cfg(test)]
mod tests;
