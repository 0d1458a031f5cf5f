//! Results and errors of the tools.

use serde_json::json;

use super::*;
use crate::incident::Incident;

fn call(tool: &str, arguments: Value) -> Result<String, String> {
    let cluster = Cluster::of(Incident::named("checkout-oom").unwrap()).unwrap();
    let clock = IncidentClock::start("2030-01-01T12:00:00Z".parse().unwrap());
    let Value::Object(arguments) = arguments else { panic!("{arguments} is not an object") };
    run(tool, arguments, &cluster, clock)
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
fn a_table_has_the_columns_of_kubectl() {
    let nodes = call("kubectl_get", json!({ "kind": "no" })).unwrap();
    let first = nodes.lines().next().unwrap();
    let columns: Vec<&str> = first.split_whitespace().collect();
    assert_eq!(columns, ["NAMESPACE", "NAME", "STATUS", "ROLES", "AGE", "VERSION", "CPU", "MEMORY"]);
    assert_eq!(nodes.lines().count(), 4, "{nodes}");
}

#[test]
fn an_object_is_described_with_its_events() {
    let pod = json!({ "kind": "pod", "name": "checkout-6c9d7f5b8-k2x4p" });
    let described = call("kubectl_describe", pod).unwrap();
    assert!(described.contains("reason OOMKilled, exit code 137"), "{described}");
    assert!(described.contains("started 2030-01-01T11:51:40Z"), "{described}");
    let events: Vec<&str> = described.split("Events:\n").nth(1).unwrap().lines().collect();
    assert!(events.iter().any(|event| event.starts_with("90s (x4)")), "{events:?}");
}

#[test]
fn generates_a_manifest_from_the_row() {
    let node = call("kubectl_get", json!({ "kind": "node", "name": "node-a", "output": "yaml" })).unwrap();
    assert!(
        node.starts_with("kind: Node\nmetadata:\n  name: node-a\nstatus:\n  status: \"Ready\"\n"),
        "{node}"
    );
}

#[test]
fn filters_a_log_by_time_pattern_and_count() {
    let pod = "checkout-6c9d7f5b8-k2x4p";
    let short = call("logs", json!({ "pod": pod, "grep": "MEMORY IS", "tail": 1 })).unwrap();
    let expected = "2030-01-01T11:58:15.000Z level=warn msg=\"memory is getting short\" used_mib=499 limit_mib=512 \
                    largest=\"quote cache, 310 MiB\"\n";
    assert_eq!(short, format!("(1 earlier lines that match are not shown)\n{expected}"));
    let recent = call("logs", json!({ "pod": pod, "since": "2m", "grep": "short" })).unwrap();
    assert_eq!(recent, expected);
    let none = call("logs", json!({ "pod": pod, "grep": "unicorn" })).unwrap();
    assert!(none.starts_with("No line of checkout-6c9d7f5b8-k2x4p matches; its log has "), "{none}");
}

#[test]
fn lists_the_values_of_a_metric_with_their_times() {
    let disk = json!({ "metric": "node_disk_used_ratio", "labels": { "node": "node-b" }, "since": "2h", "points": 3 });
    let text = call("query_metrics", disk).unwrap();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let expected = [
        "node_disk_used_ratio{node=\"node-b\"}  least 0.61, greatest 0.851, last 0.61",
        "  2030-01-01T10:00:00Z  0.78",
        "  2030-01-01T11:00:00Z  0.851",
        "  2030-01-01T12:00:00Z  0.61",
    ];
    assert_eq!(lines, expected);
    let all = call("query_metrics", json!({})).unwrap();
    assert!(all.contains("checkout_quote_cache_entries (3 series): "), "{all}");
}

#[test]
fn lists_the_latest_deployment_first() {
    let all = call("deploy_history", json!({ "since": "30d" })).unwrap();
    let position = |version: &str| all.find(version).unwrap_or_else(|| panic!("{version} is not in {all}"));
    assert!(position("2.14.0") < position("5.3.0") && position("5.3.0") < position("2.13.1"));
    let none = call("deploy_history", json!({ "since": "5m" })).unwrap();
    assert_eq!(none, "Nothing was rolled out in the last 5m.\n");
}

#[test]
fn errors_explain_how_to_correct_the_arguments() {
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
        let error = call(tool, arguments.clone()).unwrap_err();
        assert!(error.contains(expected), "{tool} {arguments}: {error}");
    }
}
