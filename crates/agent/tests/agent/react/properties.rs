//! Any text is parsed without a panic, and written replies round-trip.

use proptest::prelude::*;
use std::sync::Arc;

use serde_json::{Map, Value};
use tarsy_agent::react::{Action, Intent, ReactReply, parse, parse_parameters, parse_with_tools};
use tarsy_domain::ToolDefinition;

/// Pieces that are likely to trigger edge cases of the parser.
const PIECES: [&str; 76] = [
    "Thought:",
    "Thought",
    "thought:",
    "Action:",
    "Action",
    "action:",
    "Action Input:",
    "action input:",
    "Action Input",
    "Final Answer:",
    "FINAL ANSWER:",
    "Final Answer",
    "Observation:",
    "[Based on",
    "**",
    "*",
    "`",
    "```",
    "```json\n",
    "#",
    "## ",
    ":",
    "：",
    ".",
    "!",
    "?",
    "。",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\n  ",
    "- ",
    "a.b",
    "k8s.pods",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    ",",
    "=",
    "key: ",
    "key=",
    "<think>",
    "</think>",
    "ü",
    "\u{2028}",
    "none",
    "~",
    "> ",
    "1. ",
    "Action 1:",
    "Tool:",
    "Input:",
    "Parameters:",
    "Answer:",
    "Conclusion:",
    "Question:",
    "User:",
    "行动：",
    "最终答案：",
    "Final Answer\n",
    "{\"name\": \"a.b\", \"arguments\": {}}",
    "{\"action\": \"Final Answer\", \"action_input\": \"x\"}",
    "<tool_call>",
    "</tool_call>",
    "<function=a.b>",
    "[TOOL_CALLS]",
    "<|python_tag|>",
];

fn header_sequence() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
}

fn tools() -> Vec<Arc<ToolDefinition>> {
    let schema = serde_json::json!({ "properties": { "key": { "type": "integer" } }, "required": ["key"] });
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: schema.clone(),
    };
    ["a.b", "k8s.pods"].map(|name| Arc::new(tool(name))).to_vec()
}

/// Checks the invariants of any parsed reply.
fn is_consistent(reply: &str) -> Result<(), TestCaseError> {
    let read = parse(reply);
    match &read.intent {
        Intent::Action(action) => prop_assert!(action.name.contains('.'), "{read:?}"),
        Intent::UnknownTool { action, feedback } => {
            prop_assert!(!action.name.is_empty() && !feedback.is_empty(), "{read:?}");
        }
        Intent::FinalAnswer(answer) => prop_assert!(!answer.trim().is_empty(), "{read:?}"),
        Intent::Malformed { feedback, .. } => prop_assert!(!feedback.is_empty(), "{read:?}"),
    }
    prop_assert_eq!(&parse(reply), &read);
    Ok(())
}

/// Prose without headers and unbalanced fences.
fn prose() -> impl Strategy<Value = String> {
    let line = "[a-z0-9 ,;=(){}\"'`*-]{0,30}[a-z]";
    let text = prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n").trim().to_owned());
    text.prop_filter("a fence", |text| !text.contains("```"))
}

fn json(depth: u32) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "(Action: |Thought:|\n|\"|\\\\|a){0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(depth, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("\\PC{0,8}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn parameters() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(("[a-zA-Z_ ]{0,8}", json(3)), 0..5)
        .prop_map(|entries| entries.into_iter().collect())
}

proptest! {
    #[test]
    fn any_text_is_parsed(text in "(?s).{0,200}") {
        is_consistent(&text)?;
    }

    #[test]
    fn any_sequence_of_headers_is_parsed(text in header_sequence()) {
        is_consistent(&text)?;
        parse_parameters(&text);
        if let Intent::Action(action) = parse_with_tools(&text, &tools()).intent {
            prop_assert!(tools().iter().any(|tool| tool.name == action.name), "{action:?}");
        }
    }

    #[test]
    fn an_action_round_trips(thought in prop::option::of(prose()), name in "[a-z][a-z0-9-]{1,8}\\.[a-z_]{2,8}", parameters in parameters()) {
        let reply = ReactReply { thought, intent: Intent::Action(Action::new(name, parameters)), not_executed: Vec::new() };
        prop_assert_eq!(parse(&reply.to_string()), reply);
    }

    #[test]
    fn a_final_answer_round_trips(thought in prop::option::of(prose()), answer in prose()) {
        let reply = ReactReply { thought, intent: Intent::FinalAnswer(answer), not_executed: Vec::new() };
        prop_assert_eq!(parse(&reply.to_string()), reply);
    }

    #[test]
    fn json_parameters_round_trip(parameters in parameters()) {
        let input = Value::Object(parameters.clone()).to_string();
        prop_assert_eq!(parse_parameters(&input), parameters.clone());
        let fenced = format!("```json\n{:#}\n```", Value::Object(parameters.clone()));
        prop_assert_eq!(parse_parameters(&fenced), parameters);
    }
}
