//! Any text can be parsed as a reply, resolved against tools and written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tarsy_agent::react::{Intent, parse};

const TOOLS: [&str; 4] = ["k8s.pods_list", "k8s.pods-log", "web.search", "grafana.search"];

fuzz_target!(|text: &str| {
    let reply = parse(text);
    match &reply.intent {
        Intent::Action(action) => assert!(action.name.contains('.')),
        Intent::UnknownTool { action, feedback } => {
            assert!(!action.name.is_empty() && !feedback.is_empty());
        }
        Intent::FinalAnswer(answer) => assert!(!answer.trim().is_empty()),
        Intent::Malformed { feedback, .. } => assert!(!feedback.is_empty()),
    }
    assert_eq!(parse(text), reply);
    parse(&reply.to_string());
    if let Intent::Action(action) = reply.with_tools(TOOLS).intent {
        assert!(TOOLS.contains(&action.name.as_str()));
    }
});
