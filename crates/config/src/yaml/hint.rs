//! What the parser's message does not tell about frequent reasons for broken YAML.
//!
//! It looks at the text around the place that the parser complains about. It repeats nothing of it, because
//! what is broken may be a credential.

use super::{SYNTAX, YamlFault};
use crate::source::{SourcePosition, SourceSpan};

/// Adds what the parser's message does not tell about frequent reasons for broken YAML.
pub(super) fn with_hint(mut fault: YamlFault, text: &str) -> YamlFault {
    if !fault.message.starts_with(SYNTAX) {
        return fault;
    }
    let line = text.lines().nth(fault.span.start.line - 1).unwrap_or_default();
    if line.contains(": {{") || line.contains('{') && line.contains("${") {
        fault.message += "; a reference that begins with `{{`, or stands inside `{}` or `[]`, needs quotes";
    }
    if fault.message.contains("tab")
        && let Some(tab) = indenting_tab(text, fault.span.start.line)
    {
        fault.span = SourceSpan { start: tab, end: tab };
        fault.message += "; indent with blanks";
    }
    if let Some(line) = line_without_colon(&fault, text) {
        fault.message += &format!("; line {line} lacks `: ` after its key");
    }
    fault
}

/// The tab that indents a line. The parser notices it after it, or on the line before.
fn indenting_tab(text: &str, line: usize) -> Option<SourcePosition> {
    let mut lines = text.lines().enumerate().skip(line - 1).take(2);
    lines.find_map(|(index, line)| {
        let indent = line.chars().take_while(|char| matches!(char, ' ' | '-' | '\t'));
        let column = indent.into_iter().position(|char| char == '\t')?;
        Some(SourcePosition { line: index + 1, column: column + 1 })
    })
}

/// The line of a key without `: ` after it. The parser takes it for a text and stumbles over the next key.
fn line_without_colon(fault: &YamlFault, text: &str) -> Option<usize> {
    let stumbles = ["simple key expect", "mapping values are not allowed", "comment intercepting"];
    if !stumbles.iter().any(|message| fault.message.contains(message)) {
        return None;
    }
    let lines: Vec<&str> = text.lines().take(fault.span.start.line).collect();
    let is_written = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let above = lines.iter().enumerate().rev().filter(|(_, line)| is_written(line));
    above.take(2).find(|(_, line)| lacks_colon(line)).map(|(index, _)| index + 1)
}

fn lacks_colon(line: &str) -> bool {
    let entry = line.trim().trim_start_matches("- ");
    let first = entry.split_whitespace().next().unwrap_or_default();
    match first.split_once(':') {
        Some((_, value)) => !value.is_empty() && !value.starts_with("//"),
        // A word alone may as well be an item of a list.
        None => first == line.trim() && first.starts_with(char::is_alphanumeric),
    }
}
