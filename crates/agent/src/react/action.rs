//! The tool call of an `Action:` section.
//!
//! Only the form of a name is checked here; the available tools are not known.

use serde_json::{Map, Value};
use tarsy_domain::ToolName;

use super::parameters::{InputForm, JsonFault, ParsedInput, begins_with_object, fitted, parse_input};
use super::tools::ReplyTools;

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Tool name as written, without surrounding quotes and prose.
    pub name: String,
    /// Input as written.
    pub input: String,
    /// Parsed input.
    pub parameters: Map<String, Value>,
}

impl Action {
    /// Creates a call with the parameters parsed from `input`, adapted to the tool if it is known; fails if the
    /// input is broken JSON.
    pub(super) fn parse(name: &str, input: &str, tools: ReplyTools<'_>) -> Result<Self, JsonFault> {
        let parsed = parse_input(input);
        let tool = tools.find(name);
        let parameters = match (tool, parsed.form) {
            (_, InputForm::Broken(fault)) => return Err(fault),
            (Some(tool), form) => fitted(ParsedInput { form, ..parsed }, tool),
            (None, InputForm::Empty | InputForm::JsonObject | InputForm::Lines | InputForm::Value) => {
                parsed.parameters
            }
        };
        let name = tool.map_or(name, |tool| &tool.name);
        Ok(Self { name: name.to_owned(), input: input.to_owned(), parameters })
    }

    /// Creates a call with these parameters; its input is their JSON.
    pub fn new(name: impl Into<String>, parameters: Map<String, Value>) -> Self {
        let input = Value::Object(parameters.clone()).to_string();
        Self { name: name.into(), input, parameters }
    }
}

/// The content of an `Action:` section: a name, optionally with arguments in parentheses or braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedAction<'r> {
    pub(super) name: &'r str,
    pub(super) arguments: Option<&'r str>,
}

/// Texts that models write when they call no tool.
const NO_TOOL: [&str; 8] = ["none", "null", "nil", "n/a", "na", "no", "nothing", "-"];
/// Characters that can surround a name.
const QUOTES: [char; 14] = ['"', '\'', '`', '*', '[', ']', '<', '>', '“', '”', '‘', '’', '«', '»'];
const PUNCTUATION: [char; 8] = ['.', ',', ':', ';', '!', '?', '(', ')'];

/// Names of actions that are final answers, in lower case and without separators.
const ANSWERS: [&str; 9] = [
    "finalanswer",
    "finalresponse",
    "finalanalysis",
    "finalreport",
    "finish",
    "submitfinalanswer",
    "providefinalanswer",
    "最终答案",
    "最终回答",
];

/// Returns whether the name of an action means that its input is the final answer.
pub(super) fn is_answer(name: &str) -> bool {
    let name = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase);
    let name: String = name.take(24).collect();
    ANSWERS.contains(&name.as_str())
}

/// Returns the text of an `Action:` section after a name that means a final answer.
pub(super) fn answer_in_section(section: &str) -> Option<&str> {
    let text = section.trim_start_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    let end = text.find(['\n', ':', '：', '[', '(']).unwrap_or(text.len());
    if !is_answer(
        text[..end].trim_end_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c) || c == '.'),
    ) {
        return None;
    }
    let rest = &text[end..];
    match rest.strip_prefix('[').or_else(|| rest.strip_prefix('(')) {
        Some(inside) => Some(inside.trim_end().trim_end_matches([']', ')'])),
        None => Some(rest.trim_start_matches([':', '：'])),
    }
}

/// Parses an `Action:` section; `None` if it names no tool.
pub(super) fn named(section: &str) -> Option<NamedAction<'_>> {
    let section = without_fence_language(section);
    let text = section.trim_start_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
    let ends_name =
        |(at, c): &(usize, char)| c.is_whitespace() || *c == '(' || (matches!(c, '{' | '[') && *at > 0);
    let end = text.char_indices().find(ends_name).map_or(text.len(), |(at, _)| at);
    let name = without_marks(&text[..end]);
    let arguments = if let Some(inside) = text[end..].strip_prefix('(') {
        inside_parentheses(inside)
    } else if let Some(inside) = text[end..].strip_prefix('[') {
        inside.lines().next().and_then(|line| line.trim_end().strip_suffix(']'))
    } else {
        json_object(&text[end..])
    };
    if name.is_empty() || NO_TOOL.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return None;
    }
    let is_prose = arguments.is_none() && name.chars().all(char::is_alphabetic);
    let line = text.lines().next().filter(|_| is_prose).unwrap_or_default();
    match line.split_whitespace().find_map(named_in_prose) {
        Some(name) => Some(NamedAction { name, arguments: None }),
        None => Some(NamedAction { name, arguments }),
    }
}

/// Returns the tool name `server.tool`, if the line consists of one.
pub(super) fn plausible_name(line: &str) -> Option<&str> {
    let name = line.trim().trim_matches(QUOTES);
    let parts = ToolName::parse(name);
    (is_word(parts.server()?) && is_word(parts.tool())).then_some(name)
}

/// Returns a word of a sentence if it is a tool name; `e.g.` is not.
fn named_in_prose(word: &str) -> Option<&str> {
    let name = plausible_name(without_marks(word))?;
    let parts = ToolName::parse(name);
    let is_long = |part: &str| part.len() > 1 && part.starts_with(char::is_alphabetic);
    (is_long(parts.server()?) && is_long(parts.tool())).then_some(name)
}

/// Removes the language of a fence around the name, which is not the name.
fn without_fence_language(section: &str) -> &str {
    let Some(fenced) = section.trim_start().strip_prefix("```") else { return section };
    let language = fenced.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if language.starts_with('\n') { language } else { section }
}

fn without_marks(word: &str) -> &str {
    word.trim_end_matches(|c| QUOTES.contains(&c) || PUNCTUATION.contains(&c))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Returns the text if it starts with a JSON object, optionally in a fence.
fn json_object(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = text.strip_prefix("```").map_or(text, |fenced| fenced.trim_start_matches("json").trim_start());
    begins_with_object(text).then_some(text)
}

/// Returns whether the first word after an action label can be the name of a tool or another form of a call, and
/// is not the start of a sentence.
pub(super) fn name_follows(text: &str) -> bool {
    let text = text.trim_start();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let word = line.split([' ', '\t', '(', '{']).next().unwrap_or_default();
    let name = without_marks(word.trim_start_matches(QUOTES));
    let is_alone = word.len() == line.len() || line[word.len()..].starts_with(['(', '{']);
    line.starts_with(['{', '<'])
        || line.starts_with("```")
        || answer_in_section(line).is_some()
        || plausible_name(name).is_some()
        || (!name.is_empty() && (is_alone || name.contains('_')))
}

/// Returns the text up to the closing parenthesis, ignoring those in quotes; up to the last one if they are
/// unbalanced.
pub(super) fn inside_parentheses(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => return Some(&text[..at]),
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
    }
    text.rfind(')').map(|end| &text[..end])
}
