//! JSON Schemas of arguments, as the vendor accepts them.
//!
//! It wants draft 2020-12 with a plain object at the top: no `$ref`, `anyOf`, `oneOf` or `allOf` there, and only
//! simple names of properties. Alternatives become one object with all their properties, and a sentence that says
//! what belongs together. What is below the top keeps its meaning.

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// A schema that is accepted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Adapted {
    pub(super) schema: Value,
    /// What the schema can no longer say, for the tool's description.
    pub(super) note: Option<String>,
    /// What is lost, for the log.
    pub(super) losses: Vec<String>,
}

const LONGEST_NAME: usize = 64;
/// References that lead in a circle are given up after so many steps.
const MOST_STEPS: usize = 16;

/// Adapts a schema.
pub(super) fn adapt(schema: &Value) -> Adapted {
    let mut losses = Vec::new();
    let definitions = schema.clone();
    let mut top = match schema {
        Value::Object(top) => resolve(top, &definitions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Object::new(),
    };
    merge_all(&mut top, &definitions, MOST_STEPS);
    let note = merge_alternatives(&mut top, &definitions);
    drop_odd_names(&mut top, &mut losses);
    force_object(&mut top, &mut losses);
    let mut schema = Value::Object(top);
    modernise(&mut schema);
    Adapted { schema, note, losses }
}

/// Follows references inside the document.
fn resolve(schema: &Object, definitions: &Value) -> Object {
    let mut schema = schema.clone();
    for _ in 0..MOST_STEPS {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        let target = reference.strip_prefix('#').and_then(|pointer| definitions.pointer(pointer));
        let Some(target) = target.and_then(Value::as_object).cloned() else { break };
        schema.remove("$ref");
        for (key, value) in target {
            schema.entry(key).or_insert(value);
        }
    }
    schema.remove("$ref");
    schema
}

fn branches(top: &mut Object, keyword: &str, definitions: &Value) -> Vec<Object> {
    let branches = top.remove(keyword).unwrap_or_default();
    let branches = branches.as_array().into_iter().flatten().filter_map(Value::as_object);
    branches.map(|branch| resolve(branch, definitions)).collect()
}

/// All parts hold at once: their properties and demands add up.
fn merge_all(top: &mut Object, definitions: &Value, steps: usize) {
    let parts = branches(top, "allOf", definitions);
    let Some(steps) = steps.checked_sub(1) else { return };
    for mut branch in parts {
        merge_all(&mut branch, definitions, steps);
        add_properties(top, &branch, "allOf");
        let required = union(required(top), required(&branch));
        set_required(top, &required);
        for (key, value) in branch {
            top.entry(key).or_insert(value);
        }
    }
}

/// One part holds: every property is possible, and only what all parts demand is demanded.
fn merge_alternatives(top: &mut Object, definitions: &Value) -> Option<String> {
    let mut notes = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        let mut parts = branches(top, keyword, definitions);
        parts.iter_mut().for_each(|part| merge_all(part, definitions, MOST_STEPS));
        let Some(shared) = parts.iter().map(required).reduce(|names, others| intersection(names, &others))
        else {
            continue;
        };
        parts.iter().for_each(|part| add_properties(top, part, "anyOf"));
        let required = union(required(top), shared);
        set_required(top, &required);
        notes.extend(describe(&parts));
    }
    (!notes.is_empty()).then(|| notes.join("\n"))
}

fn describe(parts: &[Object]) -> Option<String> {
    let demands: Vec<String> =
        parts.iter().map(required).filter(|names| !names.is_empty()).map(|names| names.join(", ")).collect();
    let differ = demands.windows(2).any(|pair| pair[0] != pair[1]) || demands.len() < parts.len();
    (differ && !demands.is_empty())
        .then(|| format!("The arguments must hold one of these sets: {}.", demands.join("; or ")))
}

/// Adds properties; a name that is there already is described by both.
fn add_properties(top: &mut Object, part: &Object, both: &str) {
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

fn required(schema: &Object) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn set_required(schema: &mut Object, names: &[String]) {
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

/// A property with a name that the vendor does not accept would make it refuse the whole request.
fn drop_odd_names(top: &mut Object, losses: &mut Vec<String>) {
    let accepted = |name: &str| {
        let simple =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
        !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(simple)
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
    let required: Vec<String> = required(top).into_iter().filter(|name| accepted(name)).collect();
    set_required(top, &required);
}

fn force_object(top: &mut Object, losses: &mut Vec<String>) {
    let is_object = match top.get("type") {
        None => true,
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => false,
    };
    if !is_object {
        losses.push("the arguments are no object; any object is offered instead".to_owned());
        top.clear();
    }
    if !top.get("properties").is_none_or(Value::is_object) {
        top.remove("properties");
    }
    top.remove("type");
    top.shift_insert(0, "type".to_owned(), json!("object"));
}

/// Says in draft 2020-12 what older drafts said in other ways.
fn modernise(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(modernise),
        Value::Object(object) => {
            modernise_object(object);
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    // What stands here is a value, or names mapped to schemas: not a schema itself.
                    "const" | "default" | "enum" | "examples" | "example" => {}
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                        value.as_object_mut().into_iter().flatten().for_each(|(_, schema)| modernise(schema));
                    }
                    _ => modernise(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn modernise_object(object: &mut Object) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(schema: &Value) -> Value {
        adapt(schema).schema
    }

    #[test]
    fn a_plain_object_stays_as_it_is() {
        let schema = json!({
            "type": "object",
            "properties": { "namespace": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
            "required": ["namespace"],
            "additionalProperties": false,
        });
        assert_eq!(adapt(&schema), Adapted { schema: schema.clone(), note: None, losses: Vec::new() });
    }

    #[test]
    fn what_is_no_object_schema_becomes_one() {
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
    fn parts_that_all_hold_add_up() {
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
    fn a_reference_at_the_top_is_followed_and_a_circle_is_left() {
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
    fn older_drafts_are_said_anew() {
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
    fn names_that_are_not_accepted_are_dropped_and_told() {
        let schema = json!({ "type": "object", "properties": { "$filter": {}, "a.b-c": {} }, "required": ["$filter", "a.b-c"] });
        let adapted = adapt(&schema);
        assert_eq!(
            adapted.schema,
            json!({ "type": "object", "properties": { "a.b-c": {} }, "required": ["a.b-c"] })
        );
        assert_eq!(adapted.losses.len(), 1);
    }
}
