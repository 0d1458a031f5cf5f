//! Each incident of the demo with all output formats.

use std::process::Command;

use serde_json::Value;

use super::pty::run_on_terminal;
use crate::tarsy::{tarsy, text};

/// An incident, and phrases of its root cause.
type Incident = (&'static str, [&'static str; 2]);

const CHECKOUT: Incident = ("checkout-oom", ["OOMKilled", "quote cache without a limit"]);
const CERTIFICATE: Incident = ("expired-certificate", ["`shop-internal-ca` expired", "shop-root-key"]);
const DATABASE: Incident = ("slow-database", ["missing index", "orders_customer_ref_idx"]);

fn investigate(incident: &str, arguments: &[&str]) -> Command {
    let mut command = tarsy(&["investigate", "--pace", "fast", "--incident", incident]);
    // It needs no environment variables.
    command.env_clear().args(arguments);
    command
}

fn assert_names_the_cause(text: &str, (incident, cause): Incident) {
    for phrase in cause {
        assert!(text.contains(phrase), "{incident}: {phrase} is not in: {text}");
    }
}

#[test]
fn output_on_a_terminal() {
    for incident in [CHECKOUT, CERTIFICATE, DATABASE] {
        let (status, shown) = run_on_terminal(investigate(incident.0, &[]));
        assert_eq!(status.code(), Some(0), "{shown}");
        assert_names_the_cause(&shown, incident);
        for seen in
            ["ClusterAgent", "MetricsAgent", "data-collection (stage 1 of 2)", "tool calls", "\u{1b}["]
        {
            assert!(shown.contains(seen), "no {seen:?} in: {shown}");
        }
    }
}

#[test]
fn output_in_a_pipe() {
    for incident in [CHECKOUT, CERTIFICATE, DATABASE] {
        let output = investigate(incident.0, &[]).output().unwrap();
        let (report, progress) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{progress}");
        assert_names_the_cause(&report, incident);
        assert!(report.starts_with("# ") && report.contains("**Summary:** "), "{report}");
        assert!(!format!("{report}{progress}").contains('\u{1b}'), "colors in a pipe: {progress}");
        for seen in [
            "● data-collection (stage 1 of 2): ClusterAgent, MetricsAgent\n",
            "  ClusterAgent thinking: ",
            "  MetricsAgent call: shop.",
            "  ClusterAgent result: ",
            "  SynthesisAgent conclusion: ",
            "✔ root-cause-analysis completed after ",
        ] {
            assert!(progress.contains(seen), "no {seen:?} in: {progress}");
        }
    }
}

#[test]
fn output_as_json() {
    for incident in [CHECKOUT, CERTIFICATE, DATABASE] {
        let output = investigate(incident.0, &["--json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
        let received = text(&output.stdout);
        let lines: Vec<Value> = received.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (result, events) = lines.split_last().unwrap();
        assert_eq!((&result["type"], &result["data"]["status"]), (&"result".into(), &"completed".into()));
        assert_names_the_cause(result["data"]["final_analysis"].as_str().unwrap(), incident);
        let ids: Vec<u64> = events.iter().filter_map(|event| event["event_id"].as_u64()).collect();
        assert!(ids.iter().copied().eq(1..=ids.len() as u64), "events are missing: {ids:?}");
        assert!(events.iter().any(|event| event["data"]["event_type"] == "tool_result"), "{received}");
    }
}
