//! Inputs of actions that are nearly JSON, or fit the schema of the tool.

use serde_json::json;

use super::table::{Call, Feedback, check};

#[test]
fn damaged_json_is_repaired() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop", "limit": 5}));
    check(&[
        (
            "Action: k8s.pods_list\nAction Input: \"{\\\"namespace\\\": \\\"shop\\\", \\\"limit\\\": 5}\"",
            pods(),
        ),
        ("Action: k8s.pods_list\nAction Input: {\\\"namespace\\\": \\\"shop\\\", \\\"limit\\\": 5}", pods()),
        ("Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\", \"limit\": 5", pods()),
        ("Action: k8s.pods_list\nAction Input: {\"limit\": 5, \"namespace\": \"shop", pods()),
        (
            "Action: k8s.pods_list\nAction Input: {\"limit\": 5, \"namespace\": \"shop\"\n\nThis lists the pods.",
            pods(),
        ),
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\", // the shop\n\"limit\": 5 # five\n}",
            pods(),
        ),
        ("Action: k8s.pods_list\nAction Input: {/* which */ \"namespace\": \"shop\", \"limit\": 5}", pods()),
        ("Action: k8s.pods_list\nAction Input: {'namespace': 'shop', 'limit': 5,}", pods()),
        ("Action: k8s.pods_list\nAction Input: {\n  \"namespace\": \"shop\"\n  \"limit\": 5\n}", pods()),
        ("Action: k8s.pods_list\nAction Input: {{\"namespace\": \"shop\", \"limit\": 5}}", pods()),
        ("Action: k8s.pods_list\nAction Input: ```json\n{\"namespace\": \"shop\", \"limit\": 5\n```", pods()),
        (
            "Action: k8s.pods_list\nAction Input: {'namespace': 'shop', 'all': True, 'limit': None}",
            Call("k8s.pods_list", json!({"namespace": "shop", "all": true, "limit": null})),
        ),
        (
            "Action: web.fetch\nAction Input: {\"url\": \"http://h/#a\" // it\n}",
            Call("web.fetch", json!({"url": "http://h/#a"})),
        ),
    ]);
}

#[test]
fn lists_of_parameters_are_one_object() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop", "limit": 5}));
    check(&[
        ("Action: k8s.pods_list\nAction Input:\n- namespace: shop\n- limit: 5", pods()),
        ("Action: k8s.pods_list\nAction Input:\n* namespace: shop\n* limit: 5", pods()),
        ("Action: k8s.pods_list\nAction Input: [{\"namespace\": \"shop\", \"limit\": 5}]", pods()),
        (
            "Action: k8s.pods_list\nAction Input: [\"shop\"]",
            Call("k8s.pods_list", json!({"namespace": "shop"})),
        ),
        ("Action: k8s.pods_list\nAction Input: ```{\"namespace\": \"shop\", \"limit\": 5}```", pods()),
        ("Action: k8s.pods_list\nAction Input: {“namespace”： “shop”，“limit”：5}", pods()),
        ("Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\", \"limit\": 5 // five", pods()),
    ]);
}

#[test]
fn a_whole_call_can_be_the_input() {
    let pods = || Call("k8s.pods_list", json!({"namespace": "shop"}));
    check(&[
        (
            "Action: k8s.pods_list\nAction Input: {\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        (
            "Action: k8s.pods_list\nAction Input: {\"action\": \"pods_list\", \"action_input\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        (
            "Action: tool_call\nAction Input: {\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        (
            "Thought: x\nAction Input: {\"name\": \"k8s.pods_list\", \"arguments\": {\"namespace\": \"shop\"}}",
            pods(),
        ),
        ("Action: k8s.pods_list\nAction Input: k8s.pods_list({\"namespace\": \"shop\"})", pods()),
        ("Action: k8s.pods_list\nAction Input: k8s.pods_list(namespace=\"shop\")", pods()),
        ("Action: k8s.pods_list\nAction Input: {\"arguments\": {\"namespace\": \"shop\"}}", pods()),
    ]);
}

