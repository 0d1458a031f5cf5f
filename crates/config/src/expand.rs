//! Expands `${VAR}`, `${VAR:-default}` and `{{.VAR}}` in a scalar.
//!
//! Expansion works on the text of one scalar after parsing, so a value cannot change the structure of a file,
//! and an expanded value is not expanded again. `$${` is a literal `${`. `${1}` is left unchanged because
//! masking replacements use it. In a file that refers to variables as `{{.VAR}}` only, a `${VAR}` that is not set
//! is left unchanged, with a warning: it is probably part of a text. `{{.SESSION_ID}}` and `{{.SESSION_AGENT}}` are left unchanged because they
//! are replaced for each execution. Keys are never expanded.

use crate::Environment;
use action::action;
pub(crate) use style::ReferenceStyle;

mod action;
mod style;

/// Placeholders that are replaced for each execution.
const SESSION_ID: &str = "SESSION_ID";
const SESSION_AGENT: &str = "SESSION_AGENT";

/// A reference that cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpansionError {
    /// The reference as written in the scalar.
    pub(crate) token: String,
    pub(crate) message: String,
}

/// The execution for which placeholders are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedExecution<'a> {
    /// The id of the execution.
    pub id: &'a str,
    /// The stage and agent, as `stage/agent`.
    pub agent: &'a str,
}

impl<'a> ServedExecution<'a> {
    fn value(self, name: &str) -> Option<&'a str> {
        match name {
            SESSION_ID => Some(self.id),
            SESSION_AGENT => Some(self.agent),
            _ => None,
        }
    }
}

/// An expanded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Whether a reference was replaced.
    pub(crate) filled: bool,
    /// References that were left unchanged, with a warning each.
    pub(crate) kept: Vec<ExpansionError>,
}

/// Expands all references in a text, or returns all errors.
pub(crate) fn expand(
    text: &str,
    environment: &Environment,
    style: ReferenceStyle,
) -> Result<Expanded, Vec<ExpansionError>> {
    let mut expander = Expander { environment, style, errors: Vec::new(), kept: Vec::new(), filled: false };
    let text = expander.expand(text);
    match expander.errors.is_empty() {
        true => Ok(Expanded { text, filled: expander.filled, kept: expander.kept }),
        false => Err(expander.errors),
    }
}

/// Returns whether a text contains a placeholder that is replaced for each execution.
pub(crate) fn mentions_session(text: &str) -> bool {
    text.match_indices("{{").any(|(at, _)| template(&text[at..]).is_some_and(|(_, name)| is_of_session(name)))
}

/// Returns the variable of the reference at the start of a text.
pub(crate) fn variable(text: &str) -> Option<&str> {
    let shell = text.strip_prefix("${").map(name).filter(|name| !name.is_empty());
    shell.or_else(|| template(text).map(|(_, name)| name))
}

/// Returns a text with sample values for the placeholders of an execution, for validation.
pub(crate) fn with_sample_session(text: &str) -> String {
    fill_session(text, ServedExecution { id: "session", agent: "agent" })
}

/// Replaces the placeholders of an execution in a text.
pub(crate) fn fill_session(text: &str, served: ServedExecution<'_>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let mention = template(&rest[at..]).and_then(|(length, name)| Some((length, served.value(name)?)));
        let (length, replacement) = mention.unwrap_or((2, "{{"));
        filled = filled + &rest[..at] + replacement;
        rest = &rest[at + length..];
    }
    filled + rest
}

fn is_of_session(name: &str) -> bool {
    matches!(name, SESSION_ID | SESSION_AGENT)
}

/// Returns whether a text is the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && name(text) == text
}

/// Returns whether a text is a single reference without a default. It can be shown even if its value is
/// secret.
pub(crate) fn is_reference(text: &str) -> bool {
    let text = text.trim().trim_start_matches("Bearer ");
    let shell = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let shell = shell.map(|word| word.strip_suffix(":-").unwrap_or(word));
    shell.is_some_and(is_name) || template(text).is_some_and(|(length, _)| length == text.len())
}

