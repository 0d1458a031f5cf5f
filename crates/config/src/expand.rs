//! Expands `${VAR}`, `${VAR:-default}` and `{{.VAR}}` in a scalar.
//!
//! Expansion works on the text of one scalar after parsing, so a value cannot change the structure of a file,
//! and an expanded value is not expanded again. `$${` is a literal `${`. `${1}` is left unchanged because
//! masking replacements use it. `{{.SESSION_ID}}` and `{{.SESSION_AGENT}}` are left unchanged because they
//! are replaced for each execution. Keys are never expanded.

use crate::Environment;

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
}

/// Expands all references in a text, or returns all errors.
pub(crate) fn expand(text: &str, environment: &Environment) -> Result<Expanded, Vec<ExpansionError>> {
    let mut expander = Expander { environment, errors: Vec::new(), filled: false };
    let text = expander.expand(text);
    match expander.errors.is_empty() {
        true => Ok(Expanded { text, filled: expander.filled }),
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
    errors: Vec<ExpansionError>,
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
            return (length, self.variable(token, name, None));
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
            self.error(text, format!("`${{{name}` has no closing `}}`; write `$${{` for a literal `${{`"));
            return (text.len(), String::new());
        };
        let token = &text[..=end];
        let filled = match &text[after_name..end] {
            "" => self.variable(token, name, None),
            rest => match rest.strip_prefix(":-") {
                Some(default) => self.variable(token, name, Some(default)),
                None => {
                    // The text after the name may be a credential.
                    let message = format!(
                        "invalid reference `${{{name}…}}`; \
                         write `${{{name}}}`, `${{{name}:-default}}`, or `$${{` for a literal `${{`"
                    );
                    self.error(token, message);
                    String::new()
                }
            },
        };
        (end + 1, filled)
    }

    /// Returns the value of a variable. As in a shell, the default also replaces an empty value.
    fn variable(&mut self, token: &str, name: &str, default: Option<&str>) -> String {
        self.filled = true;
        match (self.environment.get(name), default) {
            (Some(value), None) => value.to_owned(),
            (Some(value), Some(_)) if !value.is_empty() => value.to_owned(),
            (_, Some(default)) => self.expand(default),
            (None, None) => {
                let message = format!(
                    "the environment variable `{name}` is not set; \
                     set it, or add a default: `${{{name}:-default}}`"
                );
                self.error(token, message);
                String::new()
            }
        }
    }

    fn error(&mut self, token: &str, message: String) {
        self.errors.push(ExpansionError { token: token.to_owned(), message });
    }
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
                expand(text, &environment()).map(|expanded| expanded.text),
                Ok(expected.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn reports_every_reference_that_cannot_be_expanded() {
        let errors = expand("${B} {{.C}} ${A-x} ${A", &environment()).unwrap_err();
        let errors: Vec<_> =
            errors.iter().map(|error| (error.token.as_str(), error.message.as_str())).collect();
        assert_eq!(
            errors,
            [
                (
                    "${B}",
                    "the environment variable `B` is not set; set it, or add a default: `${B:-default}`"
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
