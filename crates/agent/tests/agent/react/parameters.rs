//! Parsing of inputs, as tables of text and value.

use serde_json::{Value, json};
use tarsy_agent::react::parse_parameters;

fn check(cases: &[(&str, Value)]) {
    for (input, expected) in cases {
        assert_eq!(&Value::Object(parse_parameters(input)), expected, "{input}");
    }
}

#[test]
fn json_is_parsed_with_fences_and_trailing_prose() {
    check(&[
        ("{\"a\": 1, \"b\": [true, null]}", json!({"a": 1, "b": [true, null]})),
        ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
        ("```\n{\"a\": 1}\n```\nThis looks at a.", json!({"a": 1})),
        ("```json {\"a\": 1}```", json!({"a": 1})),
        ("`{\"a\": 1}`", json!({"a": 1})),
        ("{\"a\": 1}\n\nThis looks at a: all of it.", json!({"a": 1})),
        ("{\"a\": 1}\n```", json!({"a": 1})),
        ("{\n  \"a\": \"x: y\"\n}", json!({"a": "x: y"})),
    ]);
}

#[test]
fn json_that_is_not_an_object_is_stored_under_input() {
    check(&[
        ("[1, \"b\"]", json!({"input": [1, "b"]})),
        ("[1]\nThe first one.", json!({"input": [1]})),
        ("\"a b\"", json!({"input": "a b"})),
        ("42", json!({"input": 42})),
        ("-0.5", json!({"input": -0.5})),
        ("true", json!({"input": true})),
        ("null", json!({"input": null})),
        ("'a, b: c'", json!({"input": "a, b: c"})),
    ]);
}

#[test]
fn json_with_deviations_is_parsed() {
    check(&[
        ("{'a': 'b', 'c': None, 'd': True}", json!({"a": "b", "c": null, "d": true})),
        ("{\"a\": 1, \"b\": [1, 2,],}", json!({"a": 1, "b": [1, 2]})),
        ("{a: b, c: [x, y]} to see", json!({"a": "b", "c": ["x", "y"]})),
        ("{\"q\": \"select 1\nfrom t\"}", json!({"q": "select 1\nfrom t"})),
        ("\"a\": \"b\", \"c\": 1", json!({"a": "b", "c": 1})),
    ]);
}

#[test]
fn nested_yaml_keeps_its_structure() {
    check(&[
        ("a:\n  b: 1\n  c:\n  - x\n  - y: 2\nd: e", json!({"a": {"b": 1, "c": ["x", {"y": 2}]}, "d": "e"})),
        ("  a:\n    b: 1\n  c: 2", json!({"a": {"b": 1}, "c": 2})),
        ("---\na:\n- 007\n- 2026-01-31\n- '1'\n- ~", json!({"a": ["007", "2026-01-31", "1", null]})),
        ("```yaml\na:\n  b: c\n```", json!({"a": {"b": "c"}})),
        ("q: |\n  select 1\n    from t\nlimit: 5", json!({"q": "select 1\n  from t\n", "limit": 5})),
        ("a: b\n  c", json!({"a": "b c"})),
        ("- x\n- y", json!({"input": ["x", "y"]})),
    ]);
}

#[test]
fn nesting_is_kept_next_to_lines_that_are_not_valid_yaml() {
    check(&[
        (
            "message: Error: it failed\nopts:\n  limit: 5",
            json!({"message": "Error: it failed", "opts": {"limit": 5}}),
        ),
        (
            "query: {app=\"web\"} |= \"error\"\nopts:\n  limit: 5",
            json!({"query": "{app=\"web\"} |= \"error\"", "opts": {"limit": 5}}),
        ),
        ("pattern: *.log\nopts:\n  limit: 5", json!({"pattern": "*.log", "opts": {"limit": 5}})),
        ("cmd: a: b\nargs:\n  - x", json!({"cmd": "a: b", "args": ["x"]})),
        ("cmd: a: b\nargs:\n- x\n- y\nn: 1", json!({"cmd": "a: b", "args": ["x", "y"], "n": 1})),
        (
            "a: b: c\n\nd:\n\n  e:\n    f: *.log\n    g: [1]\n  h: 2\ni: 3",
            json!({"a": "b: c", "d": {"e": {"f": "*.log", "g": [1]}, "h": 2}, "i": 3}),
        ),
        ("a: b: c\nq: |\n  x: 1\n    y\nn: 2", json!({"a": "b: c", "q": "x: 1\n  y\n", "n": 2})),
        ("a: b: c\nq:\n  select 1\n  from t\nn: 2", json!({"a": "b: c", "q": "select 1\n  from t", "n": 2})),
        ("a: b: c\nq:\n  x=1 and y\nn: 2", json!({"a": "b: c", "q": "x=1 and y", "n": 2})),
        ("a:\n  b: 1\nThat is all.", json!({"a": {"b": 1}})),
    ]);
}

