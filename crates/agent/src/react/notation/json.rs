//! Calls as JSON objects: `{"name", "arguments"}` and its many variants.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Certainty, Notation, Written, WrittenCall};
use crate::react::action::is_answer;
use crate::react::parameters::{JsonStart, read_start};

/// Keys of the name of a tool, in lower case and without separators.
const NAMES: [&str; 7] = ["name", "tool", "toolname", "action", "function", "functionname", "actionname"];
/// Keys of the arguments.
const ARGUMENTS: [&str; 9] =
    ["arguments", "parameters", "args", "params", "actioninput", "toolinput", "input", "kwargs", "inputs"];
/// Keys of an object or list that contains the call.
const CONTAINERS: [&str; 9] = [
    "function",
    "functioncall",
    "functioncalls",
    "toolcall",
    "toolcalls",
    "tooluse",
    "action",
    "actions",
    "calls",
];
const THOUGHTS: [&str; 5] = ["thought", "thoughts", "reasoning", "thinking", "analysis"];
const ANSWERS: [&str; 2] = ["finalanswer", "answer"];
/// Keys that say nothing about the call.
const MARKERS: [&str; 4] = ["type", "id", "callid", "toolcallid"];
/// Maximum depth of containers.
const MAX_DEPTH: usize = 4;

/// The content of a JSON value.
struct JsonContent {
    written: Written,
    thought: Option<String>,
    /// Whether the value has both a name and arguments, or is an answer.
    is_clear: bool,
}

/// Returns the notation of a JSON value.
pub(super) fn notation(value: &Value, range: Range<usize>, is_alone: bool) -> Option<Notation> {
    let content = content(value, 0)?;
    let is_answer = matches!(content.written, Written::Answer(_));
    if is_answer && !is_alone {
        return None;
    }
    let certainty = if is_alone && content.is_clear { Certainty::Certain } else { Certainty::Possible };
    Some(Notation { range, certainty, thought: content.thought, written: content.written })
}

/// Returns what a value inside a tag requests.
pub(super) fn written(value: &Value) -> Option<Written> {
    content(value, 0).map(|content| content.written)
}

/// Returns the call that an input consists of, with its name.
pub(in crate::react) fn call_in_input(input: &str) -> Option<WrittenCall> {
    let text = input.trim_start();
    let JsonStart::Value(value @ Value::Object(_), _) = read_start(inside_fence(text)) else { return None };
    let content = content(&value, 0).filter(|content| content.is_clear)?;
    match content.written {
        Written::Calls(calls) => calls.into_iter().next(),
        Written::Answer(_) | Written::Broken(_) => None,
    }
}

/// Returns an answer that is given as the input of an action: a text, or an object with one text.
pub(in crate::react) fn answer_text(input: &str) -> String {
    match read_start(input.trim()) {
        JsonStart::Value(value @ (Value::String(_) | Value::Object(_)), length)
            if length == input.trim().len() =>
        {
            value_text(&value)
        }
        JsonStart::Value(..) | JsonStart::Broken(_) | JsonStart::NotJson => input.to_owned(),
    }
}

