//! Input schemas of tools as Gemini accepts them.
//!
//! `parametersJsonSchema` supports a subset of JSON Schema, and an unknown keyword can make Gemini reject the
//! whole request. References are inlined, alternative spellings are converted, and a constraint without a
//! supported keyword moves to the description, where the model can read it.
//! <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>

use serde_json::{Map, Value, json};
use tarsy_domain::json_schema::{SchemaObject, referenced_schema};
use tracing::debug;

/// Limits for schemas that are recursive, or hostile.
const MAX_DEPTH: usize = 40;
const MAX_REFERENCES: usize = 500;
/// Maximum length of a constraint in the description.
const MAX_NOTE_LENGTH: usize = 200;

/// Returns the schema of a tool's arguments; `None` for a tool without arguments.
pub(super) fn parameters(tool: &str, schema: &Value) -> Option<Value> {
    let mut adapter =
        SchemaAdapter { root: schema, open: Vec::new(), depth: 0, references: 0, left_out: Vec::new() };
    let mut adapted = adapter.schema(schema);
    if !adapter.left_out.is_empty() {
        debug!(tool, left_out = ?adapter.left_out, "parts of a tool schema cannot be sent to Gemini");
    }
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let has_fields = ["properties", "anyOf", "oneOf"]
        .iter()
        .any(|key| adapted.get(*key).is_some_and(|value| !is_empty(value)));
    let is_open = adapted.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    if !has_fields && !is_open {
        return None;
    }
    adapted.insert("type".to_owned(), "object".into());
    Some(Value::Object(adapted))
}

struct SchemaAdapter<'a> {
    root: &'a Value,
    /// The references that are being inlined, outermost first.
    open: Vec<String>,
    depth: usize,
    references: usize,
    left_out: Vec<String>,
}

impl SchemaAdapter<'_> {
    /// Converts a schema. Anything but an object, such as `true`, allows every value.
    fn schema(&mut self, schema: &Value) -> SchemaObject {
        let Value::Object(schema) = schema else { return Map::new() };
        if self.depth == MAX_DEPTH {
            self.left_out.push("schemas that are nested too deeply".to_owned());
            return Map::new();
        }
        self.depth += 1;
        let adapted = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.referenced(reference, schema),
            None => self.object(schema),
        };
        self.depth -= 1;
        adapted
    }

    /// Inlines a reference; keywords next to it take precedence.
    fn referenced(&mut self, reference: &str, siblings: &SchemaObject) -> SchemaObject {
        let mut merged = self.target(reference).unwrap_or_default();
        let is_cycle = self.open.iter().any(|open| open == reference);
        if is_cycle || self.references >= MAX_REFERENCES {
            self.left_out.push(format!("a cycle through {reference}"));
            merged.retain(|key, _| matches!(key.as_str(), "type" | "title" | "description"));
        } else if merged.is_empty() {
            self.left_out.push(reference.to_owned());
        }
        let siblings = siblings.iter().filter(|(key, _)| *key != "$ref");
        merged.extend(siblings.map(|(key, value)| (key.clone(), value.clone())));
        self.references += 1;
        self.open.push(reference.to_owned());
        let adapted = self.schema(&Value::Object(merged));
        self.open.pop();
        adapted
    }

    fn target(&self, reference: &str) -> Option<SchemaObject> {
        referenced_schema(self.root, reference)?.as_object().cloned()
    }

    fn object(&mut self, schema: &SchemaObject) -> SchemaObject {
        let schema = self.flatten(schema.clone());
        let (mut adapted, mut notes) = (Map::new(), Vec::new());
        for (key, value) in &schema {
            match self.keyword(key, value, &schema) {
                Keyword::Known(key, value) => drop(adapted.insert(key.to_owned(), value)),
                Keyword::Note => notes.push(format!("{key}: {value}")),
                Keyword::Meta => {}
            }
        }
        self.describe(&mut adapted, notes);
        drop_undefined_names(&mut adapted);
        adapted
    }

    fn keyword<'k>(&mut self, key: &'k str, value: &Value, schema: &SchemaObject) -> Keyword<'k> {
        match key {
            "type" => Keyword::Known(key, with_null(value, schema)),
            "title" | "description" | "minimum" | "maximum" | "minItems" | "maxItems" | "required"
            | "propertyOrdering" => Keyword::Known(key, value.clone()),
            "enum" => choices(value.as_array().map(Vec::as_slice).unwrap_or_default()),
            "const" => choices(std::slice::from_ref(value)),
            "format" if is_known_format(value) => Keyword::Known(key, value.clone()),
            "properties" => Keyword::Known(key, self.properties(value)),
            "items" if value.is_array() => Keyword::Known("prefixItems", self.list(value)),
            "items" => Keyword::Known(key, Value::Object(self.schema(value))),
            "prefixItems" | "anyOf" | "oneOf" => Keyword::Known(key, self.list(value)),
            "additionalProperties" if value.is_boolean() => Keyword::Known(key, value.clone()),
            "additionalProperties" => Keyword::Known(key, Value::Object(self.schema(value))),
            "definitions" | "nullable" => Keyword::Meta,
            _ if key.starts_with('$') || key.starts_with("x-") => Keyword::Meta,
            _ => Keyword::Note,
        }
    }

    fn properties(&mut self, properties: &Value) -> Value {
        let properties = properties.as_object().into_iter().flatten();
        let allowed = properties.filter(|(_, schema)| **schema != Value::Bool(false));
        allowed
            .map(|(name, schema)| (name.clone(), Value::Object(self.schema(schema))))
            .collect::<Map<_, _>>()
            .into()
    }

    fn list(&mut self, schemas: &Value) -> Value {
        let schemas = schemas.as_array().into_iter().flatten();
        schemas.map(|schema| Value::Object(self.schema(schema))).collect::<Vec<_>>().into()
    }

    /// Merges `allOf` into the schema; keywords of the outer schema take precedence.
    fn flatten(&mut self, mut schema: SchemaObject) -> SchemaObject {
        let Some(Value::Array(members)) = schema.remove("allOf") else { return schema };
        for member in members.iter().filter_map(Value::as_object) {
            if self.references >= MAX_REFERENCES || self.depth >= MAX_DEPTH {
                self.left_out.push("a part of allOf".to_owned());
                break;
            }
            for (key, value) in self.member(member) {
                merge(&mut schema, key, value);
            }
        }
        schema
    }

    fn member(&mut self, member: &SchemaObject) -> SchemaObject {
        let reference = member.get("$ref").and_then(Value::as_str);
        let mut whole = reference.and_then(|reference| self.target(reference)).unwrap_or_default();
        whole.extend(
            member.iter().filter(|(key, _)| *key != "$ref").map(|(key, value)| (key.clone(), value.clone())),
        );
        self.references += 1;
        self.depth += 1;
        let flat = self.flatten(whole);
        self.depth -= 1;
        flat
    }

    /// Adds constraints without a supported keyword to the description.
    fn describe(&mut self, adapted: &mut SchemaObject, notes: Vec<String>) {
        let (short, long): (Vec<_>, Vec<_>) =
            notes.into_iter().partition(|note| note.len() <= MAX_NOTE_LENGTH);
        self.left_out.extend(long.iter().filter_map(|note| note.split(':').next()).map(str::to_owned));
        if short.is_empty() {
            return;
        }
        let notes = format!("({})", short.join("; "));
        let described = match adapted.get("description").and_then(Value::as_str) {
            Some(description) => format!("{description} {notes}"),
            None => notes,
        };
        adapted.insert("description".to_owned(), described.into());
    }
}

