//! The parameters of a tool in one line, for a model that called it with others.

use serde_json::Value;
use tarsy_domain::json_schema::{SchemaObject, SchemaView};

/// Maximum number of parameters that are listed.
const MAX_PARAMETERS: usize = 30;
/// Maximum number of allowed values that are listed in place of a type.
const MAX_CHOICES: usize = 8;
/// Maximum nesting of arrays and alternatives in a type.
const MAX_NESTING: usize = 3;

/// Says which parameters an object takes, the required ones first: "takes: `state` (string)".
pub(crate) fn parameter_list<'a>(
    schema: &'a SchemaObject,
    view: impl Fn(&'a Value) -> SchemaView<'a>,
) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let (first, then): (Vec<_>, Vec<_>) =
        properties.into_iter().flatten().partition(|(name, _)| is_required(name));
    if first.is_empty() && then.is_empty() {
        return "takes no parameters".to_owned();
    }
    let first = first.into_iter().map(|(name, schema)| format!("`{name}` ({})", type_text(view(schema))));
    let then =
        then.into_iter().map(|(name, schema)| format!("`{name}` ({}, optional)", type_text(view(schema))));
    let mut listed: Vec<String> = first.chain(then).collect();
    let more = listed.len().saturating_sub(MAX_PARAMETERS);
    listed.truncate(MAX_PARAMETERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("takes: {}{more}", listed.join(", "))
}

/// Returns the type of a schema in a few words, such as `array of string` or `"json" | "yaml"`.
pub(super) fn type_text(schema: SchemaView<'_>) -> String {
    nested_type_text(schema, MAX_NESTING)
}

fn nested_type_text(schema: SchemaView<'_>, nesting: usize) -> String {
    if let Some(choices) = choices(schema) {
        return choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let Some(nesting) = nesting.checked_sub(1) else { return "any".to_owned() };
    let one = |kind: &str| match (kind, schema.items()) {
        ("array", Some(items)) => format!("array of {}", nested_type_text(items, nesting)),
        _ => kind.to_owned(),
    };
    let mut types: Vec<String> = schema.types().unwrap_or_default().into_iter().map(one).collect();
    if types.is_empty() {
        let others = schema.alternatives().into_iter().chain(schema.parts());
        types = others.map(|other| nested_type_text(other, nesting)).collect();
        types.dedup();
    }
    if types.is_empty() { "any".to_owned() } else { types.join(" or ") }
}

/// Returns the allowed values of a schema, if they are listed and few.
fn choices(schema: SchemaView<'_>) -> Option<&[Value]> {
    let listed = match (schema.keyword("enum").and_then(Value::as_array), schema.keyword("const")) {
        (Some(listed), _) => listed.as_slice(),
        (None, Some(only)) => std::slice::from_ref(only),
        (None, None) => return None,
    };
    (1..=MAX_CHOICES).contains(&listed.len()).then_some(listed)
}
