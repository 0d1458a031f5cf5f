//! Tool calls whose arguments are streamed in parts.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind as Kind;

use super::{events, last, native, parts, reply};

fn call(fields: &Value) -> String {
    json!({ "functionCall": fields }).to_string()
}

fn part(path: &str, value: &Value) -> Value {
    let mut part = json!({ "jsonPath": path });
    part.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
    part
}

/// The documented form: the name, the arguments value by value, and an empty call at the end.
fn streamed(arguments: &[Value]) -> String {
    let begin = json!({"functionCall": {"name": "k8s__pods", "id": "c1", "willContinue": true}, "thoughtSignature": "c2ln"});
    let mut all = vec![parts(&begin.to_string())];
    all.extend(
        arguments
            .iter()
            .map(|argument| parts(&call(&json!({"partialArgs": [argument], "willContinue": true})))),
    );
    all.push(last(&call(&json!({}))));
    events(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

#[tokio::test]
async fn streamed_arguments_become_one_complete_call() {
    let body = streamed(&[
        part("$.namespace", &json!({"stringValue": "pay", "willContinue": true})),
        part("$.namespace", &json!({"stringValue": "ö\"ments", "willContinue": true})),
        part("$.namespace", &json!({"stringValue": ""})),
        part("$.limit", &json!({"numberValue": 5})),
        part("$.ratio", &json!({"numberValue": 0.5})),
        part("$.wide", &json!({"boolValue": false})),
        part("$.since", &json!({"nullValue": "NULL_VALUE"})),
        part("$.until", &json!({"nullValue": null})),
        part("$.filter.labels[0].key", &json!({"stringValue": "app"})),
        part("$.filter.labels[0].value", &json!({"stringValue": "we", "willContinue": true})),
        part("$.filter.labels[0].value", &json!({"stringValue": "b"})),
        part("$.filter.labels[1]['odd key']", &json!({"stringValue": "x"})),
        part("$[\"a.b\"]", &json!({"boolValue": true})),
        part("$.note", &json!({"stringValue": "one path, ", "willContinue": true})),
        part("$['note']", &json!({"stringValue": "two spellings"})),
    ]);
    let assembly = reply(&body).await.unwrap();
    let [call] = assembly.reply.tool_calls.as_slice() else { panic!("{:?}", assembly.reply.tool_calls) };
    assert_eq!((call.id.as_str(), call.name.as_str()), ("c1", "k8s__pods"));
    let expected = json!({"namespace": "payö\"ments", "limit": 5, "ratio": 0.5, "wide": false, "since": null,
        "until": null, "filter": {"labels": [{"key": "app", "value": "web"}, {"odd key": "x"}]}, "a.b": true,
        "note": "one path, two spellings"});
    assert_eq!(serde_json::from_str::<Value>(&call.arguments).unwrap(), expected);
    assert_eq!(
        native(&assembly)["parts"],
        json!([{"functionCall": {"name": "k8s__pods", "id": "c1", "args": expected}, "thoughtSignature": "c2ln"}]),
        "the state holds one complete call with its signature"
    );
}

#[tokio::test]
async fn several_streamed_calls_and_a_complete_one_keep_their_order() {
    let body = events(&[
        &parts(r#"{"text":"Looking."}"#),
        &parts(&call(&json!({"name": "a", "willContinue": true}))),
        &parts(&call(&json!({"partialArgs": [part("$.x", &json!({"numberValue": 1}))]}))),
        &parts(&call(&json!({"name": "b", "args": {"y": 2}}))),
        &parts(&format!(
            "{},{}",
            call(&json!({"name": "c", "willContinue": true})),
            call(
                &json!({"partialArgs": [part("$.z[0]", &json!({"stringValue": "q"}))], "willContinue": true})
            )
        )),
        &last(&call(&json!({}))),
    ]);
    let calls = reply(&body).await.unwrap().reply.tool_calls;
    let shown: Vec<_> = calls.iter().map(|call| format!("{}{}", call.name, call.arguments)).collect();
    assert_eq!(shown, [r#"a{"x":1}"#, r#"b{"y":2}"#, r#"c{"z":["q"]}"#]);
}

#[tokio::test]
async fn a_streamed_call_without_arguments_has_an_empty_object() {
    let calls = reply(&streamed(&[])).await.unwrap().reply.tool_calls;
    assert_eq!(calls[0].arguments, "{}");
}

#[tokio::test]
async fn a_streamed_call_that_never_ends_is_not_used() {
    let begun = parts(&call(&json!({"name": "a", "willContinue": true})));
    let value = |more: bool| {
        let value = part("$.x", &json!({"stringValue": "lo", "willContinue": more}));
        parts(&call(&json!({"partialArgs": [value], "willContinue": true})))
    };
    let stopped = last("");
    let error = reply(&events(&[&begun, &value(true), &stopped])).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::ProviderBug, "{error}");
    let calls = reply(&events(&[&begun, &value(false), &stopped])).await.unwrap().reply.tool_calls;
    assert_eq!(calls[0].arguments, r#"{"x":"lo"}"#, "every value is complete");

    let limit = r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#;
    let text = parts(r#"{"text":"So far"}"#);
    let cut = reply(&events(&[&text, &begun, &value(true), limit])).await.unwrap().reply;
    assert_eq!((cut.text.as_str(), cut.tool_calls.len(), cut.cut_off), ("So far", 0, true));
    let error = reply(&events(&[&begun, &value(true), limit])).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::EmptyReply);
}

#[tokio::test]
async fn a_call_without_a_name_is_never_returned() {
    for nameless in [
        json!({"args": {"a": 1}}),
        json!({"name": "", "args": {}}),
        json!({"partialArgs": [part("$.a", &json!({"numberValue": 1}))], "willContinue": true}),
    ] {
        let error = reply(&events(&[&last(&call(&nameless))])).await.unwrap_err();
        assert_eq!(error.failure.kind, Kind::ProviderBug, "{nameless}");
    }
    let reply =
        reply(&events(&[&parts(r#"{"text":"Fine."}"#), &last(&call(&json!({})))])).await.unwrap().reply;
    assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Fine.", 0));
}