#[test]
fn a_bare_value_is_the_only_or_only_required_parameter() {
    check(&[
        ("Action: k8s.pods_list\nAction Input: shop", Call("k8s.pods_list", json!({"namespace": "shop"}))),
        (
            "Action: k8s.pods_list\nAction Input: \"shop\"",
            Call("k8s.pods_list", json!({"namespace": "shop"})),
        ),
        ("Action: k8s.pods_list(shop)", Call("k8s.pods_list", json!({"namespace": "shop"}))),
        ("Action: k8s.pods_list\nAction Input: 42", Call("k8s.pods_list", json!({"namespace": "42"}))),
        ("Action: prom.query\nAction Input: up == 0", Call("prom.query", json!({"query": "up == 0"}))),
        ("Action: prom.query\nAction Input: app=web", Call("prom.query", json!({"query": "app=web"}))),
        (
            "Action: prom.query\nAction Input: {app=\"web\"} > 5",
            Call("prom.query", json!({"query": "{app=\"web\"} > 5"})),
        ),
        (
            "Action: web.fetch\nAction Input: http://h/?a=b",
            Call("web.fetch", json!({"url": "http://h/?a=b"})),
        ),
        ("Action: alerts.recent\nAction Input: 10", Call("alerts.recent", json!({"limit": 10}))),
        ("Action: prom.query\nAction Input: {\"input\": \"up\"}", Call("prom.query", json!({"query": "up"}))),
        ("Action: k8s.pod_logs\nAction Input: web-0", Call("k8s.pod_logs", json!({"input": "web-0"}))),
    ]);
}

#[test]
fn numbers_follow_the_schema() {
    check(&[
        (
            "Action: k8s.pods_list\nAction Input: namespace: shop, limit: 1_000",
            Call("k8s.pods_list", json!({"namespace": "shop", "limit": 1000})),
        ),
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": \"1e5\", \"limit\": 1e5}",
            Call("k8s.pods_list", json!({"namespace": "1e5", "limit": 100_000})),
        ),
        (
            "Action: prom.query\nAction Input: query: up\nstep: 1e5",
            Call("prom.query", json!({"query": "up", "step": 100_000.0})),
        ),
        ("Action: alerts.recent\nAction Input: 1_0", Call("alerts.recent", json!({"limit": 10}))),
        (
            "Action: alerts.recent\nAction Input: limit: 1e400",
            Call("alerts.recent", json!({"limit": "1e400"})),
        ),
    ]);
}

#[test]
fn a_tool_without_required_parameters_needs_no_input() {
    check(&[
        ("Thought: look\nAction: k8s.nodes", Call("k8s.nodes", json!({}))),
        ("Thought: look\nAction: nodes\nThis lists the nodes.", Call("k8s.nodes", json!({}))),
        ("Action: alerts.recent\nObservation: none", Call("alerts.recent", json!({}))),
        ("Action: k8s.pods_list", Feedback("`k8s.pods_list` requires `namespace`")),
        ("Action: k8s.pod_logs", Feedback("`k8s.pod_logs` requires `pod`, `namespace`")),
    ]);
}

#[test]
fn broken_json_is_reported_as_broken() {
    check(&[
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": }",
            Feedback("the JSON of its `Action Input:` is broken"),
        ),
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": \"shop\", \"limit\"",
            Feedback("line 1, column"),
        ),
        (
            "Action: prom.query\nAction Input: {\n  \"query\": \"up{job=\"api\"}\"\n}",
            Feedback("line 2, column 21"),
        ),
        (
            "Action: k8s.pods_list\nAction Input: {\"namespace\": \"a\"; \"limit\": 1}",
            Feedback("near `; \"limit\": 1}`"),
        ),
    ]);
}
