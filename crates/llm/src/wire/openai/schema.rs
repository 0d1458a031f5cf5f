//! Input schemas of tools as OpenAI and compatible servers accept them.
//!
//! A schema keeps its meaning: invalid nulls are removed, and keywords that the API requires are added.
//! Schemas are not made strict, because that would make optional arguments required.

use serde_json::{Map, Value, json};
use tarsy_domain::json_schema::{allows_type, for_each_subschema};
use tracing::warn;

/// Keywords that must not be null; some tool servers write null for a missing one.
const NEVER_NULL: &[&str] =
    &["additionalProperties", "description", "enum", "items", "properties", "required"];
/// Keywords that OpenAI rejects in the root schema.
const REJECTED_AT_ROOT: &[&str] = &["allOf", "anyOf", "const", "enum", "not", "oneOf"];

/// Returns the schema of a tool's arguments, always an object with properties.
pub(crate) fn parameters(schema: &Value) -> Map<String, Value> {
    let mut top = schema.as_object().cloned().unwrap_or_default();
    top.shift_remove("$schema");
    tidy(&mut top);
    top.entry("type").or_insert_with(|| json!("object"));
    top.entry("properties").or_insert_with(|| json!({}));
    top
}

/// Removes keywords that OpenAI rejects in the root schema. The arguments of all alternatives become
/// optional; which of them belong together is checked by the tool.
pub(crate) fn flatten_top(mut top: Map<String, Value>, tool: &str) -> Map<String, Value> {
    let rejected: Vec<_> =
        REJECTED_AT_ROOT.iter().filter_map(|key| top.shift_remove(*key).map(|value| (*key, value))).collect();
    for (keyword, value) in &rejected {
        warn!(
            tool.name = tool,
            schema.keyword = keyword,
            "removed a keyword from a tool schema: OpenAI rejects it in the root schema"
        );
        for branch in value.as_array().into_iter().flatten() {
            merge_branch(&mut top, branch, *keyword == "allOf");
        }
    }
    top
}

/// Adds the arguments of a branch, and its required names if `required` is set.
fn merge_branch(top: &mut Map<String, Value>, branch: &Value, required: bool) {
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
    let is_array = allows_type(schema, "array") == Some(true) && !schema.contains_key("prefixItems");
    if is_array {
        // OpenAI rejects an array without `items`.
        schema.entry("items").or_insert_with(|| json!({}));
    }
    for_each_subschema(schema, &mut tidy);
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
    fn alternatives_in_the_root_schema_become_optional_arguments() {
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
