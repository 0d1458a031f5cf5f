//! Recognizes Go template syntax beyond `{{.NAME}}`, which is not supported.

use super::{name, template};

/// Returns the length of a Go template action that uses a variable, such as `{{or .NAME "x"}}`, and the syntax that
/// is not supported. Other texts in double braces are not meant for the configuration.
pub(super) fn action(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find("}}")?;
    let body = inner[..end].trim();
    let uses_variable = body.match_indices('.').any(|(at, _)| is_variable(&body[..at], &body[at + 1..]));
    let word = match body.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(body.len()) {
        0 if body.starts_with('-') => "-",
        0 => "|",
        end => &body[..end],
    };
    let is_session = template(text).is_some();
    (uses_variable && !is_session).then_some((end + 4, word))
}

/// Returns whether `.NAME` between these texts is a variable: variables of the environment have upper-case names.
fn is_variable(before: &str, after: &str) -> bool {
    let name = name(after);
    let starts = before.is_empty() || before.ends_with([' ', '\t', '\n', '(', '-', '|']);
    let is_upper = name.starts_with(|char: char| char.is_ascii_uppercase() || char == '_')
        && !name.contains(|char: char| char.is_ascii_lowercase());
    starts && is_upper && !after[name.len()..].starts_with('.')
}
