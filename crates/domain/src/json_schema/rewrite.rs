//! Helpers for code that rewrites schemas.

use serde_json::Value;

use super::{SchemaObject, referenced_schema};

/// Maximum number of references that are followed from one schema; ends cycles.
const MAX_REFERENCES: usize = 16;
/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value maps names to schemas.
const NAMED_SCHEMAS: &[&str] =
    &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Calls `visit` for every schema that is a direct part of `schema`.
pub fn for_each_subschema(schema: &mut SchemaObject, visit: &mut dyn FnMut(&mut SchemaObject)) {
    for (keyword, value) in schema.iter_mut() {
        if NAMED_SCHEMAS.contains(&keyword.as_str()) {
            let named = value.as_object_mut().into_iter().flat_map(SchemaObject::values_mut);
            named.filter_map(Value::as_object_mut).for_each(&mut *visit);
        } else if SCHEMAS.contains(&keyword.as_str()) {
            match value {
                Value::Object(schema) => visit(schema),
                Value::Array(schemas) => {
                    schemas.iter_mut().filter_map(Value::as_object_mut).for_each(&mut *visit);
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }
}

/// Returns `schema` with its `$ref` replaced by the keywords of the referenced schema. Keywords next to
/// `$ref` take precedence. A reference that cannot be resolved is removed.
pub fn inline_reference(document: &Value, schema: &SchemaObject) -> SchemaObject {
    let mut schema = schema.clone();
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        let target = referenced_schema(document, reference).and_then(Value::as_object).cloned();
        let Some(target) = target else { break };
        schema.remove("$ref");
        for (keyword, value) in target {
            schema.entry(keyword).or_insert(value);
        }
    }
    schema.remove("$ref");
    schema
}

/// Returns the names in `required`.
pub fn required_names(schema: &SchemaObject) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns whether `type` is `name` or a list that contains it; `None` if there is no `type`.
pub fn allows_type(schema: &SchemaObject, name: &str) -> Option<bool> {
    Some(match schema.get("type")? {
        Value::String(declared) => declared == name,
        Value::Array(declared) => declared.iter().any(|declared| declared == name),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn visits_schemas_but_not_values() {
        let mut schema = json!({
            "properties": { "a": { "type": "array", "items": [{ "title": "one" }, true] }, "default": { "title": "two" } },
            "default": { "title": "value" },
            "anyOf": [{ "title": "three" }],
            "additionalProperties": { "title": "four" },
        });
        let mut titles = Vec::new();
        collect(schema.as_object_mut().unwrap(), &mut titles);
        assert_eq!(titles, ["one", "two", "three", "four"]);
    }

    fn collect(schema: &mut SchemaObject, titles: &mut Vec<String>) {
        titles.extend(schema.get("title").and_then(Value::as_str).map(str::to_owned));
        for_each_subschema(schema, &mut |schema| collect(schema, titles));
    }

    #[test]
    fn a_reference_is_inlined_and_a_cycle_ends() {
        let document = json!({ "$defs": {
            "a": { "$ref": "#/$defs/b", "title": "a" },
            "b": { "type": "string", "title": "b" },
            "loop": { "$ref": "#/$defs/loop", "type": "object" },
        } });
        let inlined = |reference: &str| {
            let schema = json!({ "$ref": reference });
            Value::Object(inline_reference(&document, schema.as_object().unwrap()))
        };
        assert_eq!(inlined("#/$defs/a"), json!({ "title": "a", "type": "string" }));
        assert_eq!(inlined("#/$defs/loop"), json!({ "type": "object" }));
        assert_eq!(inlined("https://elsewhere.example/schema"), json!({}));
    }
}
