//! Recorded replies of models with their expected results, checked if the file exists.
//!
//! A row has an operation, its input, the expected result, and how each field is checked. The file is
//! `react_cases.jsonl` in the folder `TARSY_TEST_DATA`, or in `shared/data` next to the repository.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tarsy_agent::react::{Intent, ReactReply, parse, parse_parameters};
use tarsy_domain::ToolName;

/// Cases that are parsed differently on purpose: name and reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "react_parser::test_parse_duplicate_actions_uses_latest",
        "the first action is executed and the others are named: the last was written without the result of the first",
    ),
    (
        "react_parser::test_convert_invalid_json_fallback",
        "broken JSON gets feedback about the JSON, because a call with other parameters only fails later",
    ),
];

#[test]
fn every_recorded_case_is_parsed_as_recorded() {
    let Some(cases) = cases() else { return };
    let mut failures = Vec::new();
    let mut checked = 0;
    for case in &cases {
        let Some(outcome) = outcome(case) else { continue };
        checked += 1;
        let name = case["name"].as_str().unwrap();
        let wrong = wrong_fields(case, &outcome);
        let reason = EXCEPTIONS.iter().find(|(exception, _)| *exception == name);
        match (wrong.is_empty(), reason) {
            (false, None) => failures.push(format!("{name}: {wrong:?}\n  {outcome}")),
            (true, Some(_)) => failures.push(format!("{name} is no longer an exception")),
            (true, None) | (false, Some(_)) => {}
        }
    }
    assert!(checked > 100, "only {checked} cases were checked");
    assert!(failures.is_empty(), "{} of {checked} cases differ:\n{}", failures.len(), failures.join("\n"));
}

