//! Input schemas of tools as the API accepts them.
//!
//! It requires draft 2020-12 with a plain object as the root: no `$ref`, `anyOf`, `oneOf` or `allOf` there,
//! and property names of simple characters. Alternatives become one object with all their properties, and a
//! sentence in the description states which of them belong together. Schemas below the root keep their
//! meaning.

use serde_json::{Value, json};
use tarsy_domain::json_schema::{
    SchemaObject, allows_type, for_each_subschema, inline_reference, required_names,
};

/// A schema that the API accepts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AdaptedSchema {
    pub(super) schema: Value,
    /// What the schema can no longer express, for the tool's description.
    pub(super) note: Option<String>,
    /// What is lost, for the log.
    pub(super) losses: Vec<String>,
}

const MAX_NAME_LENGTH: usize = 64;
/// Maximum depth of `allOf` in `allOf`; ends cycles.
const MAX_DEPTH: usize = 16;

/// Converts a schema.
pub(super) fn adapt(schema: &Value) -> AdaptedSchema {
    let mut losses = Vec::new();
    let mut top = match schema {
        Value::Object(top) => inline_reference(schema, top),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            SchemaObject::new()
        }
    };
    merge_all(&mut top, schema, MAX_DEPTH);
    let note = merge_alternatives(&mut top, schema);
    drop_invalid_names(&mut top, &mut losses);
    force_object(&mut top, &mut losses);
    modernize(&mut top);
    AdaptedSchema { schema: Value::Object(top), note, losses }
}

fn branches(top: &mut SchemaObject, keyword: &str, document: &Value) -> Vec<SchemaObject> {
    let branches = top.remove(keyword).unwrap_or_default();
    let branches = branches.as_array().into_iter().flatten().filter_map(Value::as_object);
    branches.map(|branch| inline_reference(document, branch)).collect()
}

/// Merges `allOf`: the properties and required names of all parts.
fn merge_all(top: &mut SchemaObject, document: &Value, depth: usize) {
    let parts = branches(top, "allOf", document);
    let Some(depth) = depth.checked_sub(1) else { return };
    for mut branch in parts {
        merge_all(&mut branch, document, depth);
        add_properties(top, &branch, "allOf");
        let required = union(required_names(top), required_names(&branch));
        set_required(top, &required);
        for (key, value) in branch {
            top.entry(key).or_insert(value);
        }
    }
}

/// Merges `anyOf` and `oneOf`: every property is possible, and only names that all parts require are
/// required.
fn merge_alternatives(top: &mut SchemaObject, document: &Value) -> Option<String> {
    let mut notes = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        let mut parts = branches(top, keyword, document);
        parts.iter_mut().for_each(|part| merge_all(part, document, MAX_DEPTH));
        let Some(shared) =
            parts.iter().map(required_names).reduce(|names, others| intersection(names, &others))
        else {
            continue;
        };
        parts.iter().for_each(|part| add_properties(top, part, "anyOf"));
        let required = union(required_names(top), shared);
        set_required(top, &required);
        notes.extend(describe(&parts));
    }
    (!notes.is_empty()).then(|| notes.join("\n"))
}

fn describe(parts: &[SchemaObject]) -> Option<String> {
    let sets: Vec<String> = parts
        .iter()
        .map(required_names)
        .filter(|names| !names.is_empty())
        .map(|names| names.join(", "))
        .collect();
    let differ = sets.windows(2).any(|pair| pair[0] != pair[1]) || sets.len() < parts.len();
    (differ && !sets.is_empty())
        .then(|| format!("The arguments must hold one of these sets: {}.", sets.join("; or ")))
}

/// Adds properties; a property that exists in both is described by both.
fn add_properties(top: &mut SchemaObject, part: &SchemaObject, both: &str) {
    let Some(additions) = part.get("properties").and_then(Value::as_object) else { return };
    let properties = top.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    for (name, schema) in additions {
        match properties.get_mut(name) {
            None => {
                properties.insert(name.clone(), schema.clone());
            }
            Some(known) if known == schema => {}
            Some(known) => *known = combined(known, schema, both),
        }
    }
}

fn combined(known: &Value, schema: &Value, both: &str) -> Value {
    let mut parts: Vec<Value> =
        match known.as_object().filter(|known| known.len() == 1).and_then(|known| known.get(both)) {
            Some(Value::Array(parts)) => parts.clone(),
            Some(_) | None => vec![known.clone()],
        };
    if !parts.contains(schema) {
        parts.push(schema.clone());
    }
    json!({ both: parts })
}

fn set_required(schema: &mut SchemaObject, names: &[String]) {
    if names.is_empty() {
        schema.remove("required");
    } else {
        schema.insert("required".to_owned(), json!(names));
    }
}

fn union(mut names: Vec<String>, more: Vec<String>) -> Vec<String> {
    let new: Vec<String> = more.into_iter().filter(|name| !names.contains(name)).collect();
    names.extend(new);
    names
}

fn intersection(names: Vec<String>, others: &[String]) -> Vec<String> {
    names.into_iter().filter(|name| others.contains(name)).collect()
}

/// Removes properties with a name that the API does not accept: it would reject the whole request.
fn drop_invalid_names(top: &mut SchemaObject, losses: &mut Vec<String>) {
    let accepted = |name: &str| {
        let simple =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
        !name.is_empty() && name.len() <= MAX_NAME_LENGTH && name.chars().all(simple)
    };
    if let Some(properties) = top.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| {
            let keep = accepted(name);
            if !keep {
                losses.push(format!("the property {name:?} is not offered: its name is not accepted"));
            }
            keep
        });
    }
    let required: Vec<String> = required_names(top).into_iter().filter(|name| accepted(name)).collect();
    set_required(top, &required);
}

