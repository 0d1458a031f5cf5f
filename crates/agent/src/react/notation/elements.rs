//! Calls as nested elements: `<function=NAME><parameter=KEY>VALUE</parameter></function>` and similar ones.

use serde_json::{Map, Value};

use super::WrittenCall;
use crate::react::parameters::{JsonStart, read_start, typed};

/// A call as an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'t> {
    name: &'t str,
    body: &'t str,
    /// Number of bytes, including the end tag.
    pub(super) length: usize,
}

/// Starts of elements with the name of a tool, and their end tags.
const FUNCTIONS: [(&str, &str); 4] = [
    ("<function=", "</function>"),
    ("<function name=", "</function>"),
    ("<invoke name=", "</invoke>"),
    ("<tool_call name=", "</tool_call>"),
];
const PARAMETERS: [&str; 2] = ["<parameter=", "<parameter name="];

/// Returns the element at the start of a text.
pub(super) fn function(text: &str) -> Option<Element<'_>> {
    let (start, end) = FUNCTIONS.iter().find(|(start, _)| text.starts_with(start))?;
    let opened = &text[start.len()..];
    let bracket = opened.find(['>', '\n']).filter(|at| opened[*at..].starts_with('>'))?;
    let name = opened[..bracket].trim().trim_matches(['"', '\'']);
    let rest = &opened[bracket + 1..];
    let limit = rest.find(start).unwrap_or(rest.len());
    let (body, closing) = match rest[..limit].find(end) {
        Some(at) => (&rest[..at], end.len()),
        None => (&rest[..limit], 0),
    };
    let length = text.len() - rest.len() + body.len() + closing;
    (!name.is_empty()).then_some(Element { name, body, length })
}

impl Element<'_> {
    /// Returns the call; its body has elements for the parameters, or is the input.
    pub(super) fn call(&self) -> WrittenCall {
        let body = self.body.trim();
        let is_element = PARAMETERS.iter().any(|start| body.starts_with(start));
        let input = if is_element { arguments_in_tags(body) } else { body.to_owned() };
        WrittenCall { name: self.name.to_owned(), input }
    }
}

/// Returns `<parameter=KEY>VALUE</parameter>` elements as a JSON object.
fn arguments_in_tags(body: &str) -> String {
    let mut arguments = Map::new();
    let mut rest = body;
    while let Some((start, opened)) =
        PARAMETERS.iter().find_map(|start| Some((start, rest.strip_prefix(start)?)))
    {
        let Some((key, inside)) = opened.split_once('>') else { break };
        let limit = inside.find(start).unwrap_or(inside.len());
        let end = inside[..limit].find("</parameter>").unwrap_or(limit);
        arguments.insert(key.trim().trim_matches(['"', '\'']).to_owned(), value(&inside[..end]));
        rest = inside[end..].strip_prefix("</parameter>").unwrap_or(&inside[end..]).trim_start();
    }
    Value::Object(arguments).to_string()
}

/// Returns `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>` elements as a JSON object.
pub(super) fn arguments(body: &str, start: &str, end: &str) -> String {
    let mut arguments = Map::new();
    for pair in body.split(start).skip(1) {
        let Some((key, rest)) = pair.split_once(end) else { break };
        let rest = rest.trim_start().strip_prefix("<arg_value>").unwrap_or(rest);
        let text = rest.split("</arg_value>").next().unwrap_or_default();
        arguments.insert(key.trim().to_owned(), value(text));
    }
    Value::Object(arguments).to_string()
}

/// Returns the value of a text: JSON in brackets, or a scalar without quotes.
fn value(text: &str) -> Value {
    let text = text.trim();
    match read_start(text) {
        JsonStart::Value(value @ (Value::Object(_) | Value::Array(_)), length) if length == text.len() => {
            value
        }
        JsonStart::Value(..) | JsonStart::Broken(_) | JsonStart::NotJson => typed(text),
    }
}
