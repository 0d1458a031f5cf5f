//! Schemas of tools, converted for Gemini.

use super::*;

fn adapted(schema: &Value) -> Value {
    parameters("server.tool", schema).unwrap_or(Value::Null)
}

/// Converts the schema of a property.
fn property(schema: &Value) -> Value {
    adapted(&json!({ "type": "object", "properties": { "it": schema } }))["properties"]["it"].clone()
}

#[test]
fn a_tool_without_parameters_has_no_schema() {
    for schema in [
        json!({}),
        Value::Null,
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": {} }),
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false }),
    ] {
        assert_eq!(parameters("server.tool", &schema), None, "{schema}");
    }
    let open = json!({ "type": "object", "additionalProperties": true });
    assert_eq!(adapted(&open), open);
}

#[test]
fn supported_keywords_are_unchanged() {
    let schema = json!({
        "type": "object",
        "title": "Arguments",
        "description": "What to look at.",
        "properties": {
            "namespace": { "type": "string", "description": "Where." },
            "kinds": { "type": "array", "items": { "type": "string", "enum": ["pod", "node"] }, "minItems": 1 },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 10, "format": "int32" },
            "since": { "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "null" }] },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
        },
        "additionalProperties": false,
        "required": ["namespace"],
    });
    assert_eq!(adapted(&schema), schema);
}

#[test]
fn constraints_without_a_keyword_move_to_the_description() {
    for (schema, expected) in [
        (
            json!({ "type": "string", "description": "A name.", "pattern": "^[a-z]+$", "minLength": 1 }),
            json!({ "type": "string", "description": "A name. (pattern: \"^[a-z]+$\"; minLength: 1)" }),
        ),
        (
            json!({ "type": "integer", "exclusiveMinimum": 0, "default": 5 }),
            json!({ "type": "integer", "description": "(exclusiveMinimum: 0; default: 5)" }),
        ),
        (
            json!({ "type": "string", "format": "uri" }),
            json!({ "type": "string", "description": "(format: \"uri\")" }),
        ),
        (json!({ "const": true }), json!({ "description": "(const: true)" })),
        (json!({ "type": "string", "x-order": 1, "$comment": "no" }), json!({ "type": "string" })),
        (json!({ "type": "string", "pattern": "a".repeat(300) }), json!({ "type": "string" })),
    ] {
        assert_eq!(property(&schema), expected, "{schema}");
    }
}

#[test]
fn alternative_spellings_are_converted() {
    for (schema, expected) in [
        (json!({ "const": "pod" }), json!({ "enum": ["pod"] })),
        (json!({ "type": "string", "enum": ["", "a", null] }), json!({ "type": "string", "enum": ["a"] })),
        (json!({ "type": "string", "nullable": true }), json!({ "type": ["string", "null"] })),
        (
            json!({ "type": "array", "items": [{ "type": "string" }, true] }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, {}] }),
        ),
        (json!(true), json!({})),
        (
            json!({ "type": "object", "properties": { "a": false, "b": true }, "required": ["a", "b"] }),
            json!({ "type": "object", "properties": { "b": {} }, "required": ["b"] }),
        ),
        (
            json!({ "allOf": [
                { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
                { "properties": { "a": { "type": "integer" }, "b": {} }, "required": ["b"] },
            ] }),
            json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} }, "required": ["a", "b"] }),
        ),
    ] {
        assert_eq!(property(&schema), expected, "{schema}");
    }
}

#[test]
fn references_are_inlined() {
    let schema = json!({
        "type": "object",
        "properties": {
            "first": { "$ref": "#/$defs/Place", "description": "The first." },
            "second": { "$ref": "#/definitions/Old" },
            "elsewhere": { "$ref": "https://other.example/schema.json", "description": "Not here." },
        },
        "$defs": { "Place": { "type": "object", "properties": { "name": { "$ref": "#/$defs/Name" } } }, "Name": { "type": "string" } },
        "definitions": { "Old": { "allOf": [{ "$ref": "#/$defs/Name" }], "title": "Old" } },
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "first": { "type": "object", "properties": { "name": { "type": "string" } }, "description": "The first." },
            "second": { "title": "Old", "type": "string" },
            "elsewhere": { "description": "Not here." },
        },
    });
    assert_eq!(adapted(&schema), expected);
}

#[test]
fn a_recursive_schema_ends() {
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/Tree" }, "all": { "allOf": [{ "$ref": "#/properties/all" }] } },
        "$defs": { "Tree": { "type": "object", "properties": { "left": { "$ref": "#/$defs/Tree" } } } },
    });
    let tree = json!({ "type": "object", "properties": { "left": { "type": "object" } } });
    assert_eq!(adapted(&schema)["properties"], json!({ "tree": tree, "all": {} }));
    let itself = json!({ "$ref": "#" });
    assert_eq!(parameters("server.tool", &itself), None);
}

#[test]
fn a_schema_of_exponential_size_is_bounded() {
    let reference = |number: usize| json!({ "$ref": format!("#/$defs/{number}") });
    let nested =
        |next| json!({ "type": "object", "properties": { "a": reference(next), "b": reference(next) } });
    let combined = |next| json!({ "allOf": [reference(next), reference(next)] });
    for step in [&nested as &dyn Fn(usize) -> Value, &combined] {
        let steps: Map<String, Value> =
            (0..30).map(|number| (number.to_string(), step(number + 1))).collect();
        let schema = json!({ "type": "object", "properties": { "a": reference(0) }, "$defs": steps });
        assert!(adapted(&schema).to_string().len() < 200_000);
    }
}