struct Expander<'a> {
    environment: &'a Environment,
    style: ReferenceStyle,
    errors: Vec<ExpansionError>,
    kept: Vec<ExpansionError>,
    filled: bool,
}

impl Expander<'_> {
    fn expand(&mut self, text: &str) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '{']) {
            expanded.push_str(&rest[..at]);
            rest = &rest[at..];
            let (taken, filled) = self.token(rest);
            expanded.push_str(&filled);
            rest = &rest[taken..];
        }
        expanded + rest
    }

    /// Expands the token at the start of a text, which is a `$` or `{`; returns its length and its
    /// replacement.
    fn token(&mut self, text: &str) -> (usize, String) {
        if text.starts_with("$${") {
            return (3, "${".to_owned());
        }
        if let Some((length, name)) = template(text).filter(|(_, name)| !is_of_session(name)) {
            let token = &text[..length];
            return (length, self.template_variable(token, name));
        }
        if let Some((length, word)) = action(text) {
            let message = format!(
                "Go template syntax `{word}` is not supported; write `{{{{.NAME}}}}` or `${{NAME:-default}}`"
            );
            self.error(&text[..length], message);
            return (length, String::new());
        }
        match text.strip_prefix("${").map(name) {
            Some(name) if !name.is_empty() => self.reference(text, name),
            Some(_) | None => (1, text[..1].to_owned()),
        }
    }

    /// Expands a token that starts with `${NAME`.
    fn reference(&mut self, text: &str, name: &str) -> (usize, String) {
        let after_name = 2 + name.len();
        let Some(end) = closing_brace(text) else {
            let start = &text[..after_name];
            let (taken, message) = match self.style {
                ReferenceStyle::Shell => {
                    (text.len(), format!("`{start}` has no closing `}}`; write `$${{` for a literal `${{`"))
                }
                ReferenceStyle::Templates => (after_name, stays(start)),
            };
            return (taken, self.reject(start, message));
        };
        let token = &text[..=end];
        let filled = match &text[after_name..end] {
            "" => self.shell_variable(token, name),
            rest => match rest.strip_prefix(":-") {
                Some(default) => self.variable_or(name, default),
                None => self.reject(token, self.invalid_reference(name)),
            },
        };
        (end + 1, filled)
    }

    /// Returns the message about a reference in an unknown form. The text after the name may be a credential.
    fn invalid_reference(&self, name: &str) -> String {
        match self.style {
            ReferenceStyle::Shell => format!(
                "invalid reference `${{{name}…}}`; \
                 write `${{{name}}}`, `${{{name}:-default}}`, or `$${{` for a literal `${{`"
            ),
            ReferenceStyle::Templates => stays(&format!("${{{name}…}}")),
        }
    }

    /// Returns the value of a variable, or its default. As in a shell, the default also replaces an empty value.
    fn variable_or(&mut self, name: &str, default: &str) -> String {
        self.filled = true;
        match self.environment.get(name).filter(|value| !value.is_empty()) {
            Some(value) => value.to_owned(),
            None => self.expand(default),
        }
    }

    fn shell_variable(&mut self, token: &str, name: &str) -> String {
        if let Some(value) = self.environment.get(name) {
            self.filled = true;
            return value.to_owned();
        }
        let message = match self.style {
            ReferenceStyle::Shell => format!(
                "the environment variable `{name}` is not set; \
                 set it, add a default: `${{{name}:-default}}`, or write `$${{{name}}}` for literal text"
            ),
            ReferenceStyle::Templates => format!(
                "the environment variable `{name}` is not set, so `${{{name}}}` stays as it is; \
                 write `$${{{name}}}` for literal text"
            ),
        };
        self.reject(token, message)
    }

    fn template_variable(&mut self, token: &str, name: &str) -> String {
        if let Some(value) = self.environment.get(name) {
            self.filled = true;
            return value.to_owned();
        }
        let message = format!(
            "the environment variable `{name}` is not set; set it, or add a default: `${{{name}:-default}}`"
        );
        self.error(token, message);
        String::new()
    }

    /// Reports a shell reference that cannot be expanded: as an error, or as a text that stays.
    fn reject(&mut self, token: &str, message: String) -> String {
        match self.style {
            ReferenceStyle::Shell => self.error(token, message),
            ReferenceStyle::Templates => {
                self.kept.push(ExpansionError { token: token.to_owned(), message });
            }
        }
        token.to_owned()
    }

    fn error(&mut self, token: &str, message: String) {
        self.errors.push(ExpansionError { token: token.to_owned(), message });
    }
}

