//! Ordinary, unusual and hostile schemas.

use serde_json::json;

use super::*;

/// Returns each parameter on its own line, indented by its depth.
fn listed(schema: Value) -> String {
    let tool = ToolDefinition { name: "s.t".into(), description: String::new(), input_schema: schema };
    let tool = list_tool(&tool, MAX_DEPTH);
    let lines = tool.parameters.iter().map(|parameter| {
        let Parameter { name, depth, r#type, required, default, choices, description } = parameter;
        let required = if *required { " required" } else { "" };
        let default = default.as_ref().map(|default| format!(" ={default}")).unwrap_or_default();
        let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join(" ")) };
        format!("{}{name}: {type}{required}{default}{choices} {description}", "  ".repeat(*depth))
            .trim_end()
            .to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_parameter_has_name_type_requirement_default_choices_and_description() {
    let schema = json!({
        "type": "object",
        "required": ["namespace"],
        "properties": {
            "namespace": {"type": "string", "description": "Where\nto look."},
            "limit": {"type": "integer", "default": 20},
            "output": {"enum": ["yaml", "table"], "default": "table"},
            "since": {"type": ["string", "null"]},
        }
    });
    insta::assert_snapshot!(listed(schema), @r#"
    namespace: string required Where to look.
    limit: integer =20
    output: string ="table" ["yaml" "table"]
    since: string or null
    "#);
}

#[test]
fn nested_objects_arrays_alternatives_and_references_are_followed() {
    let schema = json!({
        "$defs": {
            "Selector": {"type": "object", "description": "Which pods.", "required": ["key"], "properties": {
                "key": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}}
            }},
            "Level": {"enum": ["debug", "info"]},
        },
        "properties": {
            "selector": {"$ref": "#/$defs/Selector"},
            "maybe": {"anyOf": [{"$ref": "#/$defs/Selector"}, {"type": "null"}], "default": null},
            "many": {"type": "array", "items": {"$ref": "#/$defs/Selector"}},
            "levels": {"items": {"$ref": "#/$defs/Level"}},
            "mode": {"oneOf": [{"const": "fast"}, {"const": "slow"}]},
            "both": {"allOf": [{"properties": {"a": {"type": "number"}}, "required": ["a"]}, {"properties": {"b": {}}}]},
            "flag": true,
        }
    });
    insta::assert_snapshot!(listed(schema), @r#"
    selector: object Which pods.
      key: string required
      values: array of string
    maybe: object or null =null
      key: string required
      values: array of string
    many: array of object
      key: string required
      values: array of string
    levels: array of string ["debug" "info"]
    mode: string ["fast" "slow"]
    both: object
      a: number required
      b: any
    flag: any
    "#);
}

#[test]
fn unusual_schemas_are_listed_as_far_as_possible() {
    let cases = [
        (json!(null), ""),
        (json!(true), ""),
        (json!({"properties": []}), ""),
        (json!({"$ref": "#"}), ""),
        (json!({"$ref": "https://elsewhere/schema.json"}), ""),
        (json!({"properties": {"a": 5}, "required": "a"}), "a: any"),
        (json!({"properties": {"a": {"type": 5, "enum": {}}}}), "a: any"),
        (json!({"properties": {"a": {"$ref": "#/properties/a"}}}), "a: any"),
        (json!({"properties": {"a\n- `b` <!--": {"type": "x\ny -->"}}}), "a - `b` &lt;!--: x y --&gt;"),
    ];
    for (schema, expected) in cases {
        assert_eq!(listed(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn endless_and_huge_schemas_stay_short() {
    let fields: serde_json::Map<String, Value> =
        (0..500).map(|number| (format!("field{number}"), json!({"$ref": "#"}))).collect();
    let endless = json!({"properties": fields, "anyOf": vec![json!({"$ref": "#"}); 500]});
    let tool = ToolDefinition { name: "s.t".into(), description: "x".repeat(9_999), input_schema: endless };
    let tool = list_tool(&tool, MAX_DEPTH);
    assert_eq!((tool.left_out, tool.description.chars().count()), (440, 1_001));
    assert!(tool.parameters.len() <= MAX_PARAMETERS * (MAX_FIELDS + 1), "{}", tool.parameters.len());

    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"properties": {"inner": deep.clone()}, "anyOf": [deep, {"type": "null"}]});
        if deep.to_string().len() > 1_000_000 {
            break;
        }
    }
    assert_eq!(listed(json!({"properties": {"top": deep}})).lines().count(), 4);
    let choices: Vec<usize> = (0..1_000).collect();
    assert!(listed(json!({"properties": {"a": {"enum": choices}}})).ends_with("19 … 980 more]"));
}
