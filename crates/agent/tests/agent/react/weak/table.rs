//! The tools and the comparison for tables of replies.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_agent::react::{Intent, ReactReply, parse_with_tools};
use tarsy_domain::ToolDefinition;

/// The intended meaning of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meant {
    /// A call of a tool with arguments.
    Call(&'static str, Value),
    /// A final answer.
    Answer(&'static str),
    /// A call of a tool that does not exist.
    Unknown(&'static str),
    /// Feedback that contains this text.
    Feedback(&'static str),
}

pub(crate) use Meant::{Answer, Call, Feedback, Unknown};

/// Checks a table and reports all rows that differ.
pub(crate) fn check(rows: &[(&str, Meant)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(reply, meant)| {
            let read = read(reply);
            (!matches(&read, meant))
                .then(|| format!("{reply}\n  is not {meant:?}\n  but {:?}\n", read.intent))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

pub(crate) fn read(reply: &str) -> ReactReply {
    parse_with_tools(reply, &tools())
}

fn matches(read: &ReactReply, meant: &Meant) -> bool {
    match (&read.intent, meant) {
        (Intent::Action(action), Meant::Call(name, arguments)) => {
            action.name == *name && Value::Object(action.parameters.clone()) == *arguments
        }
        (Intent::FinalAnswer(answer), Meant::Answer(expected)) => answer == expected,
        (Intent::UnknownTool { action, .. }, Meant::Unknown(name)) => action.name == *name,
        (Intent::Malformed { feedback, .. }, Meant::Feedback(part)) => feedback.contains(part),
        (_, _) => false,
    }
}

/// Returns tools with several, one and no required parameters.
pub(crate) fn tools() -> Vec<Arc<ToolDefinition>> {
    let text = json!({ "type": "string" });
    let number = |kind: &str| json!({ "type": kind });
    vec![
        tool(
            "k8s.pods_list",
            "Lists the pods of a namespace. Shows status, restarts and age.",
            &json!({ "namespace": text, "limit": number("integer"), "all": number("boolean") }),
            &["namespace"],
        ),
        tool(
            "k8s.pod_logs",
            "Returns the log of a pod.",
            &json!({ "pod": text, "namespace": text, "tail": number("integer") }),
            &["pod", "namespace"],
        ),
        tool("k8s.nodes", "Lists the nodes of the cluster.", &json!({}), &[]),
        tool(
            "prom.query",
            "Evaluates a PromQL expression.",
            &json!({ "query": text, "step": number("number") }),
            &["query"],
        ),
        tool("alerts.recent", "Lists recent alerts.", &json!({ "limit": number("integer") }), &[]),
        tool("web.fetch", "Fetches a page.", &json!({ "url": text }), &[]),
    ]
}

fn tool(name: &str, description: &str, properties: &Value, required: &[&str]) -> Arc<ToolDefinition> {
    Arc::new(ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object", "properties": properties, "required": required }),
    })
}