/// How a keyword is converted.
enum Keyword<'k> {
    /// Gemini supports it, under this name.
    Known(&'k str, Value),
    /// Gemini does not support it, but the model should read it.
    Note,
    /// It is irrelevant to the model.
    Meta,
}

/// Converts allowed values: Gemini accepts only numbers and strings that are not empty.
fn choices(values: &[Value]) -> Keyword<'static> {
    let is_supported =
        |value: &&Value| value.is_number() || value.as_str().is_some_and(|text| !text.is_empty());
    let known: Vec<_> = values.iter().filter(is_supported).cloned().collect();
    if known.is_empty() { Keyword::Note } else { Keyword::Known("enum", known.into()) }
}

/// Converts `nullable` of OpenAPI to a second type.
fn with_null(kind: &Value, schema: &SchemaObject) -> Value {
    match kind.as_str() {
        Some(kind) if schema.get("nullable") == Some(&Value::Bool(true)) => json!([kind, "null"]),
        Some(_) | None => kind.clone(),
    }
}

fn is_known_format(format: &Value) -> bool {
    let known = ["date-time", "date", "time", "duration", "int32", "int64", "float", "double"];
    format.as_str().is_some_and(|format| known.contains(&format))
}

/// Removes required names without a property, for which Gemini rejects the request.
fn drop_undefined_names(schema: &mut SchemaObject) {
    let Some(Value::Array(mut names)) = schema.shift_remove("required") else { return };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        names.retain(|name| name.as_str().is_some_and(|name| properties.contains_key(name)));
    } else {
        names.clear();
    }
    if !names.is_empty() {
        schema.insert("required".to_owned(), names.into());
    }
}

fn merge(schema: &mut SchemaObject, key: String, value: Value) {
    match (schema.get_mut(&key), value) {
        (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
            let unknown: Vec<_> = more.into_iter().filter(|(name, _)| !known.contains_key(name)).collect();
            known.extend(unknown);
        }
        (Some(Value::Array(known)), Value::Array(more)) if key == "required" => known.extend(more),
        (Some(_), _) => {}
        (None, value) => drop(schema.insert(key, value)),
    }
}

#[cfg(test)]
mod tests;