#[test]
fn lists_of_keys_and_values_are_separated_by_lines_and_commas() {
    check(&[
        ("a: b\nc: 1\nd: false", json!({"a": "b", "c": 1, "d": false})),
        ("a: b, c: 1, d: none", json!({"a": "b", "c": 1, "d": null})),
        ("a=b, c=1,d=x", json!({"a": "b", "c": 1, "d": "x"})),
        ("a = b\nc = 1", json!({"a": "b", "c": 1})),
        ("a: b, c=1", json!({"a": "b", "c": 1})),
        ("a: b,\nc: 1,\n", json!({"a": "b", "c": 1})),
        ("a: b\n\nc: 1", json!({"a": "b", "c": 1})),
        ("\"a\": b, 'c': d, `e`: f", json!({"a": "b", "c": "d", "e": "f"})),
        ("app.kubernetes.io/name: web", json!({"app.kubernetes.io/name": "web"})),
        ("a:\nb: 1", json!({"a": "", "b": 1})),
        ("a: 1\na: 2", json!({"a": 2})),
    ]);
}

#[test]
fn values_can_contain_commas_colons_and_equals_signs() {
    check(&[
        ("query: a, b, c", json!({"query": "a, b, c"})),
        ("query: a, b, c, limit: 5", json!({"query": "a, b, c", "limit": 5})),
        ("labels: app=web", json!({"labels": "app=web"})),
        ("labels: app=web,tier=db", json!({"labels": "app=web,tier=db"})),
        ("labels: app=web, tier=db, limit: 5", json!({"labels": "app=web, tier=db", "limit": 5})),
        ("labels=app=web,tier=db", json!({"labels": "app=web,tier=db"})),
        ("labels=app=web, limit=5", json!({"labels": "app=web", "limit": 5})),
        ("url: http://h:80/?a=b&c=d, n: 1", json!({"url": "http://h:80/?a=b&c=d", "n": 1})),
        ("image: web:1.30\nat: 12:30", json!({"image": "web:1.30", "at": "12:30"})),
        ("msg: it says: no", json!({"msg": "it says: no"})),
        ("q: sum(rate(x[5m]), by=pod)\nn: 1", json!({"q": "sum(rate(x[5m]), by=pod)", "n": 1})),
        ("q: {app=\"web\"} |= \"x: y\", n: 1", json!({"q": "{app=\"web\"} |= \"x: y\"", "n": 1})),
        ("channel: #alerts\nglob: *.log", json!({"channel": "#alerts", "glob": "*.log"})),
    ]);
}

#[test]
fn quotes_and_brackets_delimit_values() {
    check(&[
        ("a: \"b, c: d\", e: 'f'", json!({"a": "b, c: d", "e": "f"})),
        ("a: \"5\"\nb: 'true'", json!({"a": "5", "b": "true"})),
        ("a: `b`", json!({"a": "b"})),
        ("a: [x, y], b: {c: 1}", json!({"a": ["x", "y"], "b": {"c": 1}})),
        ("a: []\nb: c", json!({"a": [], "b": "c"})),
        ("a: \"b\" and \"c\"", json!({"a": "\"b\" and \"c\""})),
        ("a: \"b, c: d", json!({"a": "\"b", "c": "d"})),
        ("a: [b, c: [d", json!({"a": "[b, c: [d"})),
        ("a: it's, b: don't", json!({"a": "it's", "b": "don't"})),
    ]);
}

#[test]
fn lines_without_a_key_continue_the_value_and_prose_after_a_blank_line_is_dropped() {
    check(&[
        ("q: select 1\nfrom t\nn: 1", json!({"q": "select 1\nfrom t", "n": 1})),
        ("a: b\n\nThis looks at b.", json!({"a": "b"})),
        ("a: b\n\nThis looks at b.\nc: d", json!({"a": "b", "c": "d"})),
        ("a: b\n- x\nc: d", json!({"a": "b", "c": "d"})),
    ]);
}

