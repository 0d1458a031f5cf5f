//! Tools as a prompt lists them: each with its parameters, read from the JSON Schema of its arguments.
//!
//! Schemas come from servers and may be odd, endless or hostile. Everything is bounded: a schema that cannot be
//! understood becomes `any`, one that goes on becomes shorter, and tools that are too many are only named. Nothing is
//! validated here.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tarsy_domain::ToolDefinition;

use crate::escape::short_line;
use schema::Schema;

mod schema;

/// The tools as a template sees them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolList {
    /// Those that are described.
    pub(crate) described: Vec<ListedTool>,
    /// Those that would be too many.
    pub(crate) more: Option<MoreTools>,
}

/// Tools that are not described, because too many others are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MoreTools {
    pub(crate) count: usize,
    /// Their names, as many as there is room for.
    pub(crate) names: Vec<String>,
}

/// A tool as a template sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The parameters, each followed by those inside it.
    pub(crate) parameters: Vec<Parameter>,
    /// How many parameters at the top are left out.
    pub(crate) left_out: usize,
}

/// A parameter, or a field of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// How deep it stands inside other parameters, from 0.
    pub(crate) depth: usize,
    /// For example `string`, `integer or null`, `array of object`.
    pub(crate) r#type: String,
    pub(crate) required: bool,
    /// The default value as JSON.
    pub(crate) default: Option<String>,
    /// The allowed values as JSON, if only some are.
    pub(crate) choices: Vec<String>,
    pub(crate) description: String,
}

const MAX_DESCRIPTION: usize = 1_000;
const MAX_NAME: usize = 100;
const MAX_VALUE: usize = 80;
const MAX_CHOICES: usize = 20;
const MAX_PARAMETERS: usize = 60;
const MAX_DEPTH: usize = 3;
/// How many fields one parameter at the top may have in all.
const MAX_FIELDS: usize = 40;
/// Once this many parameters are listed, further tools are listed without the fields of theirs.
const MANY: usize = 2_000;

/// How many tools are described, and how many parameters they may have in all before the next one is only named.
const MAX_TOOLS: usize = 400;
const MAX_TOTAL: usize = 6_000;
/// How many of the others are named.
const MAX_NAMES: usize = 400;

/// The tools as a template sees them.
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
    let root = Schema::root(&tool.input_schema).object();
    let properties = root.properties();
    let shown = properties.iter().take(MAX_PARAMETERS);
    ListedTool {
        name: short_line(&tool.name, MAX_NAME),
        description: short_line(&tool.description, MAX_DESCRIPTION),
        parameters: shown.flat_map(|(name, schema)| with_fields(&root, name, schema, max_depth)).collect(),
        left_out: properties.len().saturating_sub(MAX_PARAMETERS),
    }
}

/// A parameter at the top, followed by its fields.
fn with_fields(root: &Schema<'_>, name: &str, schema: &Schema<'_>, max_depth: usize) -> Vec<Parameter> {
    let mut parameters = vec![parameter(root, name, schema, 0)];
    add_fields(schema, 1, max_depth, &mut parameters);
    parameters
}

fn add_fields(schema: &Schema<'_>, depth: usize, max_depth: usize, parameters: &mut Vec<Parameter>) {
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

fn parameter(owner: &Schema<'_>, name: &str, schema: &Schema<'_>, depth: usize) -> Parameter {
    Parameter {
        name: short_line(name, MAX_NAME),
        depth,
        r#type: schema.type_name(),
        required: owner.requires(name),
        default: schema.keyword("default").map(value_text),
        choices: choices(schema),
        description: short_line(schema.description(), MAX_DESCRIPTION),
    }
}

fn choices(schema: &Schema<'_>) -> Vec<String> {
    let choices = schema.choices();
    let mut shown: Vec<String> = choices.iter().take(MAX_CHOICES).map(|value| value_text(value)).collect();
    if choices.len() > MAX_CHOICES {
        shown.push(format!("… {} more", choices.len() - MAX_CHOICES));
    }
    shown
}

/// A value as JSON, not written any further than it is shown.
fn value_text(value: &Value) -> String {
    const ROOM: usize = MAX_VALUE * 8;
    let mut room = [0; ROOM];
    let mut rest = room.as_mut_slice();
    // A value that is too long for the room is cut, which is what is wanted.
    let _ = serde_json::to_writer(&mut rest, value);
    let written = ROOM - rest.len();
    short_line(&String::from_utf8_lossy(&room[..written]), MAX_VALUE)
}

#[cfg(test)]
mod tests;
