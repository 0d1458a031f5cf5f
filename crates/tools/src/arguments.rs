//! Converts and validates the arguments of a call by the tool's JSON Schema before they are sent.
//!
//! Models omit arguments, misspell them and mix up types, and servers respond to that with anything from a
//! clear message to a stack trace. What can mean only one thing is converted (`coercion`); for the rest the
//! messages here let a model correct its call. This is not a complete validator: unknown keywords are left to
//! the server (`docs/adr/0013-argument-validation.md`).

mod coercion;
mod conversion;
mod fault;
mod keyword;
mod number_text;
mod schema;
mod signature;

use rmcp::model::JsonObject;
use serde_json::Value;

use coercion::Coercion;
use fault::Fault;
use schema::SchemaCheck;
use signature::parameter_list;
use tarsy_domain::json_schema::SchemaView;

/// Maximum number of faults in one message.
const MAX_FAULTS: usize = 8;

/// Returns the faults of the arguments, one per line; none if they are valid.
pub fn check_arguments(schema: &Value, arguments: &Value) -> Vec<String> {
    let faults = SchemaCheck::new(schema).faults(schema, arguments, "");
    faults.iter().take(MAX_FAULTS).map(Fault::to_string).collect()
}

/// Parses, converts and validates the arguments that a model wrote. The error is a message for the model.
///
/// The result is what is sent to the server. Arguments that the schema accepts are not changed, so reading
/// the result again returns an equal one.
pub fn read_arguments(schema: &Value, text: &str) -> Result<serde_json::Map<String, Value>, String> {
    let arguments = Coercion::new(schema, text).coerce(schema, Value::Object(parse_object(text)?));
    let faults = check_arguments(schema, &arguments);
    match arguments {
        Value::Object(arguments) if faults.is_empty() => Ok(arguments),
        Value::Object(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_) => {
            Err(format!("the arguments do not match the schema of the tool:\n- {}", faults.join("\n- ")))
        }
    }
}

/// Says which parameters a tool takes: "takes: `state` (string), `limit` (integer, optional)".
pub(crate) fn parameters_of(schema: &Value) -> String {
    let view = SchemaView::new(schema);
    match schema.as_object() {
        Some(object) => parameter_list(object, |property| view.at(property)),
        None => parameter_list(&JsonObject::new(), |_| view),
    }
}

/// Parses an object, which may be the content of a JSON string. No text and null are an empty object.
fn parse_object(text: &str) -> Result<JsonObject, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(JsonObject::new());
    }
    let written =
        serde_json::from_str(text).map_err(|error| format!("the arguments are not valid JSON: {error}"))?;
    let value = match &written {
        Value::String(inner) => serde_json::from_str(inner).unwrap_or(written),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => written,
    };
    match value {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(JsonObject::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(Fault::wrong("", "a JSON object".to_owned(), &value).to_string())
        }
    }
}

#[cfg(test)]
mod tests;
