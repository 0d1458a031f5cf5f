//! Calls in the tags of chat templates: `<tool_call>`, `[TOOL_CALLS]`, `<|python_tag|>`, `<function=…>`.

use super::elements::{self, Element};
use super::json::{self, inside_fence};
use super::{Certainty, Notation, Written, WrittenCall};
use crate::react::action::{inside_parentheses, plausible_name};
use crate::react::parameters::{JsonStart, read_start};

/// Tags around a call: start and possible ends.
const TAGS: [(&str, &[&str]); 12] = [
    ("<tool_call>", &["</tool_call>"]),
    ("<tool_calls>", &["</tool_calls>"]),
    ("<function_call>", &["</function_call>"]),
    ("<functioncall>", &["</functioncall>"]),
    ("<tool_use>", &["</tool_use>"]),
    ("<tool>", &["</tool>"]),
    ("<|tool_call|>", &["<|/tool_call|>", "<|end|>"]),
    ("<|python_tag|>", &["<|eom_id|>", "<|eot_id|>"]),
    ("<|tool_call_begin|>", &["<|tool_call_end|>"]),
    ("<｜tool▁call▁begin｜>", &["<｜tool▁call▁end｜>"]),
    ("[TOOL_CALLS]", &["</s>"]),
    ("```tool_code\n", &["```"]),
];
/// Texts between the name of a tool and its arguments.
const SEPARATORS: [&str; 3] = ["[ARGS]", "<|tool_call_argument_begin|>", "<｜tool▁sep｜>"];
/// The kind of a call that a template writes before the name.
const KIND: &str = "function<｜tool▁sep｜>";

/// Returns the notation of the tag at the start of a text.
pub(super) fn at_start(text: &str) -> Option<Notation> {
    if let Some(element) = elements::function(text) {
        let range = 0..element.length;
        return Some(certain(range, Written::Calls(vec![element.call()])));
    }
    let (start, ends) = TAGS.iter().find(|(start, _)| text.starts_with(start))?;
    let rest = &text[start.len()..];
    // A tag that is not closed ends where the same tag starts again.
    let limit = rest.find(start).unwrap_or(rest.len());
    let closing = ends.iter().filter_map(|end| Some((rest[..limit].find(end)?, end.len()))).min();
    let (inside, length) = match closing {
        Some((at, length)) => (&rest[..at], start.len() + at + length),
        None => (&rest[..limit], start.len() + limit),
    };
    let is_closed = closing.is_some();
    Some(certain(0..length, content(inside.trim(), is_closed)?))
}

fn certain(range: std::ops::Range<usize>, written: Written) -> Notation {
    Notation { range, certainty: Certainty::Certain, thought: None, written }
}

fn content(text: &str, is_closed: bool) -> Option<Written> {
    let text = inside_fence(text);
    match read_start(text) {
        JsonStart::Value(value, _) => return json::written(&value),
        JsonStart::Broken(fault) => return Some(Written::Broken(fault)),
        JsonStart::NotJson => {}
    }
    let text = text.strip_prefix(KIND).or_else(|| text.strip_prefix("print(")).unwrap_or(text);
    let calls: Vec<WrittenCall> = functions(text).collect();
    if !calls.is_empty() {
        return Some(Written::Calls(calls));
    }
    named(text, is_closed).map(|call| Written::Calls(vec![call]))
}

fn functions(text: &str) -> impl Iterator<Item = WrittenCall> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let element: Element<'_> = elements::function(rest.trim_start())?;
        rest = &rest.trim_start()[element.length..];
        Some(element.call())
    })
}

/// Returns the call of a text that starts with the name of a tool.
fn named(text: &str, is_closed: bool) -> Option<WrittenCall> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let name = &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())];
    let rest = text[name.len()..].trim_start();
    let rest =
        SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)).unwrap_or(rest).trim_start();
    if name.is_empty() {
        return None;
    }
    if rest.is_empty() && !is_closed && plausible_name(name).is_none() {
        return None;
    }
    let input = if rest.starts_with("<arg_key>") {
        elements::arguments(rest, "<arg_key>", "</arg_key>")
    } else if let Some(inside) = rest.strip_prefix('(') {
        inside_parentheses(inside)?.to_owned()
    } else if rest.is_empty() || inside_fence(rest).starts_with('{') {
        rest.to_owned()
    } else {
        return None;
    };
    Some(WrittenCall { name: name.to_owned(), input })
}
