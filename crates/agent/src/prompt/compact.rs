//! Short forms of tool definitions, for models with a small context window.
//!
//! ReAct lists a tool as one line, `name - what it does Input: {"parameter": type, "optional"?: type}`. The
//! name and the input are apart, because small models copy what follows the name to the line of the action.
//! Function calling sends a definition with a shortened schema: its descriptions are one sentence each, and examples,
//! defaults, titles and references are dropped. A definition has at most [`MAX_DEFINITION_BYTES`], about 340
//! tokens; beyond that first the descriptions of parameters are dropped, then optional parameters. The server
//! still validates arguments with its own schema.

use serde_json::{Map, Value, json};
use tarsy_domain::ToolDefinition;
use tarsy_domain::json_schema::SchemaView;

use super::tool_list::Parameter;
use crate::escape::short_line;

/// Maximum size of a definition as JSON. Only required parameters can exceed it.
const MAX_DEFINITION_BYTES: usize = 1_200;
const MAX_DESCRIPTION: usize = 120;
const MAX_PARAMETER_DESCRIPTION: usize = 50;
const MAX_PARAMETERS: usize = 60;
const MAX_CHOICES: usize = 20;
const MAX_ALTERNATIVES: usize = 4;
/// Maximum length of the parameters in a signature. Required parameters are always listed.
const MAX_SIGNATURE: usize = 240;
const MAX_SHOWN_CHOICES: usize = 60;

/// How much of a schema is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaDetail {
    /// All parameters with one sentence each, and their fields.
    Described,
    /// All parameters with their types.
    Typed,
    /// Required parameters with their types.
    Required,
}

/// Returns a definition with a shortened description and schema.
pub(crate) fn compact_definition(tool: &ToolDefinition) -> ToolDefinition {
    let shortened = |detail| ToolDefinition {
        name: tool.name.clone(),
        description: first_sentence(&tool.description, MAX_DESCRIPTION),
        input_schema: root_schema(&tool.input_schema, detail),
    };
    let fits = |tool: &ToolDefinition| size(tool) <= MAX_DEFINITION_BYTES;
    let described = [SchemaDetail::Described, SchemaDetail::Typed].into_iter().map(shortened).find(fits);
    described.unwrap_or_else(|| shortened(SchemaDetail::Required))
}

/// Returns a tool as one line. `parameters` are its parameters with their fields, which are not listed.
pub(crate) fn signature(tool: &ToolDefinition, parameters: &[Parameter]) -> String {
    let top = || parameters.iter().filter(|parameter| parameter.depth == 0);
    let ordered = top().filter(|one| one.required).chain(top().filter(|one| !one.required));
    let mut list = String::new();
    for parameter in ordered {
        let shown = signature_parameter(parameter);
        if !parameter.required && list.len() + shown.len() > MAX_SIGNATURE {
            list.push_str(", …");
            break;
        }
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&shown);
    }
    let sentence = first_sentence(&tool.description, MAX_DESCRIPTION);
    let purpose = if sentence.is_empty() { sentence } else { format!("{sentence} ") };
    format!("{} - {purpose}Input: {{{list}}}", short_line(&tool.name, MAX_DESCRIPTION))
}

