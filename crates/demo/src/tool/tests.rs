//! What the tools answer, right and wrong.

use serde_json::json;

use super::*;
use crate::incident::Incident;

fn look_at(tool: &str, arguments: Value) -> Result<String, String> {
    let cluster = Cluster::of(Incident::named("checkout-oom").unwrap()).unwrap();
    let present = Present::beginning("2030-01-01T12:00:00Z".parse().unwrap());
    let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
    look(tool, arguments, &cluster, present)
}

#[test]
fn every_tool_describes_its_arguments() {
    for tool in tools() {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        let arguments = tool.input_schema["properties"].as_object().unwrap();
        for (name, argument) in arguments {
            assert!(argument["description"].is_string(), "{} does not describe {name}", tool.name);
        }
    }
}

#[test]
fn a_list_has_the_columns_of_kubectl() {
    let nodes = look_at("kubectl_get", json!({ "kind": "no" })).unwrap();
    let first = nodes.lines().next().unwrap();
    let columns: Vec<&str> = first.split_whitespace().collect();
    assert_eq!(columns, ["NAMESPACE", "NAME", "STATUS", "ROLES", "AGE", "VERSION", "CPU", "MEMORY"]);
    assert_eq!(nodes.lines().count(), 4, "{nodes}");
}

#[test]
fn an_object_is_described_with_its_events() {
    let pod = json!({ "kind": "pod", "name": "checkout-6c9d7f5b8-k2x4p" });
    let described = look_at("kubectl_describe", pod).unwrap();
    assert!(described.contains("reason OOMKilled, exit code 137"), "{described}");
    assert!(described.contains("started 2030-01-01T11:51:40Z"), "{described}");
    let events: Vec<&str> = described.split("Events:\n").nth(1).unwrap().lines().collect();
    assert!(events.iter().any(|event| event.starts_with("90s (x4)")), "{events:?}");
}

#[test]
fn an_object_without_a_manifest_has_one_made_of_its_row() {
    let node = look_at("kubectl_get", json!({ "kind": "node", "name": "node-a", "output": "yaml" })).unwrap();
    assert!(
        node.starts_with("kind: Node\nmetadata:\n  name: node-a\nstatus:\n  status: \"Ready\"\n"),
        "{node}"
    );
}

#[test]
fn a_log_is_cut_by_time_words_and_number() {
    let pod = "checkout-6c9d7f5b8-k2x4p";
    let short = look_at("logs", json!({ "pod": pod, "grep": "MEMORY IS", "tail": 1 })).unwrap();
    let expected = "2030-01-01T11:58:15.000Z level=warn msg=\"memory is getting short\" used_mib=499 limit_mib=512 \
                    largest=\"quote cache, 310 MiB\"\n";
    assert_eq!(short, format!("(1 earlier lines that match are not shown)\n{expected}"));
    let recent = look_at("logs", json!({ "pod": pod, "since": "2m", "grep": "short" })).unwrap();
    assert_eq!(recent, expected);
    let none = look_at("logs", json!({ "pod": pod, "grep": "unicorn" })).unwrap();
    assert!(none.starts_with("No line of checkout-6c9d7f5b8-k2x4p matches; its log has "), "{none}");
}

#[test]
fn a_metric_is_a_list_of_values_with_their_times() {
    let disk = json!({ "metric": "node_disk_used_ratio", "labels": { "node": "node-b" }, "since": "2h", "points": 3 });
    let told = look_at("query_metrics", disk).unwrap();
    let lines: Vec<&str> = told.lines().skip(1).collect();
    let expected = [
        "node_disk_used_ratio{node=\"node-b\"}  least 0.61, greatest 0.851, last 0.61",
        "  2030-01-01T10:00:00Z  0.78",
        "  2030-01-01T11:00:00Z  0.851",
        "  2030-01-01T12:00:00Z  0.61",
    ];
    assert_eq!(lines, expected);
    let all = look_at("query_metrics", json!({})).unwrap();
    assert!(all.contains("checkout_quote_cache_entries (3 series): "), "{all}");
}

#[test]
fn deploys_come_latest_first() {
    let all = look_at("deploy_history", json!({ "since": "30d" })).unwrap();
    let place = |version: &str| all.find(version).unwrap_or_else(|| panic!("{version} is not in {all}"));
    assert!(place("2.14.0") < place("5.3.0") && place("5.3.0") < place("2.13.1"));
    let none = look_at("deploy_history", json!({ "since": "5m" })).unwrap();
    assert_eq!(none, "Nothing was rolled out in the last 5m.\n");
}

#[test]
fn whoever_asks_wrongly_is_told_what_would_be_right() {
    let cases = [
        ("kubectl_gte", json!({}), "there is no tool kubectl_gte; did you mean kubectl_get"),
        ("kubectl_get", json!({ "kind": "podz" }), "did you mean pods?"),
        ("kubectl_get", json!({ "kind": "pods", "namespace": "shopp" }), "did you mean shop?"),
        (
            "kubectl_get",
            json!({ "kind": "pods", "nmae": "x" }),
            "unknown field `nmae`, expected one of `kind`",
        ),
        ("kubectl_get", json!({ "kind": "pods", "output": "yaml" }), "say which one with `name`"),
        ("kubectl_describe", json!({ "kind": "pod" }), "missing field `name`"),
        ("logs", json!({ "pod": "checkout-6c9d7f5b8-k2x4" }), "did you mean checkout-6c9d7f5b8-k2x4p"),
        ("logs", json!({ "pod": "cart-6b8f94c7d-hx2mv", "previous": true }), "leave out `previous`"),
        ("logs", json!({ "pod": "cart-6b8f94c7d-hx2mv", "grep": "(" }), "`grep` is not a regular expression"),
        ("logs", json!({ "pod": "cart-6b8f94c7d-hx2mv", "since": "soon" }), "write for example 90s"),
        ("query_metrics", json!({ "metric": "http_eror_ratio" }), "did you mean http_error_ratio"),
        (
            "query_metrics",
            json!({ "metric": "http_error_ratio", "labels": { "service": "x" } }),
            "service=\"checkout\"",
        ),
        ("deploy_history", json!({ "service": "chekout" }), "did you mean checkout?"),
    ];
    for (tool, arguments, expected) in cases {
        let said = look_at(tool, arguments.clone()).unwrap_err();
        assert!(said.contains(expected), "{tool} {arguments}: {said}");
    }
}