fn cases() -> Option<Vec<Value>> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("TARSY_TEST_DATA").map_or(default, PathBuf::from);
    let Ok(text) = fs::read_to_string(folder.join("react_cases.jsonl")) else {
        eprintln!("no recorded cases in {}, nothing to check", folder.display());
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the result of a case in the form of its expectation; `None` for unsupported operations.
fn outcome(case: &Value) -> Option<Value> {
    let input = &case["input"];
    let text = input.as_str().unwrap_or_default();
    match case["op"].as_str().unwrap() {
        "parse_response" => Some(reply_outcome(text)),
        "parse_action_parameters" => {
            let parameters = Value::Object(parse_parameters(text));
            Some(with_output(parameters.clone(), parameters))
        }
        "convert_parameter_value" => {
            let parameters = parse_parameters(&format!("value: {text}"));
            Some(Value::Object(parameters))
        }
        "validate_tool_name" => {
            let reply = parse(&format!("Action\n{text}\nAction Input: {{}}"));
            Some(json!({ "action": action_name(&reply.intent) }))
        }
        "convert_to_tool_call" => Some(call_outcome(input)),
        "should_stop_parsing" => Some(json!({ "stop": stops(text) })),
        _ => None,
    }
}

fn reply_outcome(text: &str) -> Value {
    let ReactReply { thought, intent, .. } = parse(text);
    let mut outcome = json!({ "thought": thought });
    let (kind, more) = match &intent {
        Intent::Action(action) => ("action", call_fields(&action.name, &action.input, &action.parameters)),
        Intent::FinalAnswer(answer) => ("final_answer", json!({ "final_answer": answer })),
        Intent::UnknownTool { action, feedback } => (
            "unknown_tool",
            json!({ "action": action.name, "action_input": action.input, "error_message": feedback }),
        ),
        Intent::Malformed { action, input, .. } => {
            ("malformed", json!({ "action": action, "action_input": input }))
        }
    };
    outcome["kind"] = kind.into();
    outcome.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    if !text.is_empty() {
        let is_found = |field: &str| outcome.get(field).is_some_and(|value| !value.is_null());
        outcome["found_sections"] = json!({
            "thought": is_found("thought"),
            "action": is_found("action"),
            "action_input": is_found("action_input"),
            "final_answer": is_found("final_answer"),
        });
    } else {
        outcome["found_sections"] = json!({});
    }
    outcome
}

fn call_outcome(input: &Value) -> Value {
    let [name, text] = ["action", "action_input"].map(|field| input[field].as_str().unwrap());
    match parse(&format!("Action: {name}\nAction Input: {text}")).intent {
        Intent::Action(action) => call_fields(&action.name, &action.input, &action.parameters),
        Intent::UnknownTool { feedback, .. } => {
            json!({ "error": "UnknownToolError", "error_message": feedback })
        }
        Intent::Malformed { feedback, .. } => json!({ "error": "ValueError", "error_message": feedback }),
        Intent::FinalAnswer(answer) => panic!("{answer}"),
    }
}

fn call_fields(name: &str, input: &str, parameters: &Map<String, Value>) -> Value {
    let (server, tool) = ToolName::parse(name).into_parts();
    json!({
        "action": name, "action_input": input, "server": server, "tool": tool, "params": parameters,
        "tool_call": name, "reason": format!("ReAct:{name}"),
    })
}

fn action_name(intent: &Intent) -> Option<&str> {
    match intent {
        Intent::Action(action) => Some(&action.name),
        Intent::FinalAnswer(_) | Intent::UnknownTool { .. } | Intent::Malformed { .. } => None,
    }
}

/// Returns whether a reply that calls a tool is cut at this line.
fn stops(line: &str) -> bool {
    let reply = format!("Action: a.b\nAction Input: {{}}\n{line}\nAction: seen.too\nAction Input: {{}}");
    parse(&reply).not_executed.is_empty()
}

fn with_output(mut fields: Value, output: Value) -> Value {
    fields.as_object_mut().unwrap().insert("output".to_owned(), output);
    fields
}

/// Returns the asserted fields that differ from the expectation.
fn wrong_fields(case: &Value, outcome: &Value) -> Vec<String> {
    let expect = match case["op"].as_str().unwrap() {
        "parse_action_parameters" => {
            with_output(case["expect"]["params"].clone(), case["expect"]["params"].clone())
        }
        _ => case["expect"].clone(),
    };
    let asserted = case["asserted"].as_object().unwrap();
    let checks = asserted.iter().flat_map(|(path, checks)| {
        checks.as_array().unwrap().iter().map(move |check| (path, check.as_str().unwrap()))
    });
    checks
        .filter(|(path, check)| !holds(check, at(&expect, path), at(outcome, path), outcome))
        .map(|(path, check)| format!("{path} {check} {}", at(&expect, path)))
        .collect()
}

fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').filter(|step| !step.is_empty()).fold(value, |value, step| match step.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[step],
    })
}

/// Checks one field. The text of a `contains` check is not recorded, so it is compared with the complete
/// expected text.
fn holds(check: &str, expected: &Value, actual: &Value, outcome: &Value) -> bool {
    match check {
        "equals" => expected == actual,
        "isnot" | "truthy" | "gt" => !actual.is_null() && actual != &json!({}) && actual != &json!(""),
        "type" => std::mem::discriminant(expected) == std::mem::discriminant(actual),
        "length" => expected.as_array().unwrap().len() == actual.as_array().map_or(0, Vec::len),
        "startswith" => actual.as_str().is_some_and(|text| text.starts_with(first_line(expected))),
        "contains" => match (expected, actual) {
            (Value::String(expected), Value::String(actual)) if !actual.is_empty() => {
                expected.contains(actual) || actual.contains(expected) || names_tool(expected, actual)
            }
            (Value::Object(expected), Value::Object(actual)) => {
                expected.keys().all(|key| actual.contains_key(key))
            }
            (_, _) => outcome.get("params").is_some_and(|params| params != &json!({})),
        },
        other => panic!("unknown check {other}"),
    }
}

fn first_line(text: &Value) -> &str {
    text.as_str().unwrap().lines().next().unwrap()
}

/// Returns whether feedback names the expected tool; its wording can differ.
fn names_tool(expected: &str, actual: &str) -> bool {
    match expected.split('\'').nth(1) {
        Some(tool) => actual.contains(tool),
        None => actual.contains("Action"),
    }
}
