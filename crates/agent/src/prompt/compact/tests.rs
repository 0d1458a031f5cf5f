//! Signatures and shortened definitions.

use std::sync::Arc;

use super::*;
use crate::prompt::tool_list::list_tools;

fn tool(description: &str, input_schema: Value) -> ToolDefinition {
    ToolDefinition { name: "server.tool".to_owned(), description: description.to_owned(), input_schema }
}

fn line(description: &str, input_schema: Value) -> String {
    list_tools(&[Arc::new(tool(description, input_schema))]).described.remove(0).signature
}

#[test]
fn a_signature_lists_required_parameters_first() {
    let schema = json!({"properties": {
        "tail": {"type": "integer", "default": 100},
        "name": {"type": "string", "description": "Which."},
        "level": {"enum": ["error", "info"]},
        "range": {"type": "object", "properties": {"from": {"type": "string"}}},
    }, "required": ["name"]});
    assert_eq!(
        line("Reads the log, e.g. of a pod. More.\n\n## Usage", schema),
        r#"server.tool - Reads the log, e.g. of a pod. Input: {"name": string, "tail"?: integer, "level"?: "error"|"info", "range"?: object}"#
    );
    assert_eq!(line("", json!({})), "server.tool - Input: {}");
}

#[test]
fn a_signature_is_bounded() {
    let many: Map<String, Value> =
        (0..200).map(|number| (format!("parameter{number}"), json!({"type": "string"}))).collect();
    let shown = line(&"x".repeat(5_000), json!({"properties": many}));
    assert!(shown.len() < 500 && shown.contains(", …}"), "{shown}");
}

#[test]
fn a_definition_keeps_what_a_call_needs() {
    let schema = json!({
        "$defs": {"Level": {"enum": ["error", "info"]}},
        "type": "object", "title": "Arguments", "additionalProperties": false, "required": ["name"],
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "The pod. It must exist.", "examples": ["a"]},
            "title": {"type": ["string", "null"], "default": null},
            "level": {"$ref": "#/$defs/Level"},
            "lines": {"type": "integer", "minimum": 1},
            "range": {"type": "object", "properties": {"from": {"type": "string", "format": "date-time"}}, "required": ["from"]},
            "names": {"type": "array", "items": {"type": "string", "description": "A name."}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        }
    });
    let compact = compact_definition(&tool("Reads. And more.", schema));
    assert_eq!(compact.description, "Reads.");
    assert_eq!(
        compact.input_schema,
        json!({
            "type": "object", "additionalProperties": false, "required": ["name"],
            "properties": {
                "name": {"type": "string", "description": "The pod."},
                "title": {"type": ["string", "null"]},
                "level": {"enum": ["error", "info"]},
                "lines": {"type": "integer", "minimum": 1},
                "range": {"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]},
                "names": {"type": "array", "items": {"type": "string"}},
                "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            }
        })
    );
    assert_eq!(compact_definition(&compact), compact);
}

#[test]
fn a_definition_is_bounded() {
    let parameter = json!({"type": "string", "description": "Which one of them. ".repeat(20)});
    let schema = |count: usize, required: usize| {
        let names = (0..count).map(|number| format!("parameter{number}"));
        let properties: Map<String, Value> = names.map(|name| (name, parameter.clone())).collect();
        let required: Vec<String> = (0..required).map(|number| format!("parameter{number}")).collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    for (count, required, kept) in [(5, 1, 5), (30, 1, 30), (500, 3, 3)] {
        let compact = compact_definition(&tool(&"Does much. ".repeat(99), schema(count, required)));
        assert!(size(&compact) <= MAX_DEFINITION_BYTES, "{count}: {}", size(&compact));
        assert_eq!(compact.input_schema["properties"].as_object().unwrap().len(), kept);
        assert_eq!(compact.input_schema["required"].as_array().unwrap().len(), required);
    }
    for odd in [json!(null), json!(true), json!({"$ref": "#"}), json!({"properties": 5})] {
        assert_eq!(compact_definition(&tool("", odd)).input_schema["type"], "object");
    }
}