fn signature_parameter(parameter: &Parameter) -> String {
    let choices = parameter.choices.join("|");
    let is_short = !choices.is_empty() && choices.len() <= MAX_SHOWN_CHOICES;
    let kind = if is_short { &choices } else { &parameter.r#type };
    if parameter.required {
        return format!("\"{}\": {kind}", parameter.name);
    }
    format!("\"{}\"?: {}", parameter.name, kind.strip_suffix(" or null").unwrap_or(kind))
}

fn size(tool: &ToolDefinition) -> usize {
    tool.name.len() + tool.description.len() + tool.input_schema.to_string().len()
}

fn root_schema(schema: &Value, detail: SchemaDetail) -> Value {
    let root = SchemaView::new(schema).object();
    let mut shortened = object_schema(&root, detail, 1);
    if root.keyword("additionalProperties") == Some(&Value::Bool(false)) && detail != SchemaDetail::Required {
        shortened.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(shortened)
}

/// Returns an object schema; `depth` is the number of levels of fields below its own properties.
fn object_schema(owner: &SchemaView<'_>, detail: SchemaDetail, depth: usize) -> Map<String, Value> {
    let properties = owner.properties();
    let kept = properties.iter().take(MAX_PARAMETERS);
    let kept = kept.filter(|(name, _)| detail != SchemaDetail::Required || owner.requires(name));
    let kept: Vec<_> = kept.collect();
    let required: Vec<&str> =
        kept.iter().map(|(name, _)| *name).filter(|name| owner.requires(name)).collect();
    let fields = kept.iter().map(|(name, field)| ((*name).to_owned(), value_schema(field, detail, depth)));
    let mut schema = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(fields.collect())),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn value_schema(schema: &SchemaView<'_>, detail: SchemaDetail, depth: usize) -> Value {
    let mut shortened = typed_schema(schema, detail, depth);
    let description = first_sentence(schema.description(), MAX_PARAMETER_DESCRIPTION);
    if detail == SchemaDetail::Described && !description.is_empty() {
        shortened.insert("description".to_owned(), json!(description));
    }
    Value::Object(shortened)
}

/// Returns the schema of a value without its description.
fn typed_schema(schema: &SchemaView<'_>, detail: SchemaDetail, depth: usize) -> Map<String, Value> {
    let mut shortened = Map::new();
    let types = schema.types();
    if let Some(types) = &types {
        shortened.insert("type".to_owned(), if let [one] = types[..] { json!(one) } else { json!(types) });
    } else if depth > 0 && !schema.alternatives().is_empty() {
        let alternatives = schema.alternatives();
        let kept = alternatives.iter().take(MAX_ALTERNATIVES);
        let kept: Vec<Value> = kept.map(|one| Value::Object(typed_schema(one, detail, depth - 1))).collect();
        shortened.insert("anyOf".to_owned(), json!(kept));
        return shortened;
    }
    for name in ["enum", "const", "minimum", "maximum"] {
        let value = schema.keyword(name);
        let is_short = |value: &&Value| value.as_array().is_none_or(|values| values.len() <= MAX_CHOICES);
        if let Some(value) = value.filter(is_short) {
            shortened.insert(name.to_owned(), value.clone());
        }
    }
    let has = |name: &str| types.as_ref().is_none_or(|types| types.contains(&name));
    if depth > 0 && detail == SchemaDetail::Described && has("object") && !schema.properties().is_empty() {
        let fields = object_schema(schema, detail, depth - 1);
        shortened.extend(fields.into_iter().filter(|(name, _)| name != "type" || types.is_none()));
    }
    if depth > 0
        && has("array")
        && let Some(items) = schema.items()
    {
        shortened.insert("items".to_owned(), Value::Object(typed_schema(&items, detail, depth - 1)));
    }
    shortened
}

/// Returns the first sentence on one line, truncated to `limit` characters.
fn first_sentence(text: &str, limit: usize) -> String {
    const ABBREVIATIONS: [&str; 4] = ["e.g.", "i.e.", "etc.", "vs."];
    let text = text.trim_start();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let ends = paragraph.match_indices(['.', '!', '?']).map(|(index, _)| index + 1);
    let is_end = |end: &usize| {
        let (sentence, rest) = paragraph.split_at(*end);
        let is_last = rest.is_empty() || rest.starts_with(char::is_whitespace);
        is_last && !ABBREVIATIONS.iter().any(|abbreviation| sentence.ends_with(abbreviation))
    };
    let end = ends.take_while(|end| *end <= limit * 4).find(is_end).unwrap_or(paragraph.len());
    short_line(&paragraph[..end], limit)
}

#[cfg(test)]
mod tests;