fn force_object(top: &mut SchemaObject, losses: &mut Vec<String>) {
    if allows_type(top, "object") == Some(false) {
        losses.push("the arguments are no object; any object is offered instead".to_owned());
        top.clear();
    }
    if !top.get("properties").is_none_or(Value::is_object) {
        top.remove("properties");
    }
    top.remove("type");
    top.shift_insert(0, "type".to_owned(), json!("object"));
}

/// Converts keywords of older drafts to draft 2020-12.
fn modernize(object: &mut SchemaObject) {
    object.remove("$schema");
    if object.get("required").is_some_and(|required| !required.is_array()) {
        object.remove("required");
    }
    for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(flag) = object.get(exclusive).and_then(Value::as_bool) else { continue };
        object.remove(exclusive);
        if let (true, Some(limit)) = (flag, object.get(limit).cloned()) {
            object.insert(exclusive.to_owned(), limit);
        }
    }
    if object.get("items").is_some_and(Value::is_array) {
        let items = object.remove("items").unwrap_or_default();
        object.insert("prefixItems".to_owned(), items);
        if let Some(rest) = object.remove("additionalItems") {
            object.insert("items".to_owned(), rest);
        }
    }
    for_each_subschema(object, &mut modernize);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(schema: &Value) -> Value {
        adapt(schema).schema
    }

    #[test]
    fn a_plain_object_is_unchanged() {
        let schema = json!({
            "type": "object",
            "properties": { "namespace": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
            "required": ["namespace"],
            "additionalProperties": false,
        });
        assert_eq!(adapt(&schema), AdaptedSchema { schema: schema.clone(), note: None, losses: Vec::new() });
    }

    #[test]
    fn anything_else_becomes_an_object_schema() {
        for schema in &[
            Value::Null,
            json!({}),
            json!(true),
            json!({ "type": "object", "properties": null }),
            json!({ "type": "string" }),
        ] {
            assert_eq!(adapted(schema), json!({ "type": "object" }));
        }
        let nullable = json!({ "type": ["object", "null"], "properties": { "a": {} } });
        assert_eq!(adapted(&nullable), json!({ "type": "object", "properties": { "a": {} } }));
    }

    #[test]
    fn alternatives_become_one_object_and_a_sentence() {
        let schema = json!({
            "properties": { "verbose": { "type": "boolean" } },
            "oneOf": [
                { "properties": { "pod": { "type": "string" }, "at": { "type": "string" } }, "required": ["at", "pod"] },
                { "$ref": "#/$defs/node" },
            ],
            "$defs": { "node": { "properties": { "node": { "type": "string" }, "at": { "type": "integer" } }, "required": ["at", "node"] } },
        });
        let adapted = adapt(&schema);
        assert_eq!(
            adapted.note.as_deref(),
            Some("The arguments must hold one of these sets: at, pod; or at, node.")
        );
        assert_eq!(
            adapted.schema,
            json!({
                "type": "object",
                "properties": {
                    "verbose": { "type": "boolean" },
                    "pod": { "type": "string" },
                    "at": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                    "node": { "type": "string" },
                },
                "$defs": schema["$defs"],
                "required": ["at"],
            })
        );
    }

    #[test]
    fn parts_of_all_of_are_merged() {
        let schema = json!({
            "allOf": [
                { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
                { "properties": { "b": { "type": "string" } }, "required": ["b"], "additionalProperties": false },
            ],
        });
        let expected = json!({
            "type": "object",
            "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "required": ["a", "b"],
            "additionalProperties": false,
        });
        assert_eq!(adapted(&schema), expected);
    }

    #[test]
    fn a_reference_in_the_root_is_followed_and_a_cycle_ends() {
        let schema = json!({
            "$ref": "#/definitions/arguments",
            "definitions": { "arguments": { "type": "object", "properties": { "a": { "type": "string" } } } },
        });
        assert_eq!(adapted(&schema)["properties"], json!({ "a": { "type": "string" } }));
        let circle = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } });
        assert_eq!(adapted(&circle)["type"], "object");
        let endless = json!({ "type": "object", "allOf": [{ "$ref": "#" }] });
        assert_eq!(adapted(&endless), json!({ "type": "object" }));
    }

    #[test]
    fn older_drafts_are_converted() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "minimum": 0, "exclusiveMinimum": true, "exclusiveMaximum": false },
                "pair": { "type": "array", "items": [{ "type": "string" }, { "type": "integer" }], "additionalItems": false },
                "required": { "type": "string", "required": true, "default": { "$schema": "kept" } },
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "minimum": 0, "exclusiveMinimum": 0 },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false },
                "required": { "type": "string", "default": { "$schema": "kept" } },
            },
        });
        assert_eq!(adapted(&schema), expected);
    }

    #[test]
    fn invalid_property_names_are_dropped_and_reported() {
        let schema = json!({ "type": "object", "properties": { "$filter": {}, "a.b-c": {} }, "required": ["$filter", "a.b-c"] });
        let adapted = adapt(&schema);
        assert_eq!(
            adapted.schema,
            json!({ "type": "object", "properties": { "a.b-c": {} }, "required": ["a.b-c"] })
        );
        assert_eq!(adapted.losses.len(), 1);
    }
}
