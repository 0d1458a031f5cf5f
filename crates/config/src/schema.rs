//! The JSON Schema of `tarsy.yaml`, for editors.
//!
//! It is the schema of the file types, made friendlier: other names of keys are listed, and where a number or
//! a word is expected, a reference to a variable is fine too. The reader uses the plain one, in `shape`.

use schemars::schema_for;
use serde_json::{Map, Value, json};

use crate::file::ConfigFile;

/// The JSON Schema (draft 2020-12) of `tarsy.yaml`.
///
/// `llm-providers.yaml` is a part of it: a file with the section `llm_providers` alone.
pub fn json_schema() -> Value {
    let mut schema: Value = schema_for!(ConfigFile).into();
    soften(&mut schema);
    let mut schema = with_title_first(schema);
    schema["$defs"]["Reference"] = json!({
        "description": "A reference to an environment variable: `${VAR}`, `${VAR:-default}` or `{{.VAR}}`.",
        "type": "string",
        "pattern": "\\$\\{[A-Za-z_]|\\{\\{\\s*\\."
    });
    schema
}

/// The same schema, beginning with what a reader wants to know first.
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

/// Changes a schema and everything in it.
fn soften(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = join_lines(description);
    }
    if object.get("x-no-effect") == Some(&Value::Bool(true)) {
        let description = object.get("description").and_then(Value::as_str).unwrap_or_default();
        object.insert("description".to_owned(), format!("{description} Has no effect yet.").into());
    }
    for keyword in ["properties", "$defs"] {
        if let Some(Value::Object(inner)) = object.get_mut(keyword) {
            inner.values_mut().for_each(soften);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        object.get_mut(keyword).into_iter().for_each(soften);
    }
    for keyword in ["anyOf", "oneOf"] {
        object.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten().for_each(soften);
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        list_aliases(properties);
    }
    if object.get("x-scalar") == Some(&Value::Bool(true)) {
        object.insert("type".to_owned(), json!(["string", "number", "boolean", "null"]));
    } else if takes_no_free_text(object) {
        allow_reference(object);
    }
}

/// The lines of a doc comment as paragraphs, so that they wrap as the editor likes.
fn join_lines(description: &str) -> String {
    let paragraphs = description.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Gives every other name of a key an entry of its own, marked as not the one to use.
fn list_aliases(properties: &mut Map<String, Value>) {
    let mut aliases = Vec::new();
    for (name, property) in properties.iter() {
        for alias in property["x-alias"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let mut entry = property.clone();
            entry["description"] = format!("Another name for `{name}`.").into();
            entry["deprecated"] = true.into();
            aliases.push((alias.to_owned(), entry));
        }
    }
    properties.extend(aliases);
}

/// Whether a reference would not match: numbers, truth values, words of a set, durations.
fn takes_no_free_text(schema: &Map<String, Value>) -> bool {
    let is = |name: &str| match schema.get("type") {
        Some(Value::String(single)) => single == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    };
    schema.contains_key("oneOf") || is("integer") || is("number") || is("boolean")
}

/// Moves what a schema asks for into one of two branches; the other is a reference.
fn allow_reference(schema: &mut Map<String, Value>) {
    let is_about_the_key =
        |keyword: &str| keyword == "description" || keyword == "default" || keyword.starts_with("x-");
    let (about_the_key, about_the_value): (Map<_, _>, Map<_, _>) =
        std::mem::take(schema).into_iter().partition(|(keyword, _)| is_about_the_key(keyword));
    *schema = about_the_key;
    schema.insert("anyOf".to_owned(), json!([about_the_value, { "$ref": "#/$defs/Reference" }]));
}
