//! The keywords that restrict a single value: `type`, `enum`, `const`, `minimum` and `maximum`.
//!
//! Each function returns what the schema wants, as the object of "must be", if the value is not that.

use serde_json::Value;
use tarsy_domain::json_schema::SchemaObject;

/// Maximum number of allowed values that a message lists.
const MAX_LISTED: usize = 20;

/// Returns the types that the schema allows itself; none if it does not restrict them.
pub(super) fn types(schema: &SchemaObject) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

/// Returns the values that the schema allows itself, if it lists them.
pub(super) fn listed_values(schema: &SchemaObject) -> Option<&[Value]> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(listed)), _) => Some(listed),
        (_, Some(only)) => Some(std::slice::from_ref(only)),
        (_, None) => None,
    }
}

pub(super) fn wrong_type(schema: &SchemaObject, value: &Value) -> Option<String> {
    let types = types(schema);
    if types.is_empty() || types.iter().any(|kind| is(kind, value)) {
        return None;
    }
    Some(types.into_iter().map(with_article).collect::<Vec<_>>().join(" or "))
}

pub(super) fn not_listed(schema: &SchemaObject, value: &Value) -> Option<String> {
    let listed = listed_values(schema)?;
    if listed.contains(value) {
        return None;
    }
    let shown: Vec<_> = listed.iter().take(MAX_LISTED).map(Value::to_string).collect();
    Some(match (shown.as_slice(), listed.len().saturating_sub(MAX_LISTED)) {
        ([only], 0) => only.clone(),
        (shown, 0) => format!("one of {}", shown.join(", ")),
        (shown, more) => format!("one of {} and {more} more", shown.join(", ")),
    })
}

pub(super) fn out_of_range(schema: &SchemaObject, value: &Value) -> Option<String> {
    let number = value.as_f64()?;
    let limit = |key: &str| schema.get(key).filter(|limit| limit.is_number());
    if let Some(least) = limit("minimum").filter(|least| least.as_f64().is_some_and(|least| number < least)) {
        return Some(format!("at least {least}"));
    }
    let most = limit("maximum").filter(|most| most.as_f64().is_some_and(|most| number > most))?;
    Some(format!("at most {most}"))
}

/// Returns whether a value has a type. Unknown types match every value.
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