fn content(value: &Value, depth: usize) -> Option<JsonContent> {
    match value {
        Value::Object(object) => of_object(object, depth),
        Value::Array(items) if depth < MAX_DEPTH => {
            let contents: Vec<JsonContent> =
                items.iter().map_while(|item| content(item, depth + 1)).collect();
            let is_clear = contents.len() == items.len() && contents.iter().all(|content| content.is_clear);
            let calls: Vec<WrittenCall> = contents
                .into_iter()
                .flat_map(|content| match content.written {
                    Written::Calls(calls) => calls,
                    Written::Answer(_) | Written::Broken(_) => Vec::new(),
                })
                .collect();
            (!calls.is_empty()).then_some(JsonContent {
                written: Written::Calls(calls),
                thought: None,
                is_clear,
            })
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn of_object(object: &Map<String, Value>, depth: usize) -> Option<JsonContent> {
    let thought = entry(object, &THOUGHTS).and_then(|(_, value)| value.as_str()).map(str::to_owned);
    let arguments = entry(object, &ARGUMENTS);
    if let Some((key, name)) = named(object) {
        if let Some((_, arguments)) = arguments.filter(|_| is_answer(name)) {
            let written = Written::Answer(value_text(arguments));
            return Some(JsonContent { written, thought, is_clear: true });
        }
        let input = match arguments {
            Some((_, arguments)) => arguments_text(arguments),
            None => rest(object, key),
        };
        let call = WrittenCall { name: name.to_owned(), input };
        return Some(JsonContent {
            written: Written::Calls(vec![call]),
            thought,
            is_clear: arguments.is_some(),
        });
    }
    if let Some((_, answer)) = entry(object, &ANSWERS).filter(|_| is_only_answer(object)) {
        return Some(JsonContent { written: Written::Answer(value_text(answer)), thought, is_clear: true });
    }
    let inner = entry(object, &CONTAINERS).filter(|_| depth < MAX_DEPTH);
    if let Some((_, inner @ (Value::Object(_) | Value::Array(_)))) = inner {
        let content = content(inner, depth + 1)?;
        return Some(JsonContent { thought: thought.or(content.thought), ..content });
    }
    keyed_by_name(object)
}

/// Returns the key and the name of the tool.
fn named(object: &Map<String, Value>) -> Option<(&str, &str)> {
    NAMES.iter().find_map(|name| {
        let (key, value) = entry(object, &[name])?;
        value.as_str().map(|name| (key, name.trim())).filter(|(_, name)| !name.is_empty())
    })
}

/// Returns the call of `{"server.tool": {…}}`.
fn keyed_by_name(object: &Map<String, Value>) -> Option<JsonContent> {
    let mut entries = object.iter();
    let (Some((name, Value::Object(arguments))), None) = (entries.next(), entries.next()) else {
        return None;
    };
    let call = WrittenCall { name: name.clone(), input: Value::Object(arguments.clone()).to_string() };
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some(JsonContent { written: Written::Calls(vec![call]), thought: None, is_clear: false })
}

/// Returns whether an object has only an answer, and perhaps a thought.
fn is_only_answer(object: &Map<String, Value>) -> bool {
    let is_part = |key: &String| is_one_of(key, &ANSWERS) || is_one_of(key, &THOUGHTS);
    object.iter().all(|(key, value)| is_part(key) || value.is_null())
}

/// Returns the entries other than the name as the arguments.
fn rest(object: &Map<String, Value>, name: &str) -> String {
    let is_argument = |key: &str| key != name && !is_one_of(key, &THOUGHTS) && !is_one_of(key, &MARKERS);
    let arguments = object.iter().filter(|(key, _)| is_argument(key));
    let arguments: Map<String, Value> = arguments.map(|(key, value)| (key.clone(), value.clone())).collect();
    if arguments.is_empty() { String::new() } else { Value::Object(arguments).to_string() }
}

fn entry<'o>(object: &'o Map<String, Value>, keys: &[&str]) -> Option<(&'o str, &'o Value)> {
    object.iter().find(|(key, _)| is_one_of(key, keys)).map(|(key, value)| (key.as_str(), value))
}

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    let letters = || key.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
    keys.iter().any(|wanted| letters().map(|c| c.to_ascii_lowercase()).eq(wanted.chars()))
}

/// Returns arguments as an input; a string contains them as text.
fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => arguments.to_string(),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let mut values = object.values();
            match (values.next(), values.next()) {
                (Some(Value::String(text)), None) => text.clone(),
                (_, _) => format!("{value:#}"),
            }
        }
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => format!("{value:#}"),
    }
}

/// Returns the text inside the fence at the start of a text, or the text itself.
pub(super) fn inside_fence(text: &str) -> &str {
    let Some(fenced) = text.strip_prefix("```") else { return text };
    fenced.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_start()
}

/// Returns the end of a notation, after its closing fence if it has an opening one.
pub(super) fn after_fence(text: &str, start: usize, end: usize) -> usize {
    let rest = text[end..].trim_start();
    match rest.strip_prefix("```").filter(|_| text[start..].starts_with("```")) {
        Some(after) => text.len() - after.trim_start_matches('`').len(),
        None => end,
    }
}

/// Returns whether broken JSON was intended as a call: it is one object with the keys of a call.
pub(super) fn is_intended_call(text: &str) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| text.contains(&format!("\"{key}\"")));
    has(&["name", "tool", "action", "function", "tool_name"])
        && has(&["arguments", "parameters", "action_input", "args", "input", "tool_input", "params"])
}