fn stays(shown: &str) -> String {
    format!("`{shown}` is not a reference to a variable and stays as it is; write `$${{` for literal text")
}

/// Parses `{{.NAME}}`, with optional spaces inside; returns its length and the name.
fn template(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find("}}")?;
    let word = inner[..end].trim().strip_prefix('.')?;
    is_name(word).then_some((end + 4, word))
}

/// Returns the variable name at the start of a text, possibly empty.
fn name(text: &str) -> &str {
    let first_is_digit = text.starts_with(|char: char| char.is_ascii_digit());
    let end = text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(text.len());
    if first_is_digit { "" } else { &text[..end] }
}

/// Returns the offset of the `}` that closes the `${` at the start of a text. Defaults can contain
/// references.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, char) in text.char_indices() {
        match char {
            '{' if previous == '$' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
        previous = char;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        [("A", "one"), ("EMPTY", ""), ("ODD", ": [}\n${A}")].into_iter().collect()
    }

    #[test]
    fn references_are_expanded() {
        let cases = [
            ("plain", "plain"),
            ("${A}", "one"),
            ("<${A}-{{.A}}-{{ .A }}>", "<one-one-one>"),
            ("${B:-two}", "two"),
            ("${EMPTY}", ""),
            ("${EMPTY:-two}", "two"),
            ("${B:-}", ""),
            ("${B:-<${A}>}", "<one>"),
            ("${B:-${C:-three}}!", "three!"),
            ("$${A}", "${A}"),
            ("${1} $1 $ { {{ x }} {{.A.B}} ü$", "${1} $1 $ { {{ x }} {{.A.B}} ü$"),
            ("{{.SESSION_ID}} {{ .SESSION_AGENT }}", "{{.SESSION_ID}} {{ .SESSION_AGENT }}"),
            ("${ODD}", ": [}\n${A}"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                expand(text, &environment(), ReferenceStyle::Shell).map(|expanded| expanded.text),
                Ok(expected.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn reports_every_reference_that_cannot_be_expanded() {
        let errors = expand("${B} {{.C}} ${A-x} ${A", &environment(), ReferenceStyle::Shell).unwrap_err();
        let errors: Vec<_> =
            errors.iter().map(|error| (error.token.as_str(), error.message.as_str())).collect();
        assert_eq!(
            errors,
            [
                (
                    "${B}",
                    "the environment variable `B` is not set; set it, add a default: `${B:-default}`, or write `$${B}` for literal text"
                ),
                (
                    "{{.C}}",
                    "the environment variable `C` is not set; set it, or add a default: `${C:-default}`"
                ),
                (
                    "${A-x}",
                    "invalid reference `${A…}`; write `${A}`, `${A:-default}`, or `$${` for a literal `${`"
                ),
                ("${A", "`${A` has no closing `}`; write `$${` for a literal `${`"),
            ]
        );
    }

    #[test]
    fn recognizes_bare_references() {
        for text in ["${A}", "${A:-}", "{{ .A }}", "Bearer ${A}"] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["", "abc", "${A:-abc}", "abc ${A}", "${A}${B}", "{{.A}}abc"] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn recognizes_and_replaces_session_placeholders() {
        assert!(mentions_session("https://x/{{ .SESSION_ID }}"));
        assert!(mentions_session("{{.SESSION_AGENT}}"));
        assert!(!mentions_session("https://x/{{.SESSION}} {{"));
        assert_eq!(with_sample_session("a/{{ .SESSION_ID }}/{{.B}} {{"), "a/session/{{.B}} {{");
        let served = ServedExecution { id: "{{.SESSION_ID}}", agent: "look/A" };
        assert_eq!(fill_session("{{.SESSION_ID}} {{.SESSION_AGENT}}", served), "{{.SESSION_ID}} look/A");
    }
}
