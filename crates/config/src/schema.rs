//! The JSON Schema of `tarsy.yaml`, for editors.
//!
//! It is the schema of the file types with two additions: aliases of keys are listed, and where a number, a
//! boolean or an enum is expected, a reference to a variable is accepted too. The reader uses the unmodified
//! schema, in `shape`.

use schemars::schema_for;
use serde_json::{Map, Value, json};
use tarsy_domain::json_schema::{SchemaObject, for_each_subschema};

use crate::file::ConfigFile;

/// Returns the JSON Schema (draft 2020-12) of `tarsy.yaml`.
///
/// It also covers `llm-providers.yaml`, a file with the section `llm_providers` only.
pub fn json_schema() -> Value {
    let mut schema: Value = schema_for!(ConfigFile).into();
    schema.as_object_mut().into_iter().for_each(extend);
    let mut schema = with_title_first(schema);
    schema["$defs"]["Reference"] = json!({
        "description": "A reference to an environment variable: `${VAR}`, `${VAR:-default}` or `{{.VAR}}`.",
        "type": "string",
        "pattern": "\\$\\{[A-Za-z_]|\\{\\{\\s*\\."
    });
    schema
}

/// Returns the schema with its title and description first.
fn with_title_first(mut schema: Value) -> Value {
    let mut ordered = Map::new();
    for keyword in ["$schema", "title", "description"] {
        ordered.insert(keyword.to_owned(), schema[keyword].take());
    }
    if let Value::Object(rest) = schema {
        ordered.extend(rest.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Value::Object(ordered)
}

/// Adds aliases and references to a schema and its subschemas.
fn extend(object: &mut SchemaObject) {
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = join_lines(description);
    }
    if object.get("x-no-effect") == Some(&Value::Bool(true)) {
        let description = object.get("description").and_then(Value::as_str).unwrap_or_default();
        object.insert("description".to_owned(), format!("{description} Has no effect yet.").into());
    }
    for_each_subschema(object, &mut extend);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        list_aliases(properties);
    }
    if object.get("x-scalar") == Some(&Value::Bool(true)) {
        object.insert("type".to_owned(), json!(["string", "number", "boolean", "null"]));
    } else if rejects_references(object) {
        allow_reference(object);
    }
}

/// Joins the lines of each paragraph of a doc comment, so that editors can wrap them.
fn join_lines(description: &str) -> String {
    let paragraphs = description.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Adds an entry for every alias of a key, marked as deprecated.
fn list_aliases(properties: &mut Map<String, Value>) {
    let mut aliases = Vec::new();
    for (name, property) in properties.iter() {
        for alias in property["x-alias"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let mut entry = property.clone();
            entry["description"] = format!("Alias of `{name}`.").into();
            entry["deprecated"] = true.into();
            aliases.push((alias.to_owned(), entry));
        }
    }
    properties.extend(aliases);
}

/// Returns whether a reference would not match the schema: numbers, booleans, enums, durations.
fn rejects_references(schema: &Map<String, Value>) -> bool {
    let is = |name: &str| match schema.get("type") {
        Some(Value::String(single)) => single == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    };
    schema.contains_key("oneOf") || is("integer") || is("number") || is("boolean")
}

/// Replaces the constraints of a schema by `anyOf`: the constraints, or a reference.
fn allow_reference(schema: &mut Map<String, Value>) {
    let is_about_the_key =
        |keyword: &str| keyword == "description" || keyword == "default" || keyword.starts_with("x-");
    let (about_the_key, about_the_value): (Map<_, _>, Map<_, _>) =
        std::mem::take(schema).into_iter().partition(|(keyword, _)| is_about_the_key(keyword));
    *schema = about_the_key;
    schema.insert("anyOf".to_owned(), json!([about_the_value, { "$ref": "#/$defs/Reference" }]));
}
