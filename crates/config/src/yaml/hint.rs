//! Hints about frequent causes of YAML syntax errors, added to the message of the parser.
//!
//! They are derived from the text around the reported position. No part of the text is repeated, because it
//! may be a credential.

use super::{SYNTAX, YamlError};
use crate::source::{SourcePosition, SourceSpan};

/// Adds hints to a syntax error; other errors stay unchanged.
pub(super) fn with_hint(mut error: YamlError, text: &str) -> YamlError {
    if !error.message.starts_with(SYNTAX) {
        return error;
    }
    let line = text.lines().nth(error.span.start.line - 1).unwrap_or_default();
    if line.contains(": {{") || line.contains('{') && line.contains("${") {
        error.message += "; put a reference that starts with `{{`, or is inside `{}` or `[]`, in quotes";
    }
    if error.message.contains("tab")
        && let Some(tab) = indenting_tab(text, error.span.start.line)
    {
        error.span = SourceSpan { start: tab, end: tab };
        error.message += "; indent with spaces";
    }
    if let Some(line) = line_without_colon(&error, text) {
        error.message += &format!("; line {line} has no `: ` after its key");
    }
    error
}

/// Returns the position of a tab that indents a line. The parser reports a position after it, or on the
/// previous line.
fn indenting_tab(text: &str, line: usize) -> Option<SourcePosition> {
    let mut lines = text.lines().enumerate().skip(line - 1).take(2);
    lines.find_map(|(index, line)| {
        let indent = line.chars().take_while(|char| matches!(char, ' ' | '-' | '\t'));
        let column = indent.into_iter().position(|char| char == '\t')?;
        Some(SourcePosition { line: index + 1, column: column + 1 })
    })
}

/// Returns the line of a key without `: `. The parser reads it as a string and fails at the next key.
fn line_without_colon(error: &YamlError, text: &str) -> Option<usize> {
    let symptoms = ["simple key expect", "mapping values are not allowed", "comment intercepting"];
    if !symptoms.iter().any(|message| error.message.contains(message)) {
        return None;
    }
    let lines: Vec<&str> = text.lines().take(error.span.start.line).collect();
    let is_written = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let above = lines.iter().enumerate().rev().filter(|(_, line)| is_written(line));
    above.take(2).find(|(_, line)| lacks_colon(line)).map(|(index, _)| index + 1)
}

fn lacks_colon(line: &str) -> bool {
    let entry = line.trim().trim_start_matches("- ");
    let first = entry.split_whitespace().next().unwrap_or_default();
    match first.split_once(':') {
        Some((_, value)) => !value.is_empty() && !value.starts_with("//"),
        // A single word can also be an item of a list.
        None => first == line.trim() && first.starts_with(char::is_alphanumeric),
    }
}
