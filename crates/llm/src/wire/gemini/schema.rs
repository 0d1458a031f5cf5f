//! A tool's JSON Schema, brought to what Gemini reads.
//!
//! `parametersJsonSchema` knows part of JSON Schema, and one keyword it does not know can make Gemini refuse the whole
//! request. References are replaced by what they refer to, other spellings by the known ones, and a rule that has
//! no keyword moves into the description, where the model still reads it.
//! <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>

use serde_json::{Map, Value, json};
use tracing::debug;

/// A tool may describe itself without end, by chance or on purpose.
const DEEPEST: usize = 40;
const MOST_REFERENCES: usize = 500;
/// A rule longer than this says more than a description should.
const LONGEST_NOTE: usize = 200;

/// The schema of a tool's arguments; nothing for a tool without any.
pub(super) fn parameters(tool: &str, schema: &Value) -> Option<Value> {
    let mut adapter =
        Adapter { root: schema, open: Vec::new(), depth: 0, references: 0, left_out: Vec::new() };
    let mut adapted = adapter.schema(schema);
    if !adapter.left_out.is_empty() {
        debug!(tool, left_out = ?adapter.left_out, "parts of the tool's schema are left out for Gemini");
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

struct Adapter<'a> {
    root: &'a Value,
    /// The references that are being replaced, outermost first.
    open: Vec<String>,
    depth: usize,
    references: usize,
    left_out: Vec<String>,
}

impl Adapter<'_> {
    /// A schema, or part of one. `true` and whatever else is no object allow everything.
    fn schema(&mut self, schema: &Value) -> Map<String, Value> {
        let Value::Object(schema) = schema else { return Map::new() };
        if self.depth == DEEPEST {
            self.left_out.push("what lies too deep".to_owned());
            return Map::new();
        }
        self.depth += 1;
        let adapted = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.referred(reference, schema),
            None => self.object(schema),
        };
        self.depth -= 1;
        adapted
    }

    /// What a reference stands for, with what is said beside it.
    fn referred(&mut self, reference: &str, beside: &Map<String, Value>) -> Map<String, Value> {
        let mut merged = self.target(reference).unwrap_or_default();
        let is_circle = self.open.iter().any(|open| open == reference);
        if is_circle || self.references >= MOST_REFERENCES {
            self.left_out.push(format!("a circle through {reference}"));
            merged.retain(|key, _| matches!(key.as_str(), "type" | "title" | "description"));
        } else if merged.is_empty() {
            self.left_out.push(reference.to_owned());
        }
        let beside = beside.iter().filter(|(key, _)| *key != "$ref");
        merged.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
        self.references += 1;
        self.open.push(reference.to_owned());
        let adapted = self.schema(&Value::Object(merged));
        self.open.pop();
        adapted
    }

    fn target(&self, reference: &str) -> Option<Map<String, Value>> {
        let target = self.root.pointer(reference.strip_prefix('#')?)?;
        target.as_object().cloned()
    }

    fn object(&mut self, schema: &Map<String, Value>) -> Map<String, Value> {
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

    fn keyword<'k>(&mut self, key: &'k str, value: &Value, schema: &Map<String, Value>) -> Keyword<'k> {
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

    /// Everything that `allOf` demands, at one level; where two say different things the outer one holds.
    fn flatten(&mut self, mut schema: Map<String, Value>) -> Map<String, Value> {
        let Some(Value::Array(members)) = schema.remove("allOf") else { return schema };
        for member in members.iter().filter_map(Value::as_object) {
            if self.references >= MOST_REFERENCES || self.depth >= DEEPEST {
                self.left_out.push("too much of allOf".to_owned());
                break;
            }
            for (key, value) in self.member(member) {
                merge(&mut schema, key, value);
            }
        }
        schema
    }

    fn member(&mut self, member: &Map<String, Value>) -> Map<String, Value> {
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

    /// Puts rules without a keyword into the description.
    fn describe(&mut self, adapted: &mut Map<String, Value>, notes: Vec<String>) {
        let (short, long): (Vec<_>, Vec<_>) = notes.into_iter().partition(|note| note.len() <= LONGEST_NOTE);
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

/// What becomes of a keyword.
enum Keyword<'k> {
    /// Gemini knows it, by this name.
    Known(&'k str, Value),
    /// It says something to the model that Gemini has no word for.
    Note,
    /// It says nothing to the model.
    Meta,
}

/// Only texts and numbers can be chosen from, and no empty text.
fn choices(values: &[Value]) -> Keyword<'static> {
    let can_be_chosen =
        |value: &&Value| value.is_number() || value.as_str().is_some_and(|text| !text.is_empty());
    let known: Vec<_> = values.iter().filter(can_be_chosen).cloned().collect();
    if known.is_empty() { Keyword::Note } else { Keyword::Known("enum", known.into()) }
}

/// OpenAPI says `nullable` where JSON Schema has a second type.
fn with_null(kind: &Value, schema: &Map<String, Value>) -> Value {
    match kind.as_str() {
        Some(kind) if schema.get("nullable") == Some(&Value::Bool(true)) => json!([kind, "null"]),
        Some(_) | None => kind.clone(),
    }
}

fn is_known_format(format: &Value) -> bool {
    let known = ["date-time", "date", "time", "duration", "int32", "int64", "float", "double"];
    format.as_str().is_some_and(|format| known.contains(&format))
}

/// A name that is demanded but not described makes Gemini refuse the request.
fn drop_undefined_names(schema: &mut Map<String, Value>) {
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

fn merge(schema: &mut Map<String, Value>, key: String, value: Value) {
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
