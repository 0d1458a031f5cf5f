//! Tests of reading arguments: what is accepted, converted and refused.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{check_arguments, parameters_of, read_arguments};

fn schema() -> Value {
    json!({
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
        "$defs": {"filter": {"type": "object", "additionalProperties": false, "properties": {
            "phase": {"type": "string"}, "not": {"$ref": "#/$defs/filter"}}}},
    })
}

fn wrong(arguments: &str) -> String {
    read_arguments(&schema(), arguments).unwrap_err()
}

#[test]
fn accepts_valid_arguments_as_they_are() {
    for valid in [
        r#"{"namespace": "5"}"#,
        r#"{"namespace": "a", "limit": 5, "output": "json", "labels": ["x"], "since": null}"#,
        r#"{"namespace": "true", "filter": {"phase": "null", "not": {"phase": "[]"}}}"#,
    ] {
        let read = read_arguments(&schema(), valid).unwrap();
        assert_eq!(Value::Object(read), serde_json::from_str::<Value>(valid).unwrap());
    }
    for absent in ["", " ", "null", "{}", r#""{}""#] {
        assert!(read_arguments(&json!({"type": "object"}), absent).unwrap().is_empty(), "{absent}");
    }
}

#[test]
fn removes_null_where_it_can_only_mean_absent() {
    let given =
        r#"{"namespace": "a", "limit": null, "output": "None", "filter": {"phase": null}, "since": null}"#;
    let read = read_arguments(&schema(), given).unwrap();
    assert_eq!(Value::Object(read), json!({"namespace": "a", "filter": {}, "since": null}));
    assert!(wrong(r#"{"namespace": null}"#).contains("`namespace` must be a string, got null"));
    assert!(wrong(r#"{"namespace": "a", "limits": null}"#).contains("unknown parameter `limits`"));
}

/// Schemas of one parameter, with what a model wrote for it and what is sent.
#[test]
fn converts_what_can_mean_only_one_thing() {
    let objects =
        json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}});
    let either = json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]});
    let all_of = json!({"allOf": [{"$ref": "#/$defs/count"}, {"minimum": 3}]});
    for (schema, written, sent) in [
        (json!({"type": "integer"}), r#""5""#, json!(5)),
        (json!({"type": "integer"}), r#"" -7 ""#, json!(-7)),
        (json!({"type": "integer"}), r#""1e5""#, json!(100_000)),
        (json!({"type": "integer"}), r#""1_000""#, json!(1000)),
        (json!({"type": ["integer", "null"]}), "1e5", json!(100_000)),
        (json!({"type": "integer"}), r#""18446744073709551615""#, json!(u64::MAX)),
        (json!({"type": "number"}), r#""0.25""#, json!(0.25)),
        (json!({"type": "number"}), r#""5""#, json!(5)),
        (json!({"type": "boolean"}), r#""True""#, json!(true)),
        (json!({"type": "boolean"}), r#""no""#, json!(false)),
        (json!({"type": "string"}), "5", json!("5")),
        (json!({"type": "string"}), "1.10", json!("1.10")),
        (json!({"type": "string"}), "1234567890123456789012345", json!("1234567890123456789012345")),
        (json!({"type": "string"}), "true", json!("true")),
        (json!({"type": ["integer", "null"]}), r#""null""#, json!(null)),
        (json!({"type": "array", "items": {"type": "string"}}), r#""a""#, json!(["a"])),
        (json!({"type": "array", "items": {"type": "string"}}), r#""[\"a\", 5]""#, json!(["a", "5"])),
        (json!({"type": "array", "items": {"type": "integer"}}), r#""5""#, json!([5])),
        (json!({"type": "array"}), "5", json!([5])),
        (objects.clone(), r#"{"n": "1"}"#, json!([{"n": 1}])),
        (objects, r#""{\"n\": 1, \"m\": 2}""#, json!([{"n": 1, "m": 2}])),
        (json!({"type": "object"}), r#""{\"a\": 1}""#, json!({"a": 1})),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            r#"{"a": "1"}"#,
            json!({"a": 1}),
        ),
        (json!({"enum": [1, 5]}), r#""5""#, json!(5)),
        (json!({"enum": ["Pods", "Nodes"]}), r#""pods""#, json!("Pods")),
        (either.clone(), r#""5""#, json!(5)),
        (either, r#"["5", 6]"#, json!([5, 6])),
        (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), r#""5""#, json!("5")),
        (all_of, r#""4""#, json!(4)),
    ] {
        let tool =
            json!({"type": "object", "properties": {"p": schema}, "$defs": {"count": {"type": "integer"}}});
        let read = read_arguments(&tool, &format!(r#"{{"p": {written}}}"#)).map(Value::Object);
        assert_eq!(read, Ok(json!({"p": sent})), "{schema} {written}");
        let again = read_arguments(&tool, &json!({"p": sent}).to_string()).map(Value::Object);
        assert_eq!(again, Ok(json!({"p": sent})), "reading twice: {schema} {written}");
    }
    let whole = read_arguments(&schema(), r#""{\"namespace\": 7, \"limit\": \"5\"}""#).unwrap();
    assert_eq!(Value::Object(whole), json!({"namespace": "7", "limit": 5}));
}

#[test]
fn refuses_what_can_mean_several_things() {
    for (schema, written) in [
        (json!({"type": "integer"}), r#""five""#),
        (json!({"type": "integer"}), r#""0644""#),
        (json!({"type": "integer"}), r#""1,000""#),
        (json!({"type": "integer"}), r#""1.5""#),
        (json!({"type": "integer"}), r#""_1""#),
        (json!({"type": "integer"}), r#""""#),
        (json!({"type": "integer"}), "true"),
        (json!({"type": "integer", "maximum": 4}), r#""5""#),
        (json!({"type": "boolean"}), "1"),
        (json!({"type": "boolean"}), r#""maybe""#),
        (json!({"type": "array", "items": {"type": "string"}}), r#""a,b""#),
        (json!({"type": "array", "items": {"type": "integer"}}), r#""a""#),
        (json!({"type": "object"}), r#""[1]""#),
        (json!({"type": "object"}), r#""{broken""#),
        (json!({"type": "string"}), r#"{"a": 1}"#),
        (json!({"type": "string"}), r#"["a"]"#),
        (json!({"enum": ["a", "A"]}), r#""á""#),
    ] {
        let tool = json!({"type": "object", "properties": {"p": schema}});
        assert!(read_arguments(&tool, &format!(r#"{{"p": {written}}}"#)).is_err(), "{schema} {written}");
    }
}

#[test]
fn members_and_items_that_another_keyword_describes_are_sent_as_they_are() {
    for (schema, written) in [
        (
            json!({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            r#"{"x-a": "7", "b": 1}"#,
        ),
        (
            json!({"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": false}),
            r#"{"x-a": 1}"#,
        ),
        (json!({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}), r#"["7", 1]"#),
        (json!({"prefixItems": [{"type": "string"}], "items": false}), r#"["7"]"#),
    ] {
        let tool = json!({"type": "object", "properties": {"p": schema}});
        let sent: Value = serde_json::from_str(written).unwrap();
        let read = read_arguments(&tool, &format!(r#"{{"p": {written}}}"#)).map(Value::Object);
        assert_eq!(read, Ok(json!({"p": sent})), "{schema}");
    }
}

#[test]
fn large_numbers_keep_every_digit() {
    let tool = json!({"properties": {"i": {"type": "integer"}, "s": {"type": "string"}}});
    for (written, sent) in [
        (r#"{"i": "18446744073709551615"}"#, r#"{"i":18446744073709551615}"#),
        (r#"{"i": 9007199254740993}"#, r#"{"i":9007199254740993}"#),
        (r#"{"i": "-9223372036854775808"}"#, r#"{"i":-9223372036854775808}"#),
        (r#"{"s": 18446744073709551615}"#, r#"{"s":"18446744073709551615"}"#),
        (r#"{"s": 1234567890123456789012345}"#, r#"{"s":"1234567890123456789012345"}"#),
    ] {
        let read = read_arguments(&tool, written).map(|read| Value::Object(read).to_string());
        assert_eq!(read.as_deref(), Ok(sent));
    }
    assert!(read_arguments(&tool, r#"{"i": "18446744073709551616"}"#).is_err());
}

#[test]
fn explains_invalid_arguments() {
    insta::assert_snapshot!(wrong(r#"{"name_space": "a", "limit": "many", "labels": ["x", {}], "job": 1}"#), @r#"
    the arguments do not match the schema of the tool:
    - missing required parameter `namespace` (string)
    - `limit` must be an integer, got the string "many"
    - `labels[1]` must be a string, got an object
    - unknown parameter `name_space`; did you mean `namespace`? This tool takes: `namespace` (string), `limit` (integer, optional), `output` ("json" | "yaml", optional), `labels` (array of string, optional), `since` (string or null, optional), `filter` (object, optional)
    - unknown parameter `job`
    "#);
    insta::assert_snapshot!(
        wrong(r#"{"namespace": "a", "limit": 0, "output": "xml", "since": [], "filter": {"not": {"fase": 1}}}"#),
        @r#"
    the arguments do not match the schema of the tool:
    - `limit` must be at least 1, got the number 0
    - `output` must be one of "json", "yaml", got the string "xml"
    - `since` must be a string or null, got an array
    - unknown parameter `filter.not.fase`; `filter.not` takes: `phase` (string, optional), `not` (object, optional)
    "#
    );
    assert_eq!(wrong("[1]"), "the arguments must be a JSON object, got an array");
    assert_eq!(wrong(r#""pods""#), r#"the arguments must be a JSON object, got the string "pods""#);
    assert!(wrong("{a").starts_with("the arguments are not valid JSON: key must be a string at line 1"));
}

#[test]
fn an_unknown_parameter_is_refused_with_those_that_exist() {
    let tool = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"limit": {"type": "integer"}, "state": {"type": "string"}},
        "required": ["state"],
    });
    assert_eq!(
        read_arguments(&tool, r#"{"state": "failed", "job": "x"}"#).unwrap_err(),
        "the arguments do not match the schema of the tool:\n\
         - unknown parameter `job`; this tool takes: `state` (string), `limit` (integer, optional)"
    );
    let none = json!({"type": "object", "additionalProperties": false});
    let refused = read_arguments(&none, r#"{"job": "x"}"#).unwrap_err();
    assert!(refused.ends_with("unknown parameter `job`; this tool takes no parameters"), "{refused}");
}

#[test]
fn a_missing_parameter_is_named_with_those_that_the_tool_does_not_know() {
    let open = json!({"type": "object", "properties": {"pod": {"type": "string"}}, "required": ["pod"]});
    assert_eq!(
        read_arguments(&open, r#"{"pod_name": "x"}"#).unwrap_err(),
        "the arguments do not match the schema of the tool:\n\
         - missing required parameter `pod` (string)\n\
         - unknown parameter `pod_name`; this tool takes: `pod` (string)"
    );
    assert!(read_arguments(&open, r#"{"pod": "x", "other": 1}"#).is_ok());
}

#[test]
fn describes_the_types_of_parameters() {
    let tool = json!({"properties": {
        "a": {"type": "array", "items": {"type": ["string", "null"]}},
        "b": {"enum": ["x", 1]},
        "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "d": {"$ref": "#/$defs/d"},
        "e": true,
    }, "$defs": {"d": {"type": "boolean"}}});
    assert_eq!(
        parameters_of(&tool),
        r#"takes: `a` (array of string or null, optional), `b` ("x" | 1, optional), `c` (integer or null, optional), `d` (boolean, optional), `e` (any, optional)"#
    );
}

#[test]
fn tolerates_endless_and_invalid_schemas() {
    let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    assert!(check_arguments(&endless, &json!({})).is_empty());
    assert!(check_arguments(&json!({"type": 7, "required": "x"}), &json!({})).is_empty());
    let branching = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "string"}]});
    let began = Instant::now();
    assert!(read_arguments(&branching, r#"{"a": 1}"#).is_ok());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
