//! Validates the arguments of a call against the tool's JSON Schema before they are sent.
//!
//! Models omit arguments, misspell them and mix up types, and servers respond to that with anything from a
//! clear message to a stack trace. The messages here let a model correct its call. This is not a complete
//! validator: unknown keywords are left to the server (`docs/adr/0013-argument-validation.md`).

mod schema;

use rmcp::model::JsonObject;
use serde_json::Value;

use schema::SchemaCheck;

/// Maximum number of faults in one message.
const MAX_FAULTS: usize = 8;

/// Returns the faults of the arguments, one per line; none if they are valid.
pub fn check_arguments(schema: &Value, arguments: &Value) -> Vec<String> {
    let mut faults = SchemaCheck::new(schema).faults(schema, arguments, "");
    faults.truncate(MAX_FAULTS);
    faults
}

/// Parses and validates the arguments that a model wrote. The error is a message for the model.
pub fn read_arguments(schema: &Value, text: &str) -> Result<serde_json::Map<String, Value>, String> {
    let arguments = if text.trim().is_empty() {
        Ok(Value::Object(JsonObject::new()))
    } else {
        serde_json::from_str(text)
    };
    let mut arguments = arguments.map_err(|error| format!("the arguments are not JSON: {error}"))?;
    if let Value::Object(arguments) = &mut arguments {
        remove_nulls(schema, arguments);
    }
    let faults = check_arguments(schema, &arguments);
    match arguments {
        Value::Object(arguments) if faults.is_empty() => Ok(arguments),
        Value::Object(_) => Err(format!("the arguments do not fit the tool:\n- {}", faults.join("\n- "))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err("the arguments must be a JSON object".to_owned())
        }
    }
}

/// Removes arguments that are `null`, optional and not nullable: models mean an absent argument.
fn remove_nulls(schema: &Value, arguments: &mut JsonObject) {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|required| required.iter().any(|known| known == name));
    let rejects_null = |name: &str| {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        property
            .is_some_and(|property| !SchemaCheck::new(schema).faults(property, &Value::Null, name).is_empty())
    };
    arguments.retain(|name, value| !value.is_null() || is_required(name) || !rejects_null(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        serde_json::json!({
            "type": "object",
            "required": ["namespace"],
            "additionalProperties": false,
            "properties": {
                "namespace": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "output": {"enum": ["json", "yaml"]},
                "labels": {"type": "array", "items": {"type": "string"}},
                "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "filter": {"$ref": "#/$defs/filter"},
            },
            "$defs": {"filter": {"type": "object", "properties": {
                "phase": {"type": "string"}, "not": {"$ref": "#/$defs/filter"}}}},
        })
    }

    fn wrong(arguments: &str) -> String {
        read_arguments(&schema(), arguments).unwrap_err()
    }

    #[test]
    fn accepts_valid_arguments() {
        for valid in [
            r#"{"namespace": "a"}"#,
            r#"{"namespace": "a", "limit": 5, "output": "json", "labels": ["x"], "since": null}"#,
            r#"{"namespace": "a", "limit": 5.0, "filter": {"phase": "x", "not": {"phase": "y"}}}"#,
        ] {
            assert!(read_arguments(&schema(), valid).is_ok(), "{valid}");
        }
        assert!(read_arguments(&serde_json::json!({"type": "object"}), " ").unwrap().is_empty());
    }

    #[test]
    fn removes_null_where_it_can_only_mean_absent() {
        let given = r#"{"namespace": "a", "limit": null, "output": null, "filter": null, "since": null}"#;
        let read = read_arguments(&schema(), given).unwrap();
        assert_eq!(Value::Object(read), serde_json::json!({"namespace": "a", "since": null}));
        assert!(wrong(r#"{"namespace": null}"#).contains("`namespace` must be a string, not null"));
        assert!(wrong(r#"{"namespace": "a", "limits": null}"#).contains("`limits` is not known"));
    }

    #[test]
    fn explains_invalid_arguments() {
        insta::assert_snapshot!(wrong(r#"{"name_space": "a", "limit": "5", "labels": ["x", 2]}"#), @r"
        the arguments do not fit the tool:
        - `namespace` is missing
        - `limit` must be an integer, not a string
        - `labels[1]` must be a string, not a number
        - `name_space` is not known; did you mean `namespace`?
        ");
        insta::assert_snapshot!(
            wrong(r#"{"namespace": "a", "limit": 0, "output": "xml", "since": 3, "filter": {"not": {"phase": 1}}}"#),
            @r#"
        the arguments do not fit the tool:
        - `limit` must be at least 1
        - `output` must be one of "json", "yaml"
        - `since` must be a string, not a number; or null, not a number
        - `filter.not.phase` must be a string, not a number
        "#
        );
        assert_eq!(wrong("[1]"), "the arguments must be a JSON object");
        assert!(wrong("{a").starts_with("the arguments are not JSON"));
    }

    #[test]
    fn tolerates_endless_and_invalid_schemas() {
        let endless = serde_json::json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
        assert!(check_arguments(&endless, &serde_json::json!({})).is_empty());
        assert!(
            check_arguments(&serde_json::json!({"type": 7, "required": "x"}), &serde_json::json!({}))
                .is_empty()
        );
    }
}