#[test]
fn keys_can_be_indented_deeper_than_the_first() {
    check(&[
        ("namespace: x\n  name: y", json!({"namespace": "x", "name": "y"})),
        (
            "namespace: x\n              name: y\n              n: 1",
            json!({"namespace": "x", "name": "y", "n": 1}),
        ),
        ("namespace: x\n  selector:\n    app: web", json!({"namespace": "x", "selector": {"app": "web"}})),
        ("namespace: x\n  name: *.log\nn: 1", json!({"namespace": "x", "name": "*.log", "n": 1})),
        ("namespace: \"x\"\n\n  name: y z", json!({"namespace": "x", "name": "y z"})),
        ("namespace: x,\n  name: y", json!({"namespace": "x", "name": "y"})),
        ("namespace=x\n  name=y", json!({"namespace": "x", "name": "y"})),
    ]);
}

#[test]
fn a_key_below_an_unfinished_value_belongs_to_the_value() {
    check(&[
        ("code: class A:\n  x: int", json!({"code": "class A:\n  x: int"})),
        ("cmd: run \\\n  a: b", json!({"cmd": "run \\\n  a: b"})),
        ("text: \"one\n  two: three\"", json!({"text": "one two: three"})),
        ("q: sum(\n  a: b)", json!({"q": "sum(\n  a: b)"})),
        ("env: A=1\n  B=2", json!({"env": "A=1 B=2"})),
    ]);
}

#[test]
fn a_sentence_below_a_value_of_one_word_does_not_belong_to_it() {
    check(&[
        ("namespace: shop\nThis will list the pods in the shop namespace.", json!({"namespace": "shop"})),
        ("namespace: \"shop\"\nThis will list the pods: all of them!", json!({"namespace": "shop"})),
        ("namespace=shop, n=5\nI look at five pods.\nThen at more.", json!({"namespace": "shop", "n": 5})),
        ("namespace: x\n  name: y\nThis lists the pods.", json!({"namespace": "x", "name": "y"})),
        ("names: [a, b]\nThis lists both pods.\nn: 1", json!({"names": ["a", "b"], "n": 1})),
    ]);
}

#[test]
fn other_lines_below_a_value_belong_to_it() {
    check(&[
        ("text: The disk\nThis one is full.", json!({"text": "The disk\nThis one is full."})),
        ("q: SELECT\nName FROM pods", json!({"q": "SELECT\nName FROM pods"})),
        ("q: SELECT\na FROM b.", json!({"q": "SELECT\na FROM b."})),
        ("text: Hello\nBob.", json!({"text": "Hello\nBob."})),
        ("text: one\ntwo\nThis is the third line.", json!({"text": "one\ntwo\nThis is the third line."})),
    ]);
}

#[test]
fn any_other_text_is_stored_under_input() {
    check(&[
        ("list all pods", json!({"input": "list all pods"})),
        ("select *\nfrom t: x", json!({"input": "select *\nfrom t: x"})),
        ("{app=\"web\"} |= \"x\"", json!({"input": "{app=\"web\"} |= \"x\""})),
        ("up == 0", json!({"input": "up == 0"})),
        ("web:1.25", json!({"input": "web:1.25"})),
        ("http://h/?a=b", json!({"input": "http://h/?a=b"})),
        ("please check: it", json!({"input": "please check: it"})),
        ("{\"a\": ", json!({"input": "{\"a\":"})),
        ("[see] the log", json!({"input": "[see] the log"})),
    ]);
}

#[test]
fn anchors_tags_and_deep_nesting_are_not_parsed() {
    let bomb = "a: &a\n- x\nb: *a";
    assert_eq!(Value::Object(parse_parameters(bomb)), json!({"a": "&a", "b": "*a"}));
    assert_eq!(Value::Object(parse_parameters("a: !t\n  b: c")), json!({"a": "!t\n  b: c"}));
    for deep in ["[".repeat(100_000), "{\"a\":".repeat(100_000), "- ".repeat(100_000), "{".repeat(100_000)] {
        assert_eq!(parse_parameters(&deep).len(), 1);
    }
    let stairs: String = (0..1_000).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect();
    assert_eq!(parse_parameters(&stairs).len(), 1);
}

#[test]
fn an_empty_input_has_no_parameters() {
    for nothing in ["", "  \n ", "{}", "None", "n/a", "```\n```", "(none)"] {
        assert_eq!(Value::Object(parse_parameters(nothing)), json!({}), "{nothing:?}");
    }
}
