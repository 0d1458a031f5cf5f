//! JSON Schemas of tools as OpenAI and its likes accept them.
//!
//! A schema keeps its meaning. What is only noise goes, and what must be written is written. It is not made strict:
//! that would make optional arguments required.

use serde_json::{Map, Value, json};
use tracing::warn;

/// Keywords that must not be null; some servers write their absence so.
const NEVER_NULL: &[&str] =
    &["additionalProperties", "description", "enum", "items", "properties", "required"];
/// Keywords under which one schema sits.
const ONE: &[&str] = &["additionalProperties", "items", "not"];
/// Keywords under which a list of schemas sits.
const LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords under which schemas sit by name.
const NAMED: &[&str] = &["$defs", "definitions", "patternProperties", "properties"];
/// What OpenAI forbids at the top.
const FORBIDDEN_AT_TOP: &[&str] = &["allOf", "anyOf", "const", "enum", "not", "oneOf"];

/// The schema of a tool's arguments: always an object with properties.
pub(crate) fn parameters(schema: &Value) -> Map<String, Value> {
    let mut top = schema.as_object().cloned().unwrap_or_default();
    top.shift_remove("$schema");
    tidy(&mut top);
    top.entry("type").or_insert_with(|| json!("object"));
    top.entry("properties").or_insert_with(|| json!({}));
    top
}

/// The same without what OpenAI forbids at the top. The arguments of all alternatives become possible; which of
/// them go together is left to the tool to say.
pub(crate) fn flatten_top(mut top: Map<String, Value>, tool: &str) -> Map<String, Value> {
    let forbidden: Vec<_> =
        FORBIDDEN_AT_TOP.iter().filter_map(|key| top.shift_remove(*key).map(|value| (*key, value))).collect();
    for (keyword, value) in &forbidden {
        warn!(
            tool.name = tool,
            schema.keyword = keyword,
            "left out of a tool's schema: OpenAI takes no such rule at the top"
        );
        for branch in value.as_array().into_iter().flatten() {
            take_in(&mut top, branch, *keyword == "allOf");
        }
    }
    top
}

/// Adds the arguments of an alternative; what all alternatives of `allOf` require is required.
fn take_in(top: &mut Map<String, Value>, branch: &Value, required: bool) {
    let properties = branch.get("properties").and_then(Value::as_object);
    if let Some(known) = top.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, schema) in properties.into_iter().flatten() {
            known.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    let Some(names) = branch.get("required").and_then(Value::as_array).filter(|_| required) else { return };
    if let Some(known) = top.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        for name in names {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
    }
}

fn tidy(schema: &mut Map<String, Value>) {
    schema.retain(|key, value| !(value.is_null() && NEVER_NULL.contains(&key.as_str())));
    if is_array(schema) {
        // OpenAI refuses a list of anything unless it says so.
        schema.entry("items").or_insert_with(|| json!({}));
    }
    for (key, value) in schema.iter_mut() {
        match key.as_str() {
            key if ONE.contains(&key) => tidy_value(value),
            key if LIST.contains(&key) => value.as_array_mut().into_iter().flatten().for_each(tidy_value),
            key if NAMED.contains(&key) => {
                value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(tidy_value);
            }
            _ => {}
        }
    }
}

fn tidy_value(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        tidy(schema);
    }
}

fn is_array(schema: &Map<String, Value>) -> bool {
    if schema.contains_key("prefixItems") {
        return false;
    }
    let is = |value: &Value| value.as_str() == Some("array");
    schema
        .get("type")
        .is_some_and(|kind| is(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_keep_their_meaning() {
        let cases = [
            (json!(null), json!({"type": "object", "properties": {}})),
            (json!({"type": "object"}), json!({"type": "object", "properties": {}})),
            (
                json!({"$schema": "x", "type": "object", "properties": null, "required": null}),
                json!({"type": "object", "properties": {}}),
            ),
            (
                json!({"type": "object", "properties": {"names": {"type": "array"}, "deep": {"anyOf": [
                    {"type": ["array", "null"]}, {"type": "string", "enum": null, "default": null}]}}}),
                json!({"type": "object", "properties": {"names": {"type": "array", "items": {}}, "deep": {"anyOf": [
                    {"type": ["array", "null"], "items": {}}, {"type": "string", "default": null}]}}}),
            ),
            (
                json!({"type": "object", "properties": {"required": {"type": "boolean", "description": null}}}),
                json!({"type": "object", "properties": {"required": {"type": "boolean"}}}),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(Value::Object(parameters(&schema)), expected, "{schema}");
        }
    }

    #[test]
    fn alternatives_at_the_top_become_arguments() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "string"}},
            "oneOf": [{"required": ["id"]}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}],
            "allOf": [{"properties": {"zone": {"type": "string"}}, "required": ["zone"]}]});
        assert_eq!(
            Value::Object(flatten_top(parameters(&schema), "a.b")),
            json!({"type": "object",
                "properties": {"id": {"type": "string"}, "zone": {"type": "string"}, "name": {"type": "string"}},
                "required": ["zone"]})
        );
    }
}
