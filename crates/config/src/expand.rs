//! Fills `${VAR}`, `${VAR:-default}` and `{{.VAR}}` in a scalar from the environment.
//!
//! It works on the text of one scalar after parsing, so a value can never change the structure of a file, and
//! what was filled in is not looked at again. `$${` is a literal `${`, and `${1}` stays as it is because
//! masking replacements use it. `{{.SESSION_ID}}` and `{{.SESSION_AGENT}}` stay too: they are filled for each
//! execution. Keys are never expanded.

use crate::Environment;

/// The names that are filled for each execution, and not here.
const SESSION_ID: &str = "SESSION_ID";
const SESSION_AGENT: &str = "SESSION_AGENT";

/// A reference that cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpandFault {
    /// The text to point at, as it stands in the scalar.
    pub(crate) token: String,
    pub(crate) message: String,
}

/// Whom a text is filled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedExecution<'a> {
    /// The id of the execution.
    pub id: &'a str,
    /// The agent, `stage/agent`.
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

/// What a text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Whether a value was filled in.
    pub(crate) filled: bool,
}

/// Fills every reference in a text, or says everything that is wrong with them.
pub(crate) fn expand(text: &str, environment: &Environment) -> Result<Expanded, Vec<ExpandFault>> {
    let mut expander = Expander { environment, faults: Vec::new(), filled: false };
    let text = expander.expand(text);
    match expander.faults.is_empty() {
        true => Ok(Expanded { text, filled: expander.filled }),
        false => Err(expander.faults),
    }
}

/// Whether a text has something to fill for each execution.
pub(crate) fn mentions_session(text: &str) -> bool {
    text.match_indices("{{").any(|(at, _)| template(&text[at..]).is_some_and(|(_, name)| is_of_session(name)))
}

/// The variable that a text refers to first, if it begins with a reference.
pub(crate) fn variable(text: &str) -> Option<&str> {
    let shell = text.strip_prefix("${").map(name).filter(|name| !name.is_empty());
    shell.or_else(|| template(text).map(|(_, name)| name))
}

/// A text with something harmless in place of what is filled for each execution.
pub(crate) fn with_any_session(text: &str) -> String {
    fill_session(text, ServedExecution { id: "session", agent: "agent" })
}

/// A text with what is filled for each execution.
pub(crate) fn fill_session(text: &str, served: ServedExecution<'_>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let mention = template(&rest[at..]).and_then(|(length, name)| Some((length, served.value(name)?)));
        let (length, stand_in) = mention.unwrap_or((2, "{{"));
        filled = filled + &rest[..at] + stand_in;
        rest = &rest[at + length..];
    }
    filled + rest
}

fn is_of_session(name: &str) -> bool {
    matches!(name, SESSION_ID | SESSION_AGENT)
}

/// Whether a text is the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && name(text) == text
}

/// Whether a text is one reference without a default text, which may be shown even where its value may not.
pub(crate) fn is_reference(text: &str) -> bool {
    let text = text.trim().trim_start_matches("Bearer ");
    let shell = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let shell = shell.map(|word| word.strip_suffix(":-").unwrap_or(word));
    shell.is_some_and(is_name) || template(text).is_some_and(|(length, _)| length == text.len())
}

struct Expander<'a> {
    environment: &'a Environment,
    faults: Vec<ExpandFault>,
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

    /// Takes what begins at a `$` or `{`: how long it is, and what stands in its place.
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

    /// Takes what begins with `${NAME`.
    fn reference(&mut self, text: &str, name: &str) -> (usize, String) {
        let after_name = 2 + name.len();
        let Some(end) = closing_brace(text) else {
            self.fault(text, format!("`${{{name}` has no closing `}}`; write `$${{` for a literal `${{`"));
            return (text.len(), String::new());
        };
        let token = &text[..=end];
        let filled = match &text[after_name..end] {
            "" => self.variable(token, name, None),
            rest => match rest.strip_prefix(":-") {
                Some(default) => self.variable(token, name, Some(default)),
                None => {
                    // What follows the name may be a credential.
                    let message = format!(
                        "`${{{name}…}}` is not understood; \
                         write `${{{name}}}`, `${{{name}:-default}}`, or `$${{` for a literal `${{`"
                    );
                    self.fault(token, message);
                    String::new()
                }
            },
        };
        (end + 1, filled)
    }

    /// As in a shell, a default also stands in for a variable that is set to nothing.
    fn variable(&mut self, token: &str, name: &str, default: Option<&str>) -> String {
        self.filled = true;
        match (self.environment.get(name), default) {
            (Some(value), None) => value.to_owned(),
            (Some(value), Some(_)) if !value.is_empty() => value.to_owned(),
            (_, Some(default)) => self.expand(default),
            (None, None) => {
                let message = format!(
                    "the environment variable `{name}` is not set; \
                     set it, or give a default: `${{{name}:-default}}`"
                );
                self.fault(token, message);
                String::new()
            }
        }
    }

    fn fault(&mut self, token: &str, message: String) {
        self.faults.push(ExpandFault { token: token.to_owned(), message });
    }
}

/// `{{.NAME}}`, blanks allowed inside: its length and the name.
fn template(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find("}}")?;
    let word = inner[..end].trim().strip_prefix('.')?;
    is_name(word).then_some((end + 4, word))
}

/// The variable name that a text begins with, possibly empty.
fn name(text: &str) -> &str {
    let first_is_digit = text.starts_with(|char: char| char.is_ascii_digit());
    let end = text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(text.len());
    if first_is_digit { "" } else { &text[..end] }
}

/// Where the `${` that a text begins with is closed; defaults may hold references of their own.
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
    fn references_are_filled() {
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
    fn every_reference_that_cannot_be_filled_is_named() {
        let faults = expand("${B} {{.C}} ${A-x} ${A", &environment()).unwrap_err();
        let faults: Vec<_> =
            faults.iter().map(|fault| (fault.token.as_str(), fault.message.as_str())).collect();
        assert_eq!(
            faults,
            [
                (
                    "${B}",
                    "the environment variable `B` is not set; set it, or give a default: `${B:-default}`"
                ),
                (
                    "{{.C}}",
                    "the environment variable `C` is not set; set it, or give a default: `${C:-default}`"
                ),
                (
                    "${A-x}",
                    "`${A…}` is not understood; write `${A}`, `${A:-default}`, or `$${` for a literal `${`"
                ),
                ("${A", "`${A` has no closing `}`; write `$${` for a literal `${`"),
            ]
        );
    }

    #[test]
    fn only_a_bare_reference_may_be_shown() {
        for text in ["${A}", "${A:-}", "{{ .A }}", "Bearer ${A}"] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["", "abc", "${A:-abc}", "abc ${A}", "${A}${B}", "{{.A}}abc"] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_names_the_session_is_recognised() {
        assert!(mentions_session("https://x/{{ .SESSION_ID }}"));
        assert!(mentions_session("{{.SESSION_AGENT}}"));
        assert!(!mentions_session("https://x/{{.SESSION}} {{"));
        assert_eq!(with_any_session("a/{{ .SESSION_ID }}/{{.B}} {{"), "a/session/{{.B}} {{");
        let served = ServedExecution { id: "{{.SESSION_ID}}", agent: "look/A" };
        assert_eq!(fill_session("{{.SESSION_ID}} {{.SESSION_AGENT}}", served), "{{.SESSION_ID}} look/A");
    }
}
