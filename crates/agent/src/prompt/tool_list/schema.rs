//! Type names of parameters, such as `string or null` or `array of integer`.

use serde_json::Value;
use tarsy_domain::json_schema::SchemaView;

use crate::escape::short_line;

/// Maximum depth of alternatives within alternatives and arrays of arrays.
const MAX_NESTING: usize = 3;
const MAX_VARIANTS: usize = 8;
const MAX_LENGTH: usize = 80;

/// Returns the type of a schema as text; `any` if it is unknown.
pub(crate) fn type_name(schema: &SchemaView<'_>) -> String {
    short_line(&name_within(schema, MAX_NESTING), MAX_LENGTH)
}

fn name_within(schema: &SchemaView<'_>, nesting: usize) -> String {
    let Some(nesting) = nesting.checked_sub(1) else { return "any".to_owned() };
    let names = match schema.types() {
        Some(types) => types.into_iter().map(|name| with_elements(schema, name, nesting)).collect(),
        None => inferred(schema, nesting),
    };
    joined(names)
}

fn with_elements(schema: &SchemaView<'_>, name: &str, nesting: usize) -> String {
    match (name, schema.items()) {
        ("array", Some(items)) => format!("array of {}", name_within(&items, nesting)),
        _ => name.to_owned(),
    }
}

/// Returns the types of a schema without `type`.
fn inferred(schema: &SchemaView<'_>, nesting: usize) -> Vec<String> {
    let variants = [schema.alternatives(), schema.parts()].concat();
    if !variants.is_empty() {
        return variants.iter().take(MAX_VARIANTS).map(|variant| name_within(variant, nesting)).collect();
    }
    if schema.keyword("properties").is_some() {
        return vec!["object".to_owned()];
    }
    if schema.items().is_some() {
        return vec![with_elements(schema, "array", nesting)];
    }
    schema.choices().into_iter().take(MAX_VARIANTS).map(|value| type_of(value).to_owned()).collect()
}

/// Joins the names without duplicates, in order.
fn joined(names: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    if unique.is_empty() { "any".to_owned() } else { unique.join(" or ") }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
