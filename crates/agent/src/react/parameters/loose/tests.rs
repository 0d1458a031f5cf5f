//! JSON with deviations as tables of text and value.

use serde_json::json;

use super::*;

#[test]
fn json_with_deviations_is_parsed() {
    let cases = [
        (
            "{'a': 'it\\'s', \"b\": None, 'c': [True, 1.5,],}",
            json!({"a": "it's", "b": null, "c": [true, 1.5]}),
        ),
        ("{name: web-0, 'url': http://h/?a=b}", json!({"name": "web-0", "url": "http://h/?a=b"})),
        ("{\"sql\": \"select 1\n  from t\"}", json!({"sql": "select 1\n  from t"})),
        (
            r#"{"re": "\d+\.\w", "u": "\u00fc\ud83d\ude00\ud83d", "n": "\n\u12"}"#,
            json!({"re": "\\d+\\.\\w", "u": "ü😀\u{fffd}", "n": "\n\u{fffd}12"}),
        ),
        ("{\"a\": 1, // one\n /* two */ # three\n b: 2 # four\n}", json!({"a": 1, "b": 2})),
        ("[]", json!([])),
        ("{ }", json!({})),
    ];
    for (text, value) in cases {
        assert_eq!(read(text), Some((value, text.len())), "{text}");
    }
}

#[test]
fn values_that_are_not_closed_are_closed_on_request() {
    let cases = [
        ("{\"a\": {\"b\": [1, 2", json!({"a": {"b": [1, 2]}})),
        ("{\"a\": \"b", json!({"a": "b"})),
        ("{\"a\": \"b}", json!({"a": "b"})),
        ("{\"a\": [1, 2}", json!({"a": [1, 2]})),
        ("{\"a\": 1\n\"b\": 2}", json!({"a": 1, "b": 2})),
        ("{\"a\": {\"b\": 1}\n\nThis looks at b.", json!({"a": {"b": 1}})),
        ("{\"a\": 1\n```", json!({"a": 1})),
    ];
    for (text, value) in cases {
        assert_eq!(repair(text).map(|(value, _)| value), Ok(value), "{text}");
    }
}

#[test]
fn faults_have_a_position() {
    let cases = [
        ("{\"a\": }", (1, 7), "}", "a value"),
        ("{\"a\"", (1, 5), "", "`:` after a key"),
        ("{\n\"a\": \"b\"c\"}", (2, 9), "c\"}", "`,` or a closing bracket"),
        ("{\"a\": \"b\nc", (1, 7), "\"b", "a closing quote"),
        ("{=}", (1, 2), "=}", "a key in quotes"),
    ];
    for (text, position, near, expected) in cases {
        let fault = JsonFault { position, near: near.to_owned(), expected };
        assert_eq!(repair(text), Err(fault), "{text}");
    }
}

#[test]
fn other_texts_are_rejected() {
    let deep = "[".repeat(100_000);
    for text in ["{", "{a}", "{a: }", "{a: 1", "{app=\"web\"}", "{{ x }}", "[a [b]]", "'", "\"a\\", "", &deep]
    {
        assert_eq!(read(text), None, "{text:.20}");
    }
}
