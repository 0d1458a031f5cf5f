//! Validates a value against the keywords of JSON Schema that tool schemas use.
//!
//! References are resolved by `tarsy_domain::json_schema`. Its `SchemaView` is not used, because it cuts long
//! lists: a value that matches the ninth alternative must not be rejected.

use serde_json::{Map, Value};
use tarsy_domain::json_schema::{SchemaObject, referenced_schema};

/// Maximum nesting of schemas; deeper values are accepted.
const MAX_DEPTH: usize = 32;

/// Validates against one root schema, which holds the definitions.
pub(super) struct SchemaCheck<'a> {
    root: &'a Value,
    depth: usize,
}

impl<'a> SchemaCheck<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, depth: 0 }
    }

    /// Returns the faults of a value at `path`.
    pub(super) fn faults(&self, schema: &'a Value, value: &Value, path: &str) -> Vec<String> {
        let Some(schema) = schema.as_object().filter(|_| self.depth < MAX_DEPTH) else { return Vec::new() };
        let deeper = Self { root: self.root, depth: self.depth + 1 };
        let mut faults = deeper.own_faults(schema, value, path);
        if !faults.is_empty() {
            return faults;
        }
        let reference = schema.get("$ref").and_then(Value::as_str);
        if let Some(target) = reference.and_then(|reference| referenced_schema(self.root, reference)) {
            faults.extend(deeper.faults(target, value, path));
        }
        for schema in list(schema, "allOf") {
            faults.extend(deeper.faults(schema, value, path));
        }
        for key in ["anyOf", "oneOf"] {
            faults.extend(deeper.any(list(schema, key), value, path));
        }
        match value {
            Value::Object(object) => faults.extend(deeper.object(schema, object, path)),
            Value::Array(items) => faults.extend(deeper.array(schema, items, path)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        faults
    }

    /// Returns the faults of the value itself, without its items and fields.
    fn own_faults(&self, schema: &SchemaObject, value: &Value, path: &str) -> Vec<String> {
        let wrong = wrong_type(schema, value)
            .or_else(|| not_listed(schema, value))
            .or_else(|| out_of_range(schema, value));
        wrong.map(|wrong| format!("{} {wrong}", named(path))).into_iter().collect()
    }

    /// Checks that one of several schemas matches; otherwise joins the faults of all in one line.
    fn any(&self, schemas: &'a [Value], value: &Value, path: &str) -> Option<String> {
        let tried: Vec<_> = schemas.iter().map(|schema| self.faults(schema, value, path)).collect();
        if tried.is_empty() || tried.iter().any(Vec::is_empty) {
            return None;
        }
        let prefix = format!("{} must be ", named(path));
        let lines = tried.into_iter().flatten().enumerate().map(|(number, fault)| match number {
            0 => fault,
            _ => fault.strip_prefix(&prefix).map_or(fault.clone(), str::to_owned),
        });
        Some(lines.collect::<Vec<_>>().join("; or "))
    }

    fn object(&self, schema: &'a SchemaObject, object: &Map<String, Value>, path: &str) -> Vec<String> {
        let known = schema.get("properties").and_then(Value::as_object);
        let required = list(schema, "required").iter().filter_map(Value::as_str);
        let missing = required.filter(|name| !object.contains_key(*name));
        let mut faults: Vec<_> =
            missing.map(|name| format!("{} is missing", named(&member(path, name)))).collect();
        for (name, schema) in known.into_iter().flatten() {
            if let Some(value) = object.get(name) {
                faults.extend(self.faults(schema, value, &member(path, name)));
            }
        }
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let others = object.iter().filter(|(name, _)| !is_known(name));
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) if !schema.contains_key("patternProperties") => {
                faults.extend(others.map(|(name, _)| unknown(path, name, known)));
            }
            Some(schema @ Value::Object(_)) => {
                faults
                    .extend(others.flat_map(|(name, value)| self.faults(schema, value, &member(path, name))));
            }
            Some(_) | None => {}
        }
        faults
    }

    fn array(&self, schema: &'a SchemaObject, items: &[Value], path: &str) -> Vec<String> {
        let Some(schema) = schema.get("items") else { return Vec::new() };
        let items = items.iter().enumerate();
        items.flat_map(|(index, item)| self.faults(schema, item, &format!("{path}[{index}]"))).collect()
    }
}

fn list<'a>(schema: &'a SchemaObject, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn named(path: &str) -> String {
    if path.is_empty() { "the whole".to_owned() } else { format!("`{path}`") }
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn unknown(path: &str, name: &str, known: Option<&Map<String, Value>>) -> String {
    let is_similar =
        |known: &str| known.replace(['_', '-'], "").eq_ignore_ascii_case(&name.replace(['_', '-'], ""));
    let message = format!("{} is not known", named(&member(path, name)));
    match known.into_iter().flat_map(Map::keys).find(|known| is_similar(known)) {
        Some(meant) => format!("{message}; did you mean `{meant}`?"),
        None => message,
    }
}

fn wrong_type(schema: &SchemaObject, value: &Value) -> Option<String> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(only) => vec![only],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    if types.is_empty() || types.iter().any(|kind| is(kind, value)) {
        return None;
    }
    let wanted: Vec<_> = types.into_iter().map(with_article).collect();
    Some(format!("must be {}, not {}", wanted.join(" or "), with_article(kind_of(value))))
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "object" | "array" | "string" | "number" | "boolean" | "null" => kind_of(value) == kind,
        _ => true,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "integer" | "object" | "array" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn not_listed(schema: &SchemaObject, value: &Value) -> Option<String> {
    let listed = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(listed)), _) => listed.clone(),
        (_, Some(only)) => vec![only.clone()],
        (_, None) => return None,
    };
    if listed.contains(value) {
        return None;
    }
    let shown: Vec<_> = listed.iter().take(20).map(Value::to_string).collect();
    Some(format!("must be one of {}", shown.join(", ")))
}

fn out_of_range(schema: &SchemaObject, value: &Value) -> Option<String> {
    let number = value.as_f64()?;
    let limit = |key: &str| schema.get(key).filter(|limit| limit.is_number());
    if let Some(least) = limit("minimum").filter(|least| least.as_f64().is_some_and(|least| number < least)) {
        return Some(format!("must be at least {least}"));
    }
    let most = limit("maximum").filter(|most| most.as_f64().is_some_and(|most| number > most))?;
    Some(format!("must be at most {most}"))
}
