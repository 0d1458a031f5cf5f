//! Any text can be parsed as a reply, resolved against tools and written again.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use tarsy_agent::react::{Intent, ReactReply, parse, parse_with_tools};
use tarsy_domain::ToolDefinition;

static TOOLS: LazyLock<Vec<Arc<ToolDefinition>>> = LazyLock::new(|| {
    let schemas = [
        (
            "k8s.pods_list",
            json!({ "properties": { "namespace": { "type": "string" } }, "required": ["namespace"] }),
        ),
        (
            "k8s.pods-log",
            json!({ "properties": { "pod": {}, "tail": { "type": "integer" } }, "required": ["pod", "tail"] }),
        ),
        ("web.search", json!({ "properties": { "limit": { "type": "number" } } })),
        ("grafana.search", json!(null)),
    ];
    let tool = |(name, input_schema): (&str, _)| {
        Arc::new(ToolDefinition { name: name.to_owned(), description: String::new(), input_schema })
    };
    schemas.map(tool).to_vec()
});

fuzz_target!(|text: &str| {
    let reply = parse(text);
    check(&reply);
    assert_eq!(parse(text), reply);
    parse(&reply.to_string());
    let known = parse_with_tools(text, &TOOLS);
    check(&known);
    if let Intent::Action(action) = known.intent {
        assert!(TOOLS.iter().any(|tool| tool.name == action.name));
    }
});

fn check(reply: &ReactReply) {
    match &reply.intent {
        Intent::Action(action) => assert!(action.name.contains('.')),
        Intent::UnknownTool { action, feedback } => {
            assert!(!action.name.is_empty() && !feedback.is_empty());
        }
        Intent::FinalAnswer(answer) => assert!(!answer.trim().is_empty()),
        Intent::Malformed { feedback, .. } => assert!(!feedback.is_empty()),
    }
    assert!(reply.not_executed.len() <= 16);
}
