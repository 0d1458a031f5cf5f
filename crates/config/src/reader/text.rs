//! The part of the reader that checks the format of strings: addresses, patterns, conditions, names.

use regex::Regex;
use serde_json::Value;
use tarsy_domain::Condition;

use super::scalar::ExpandedScalar;
use super::{DocumentReader, NodeAt};
use crate::shape::TextFormat;
use crate::tree::ScalarType;
use crate::{Network, OriginPattern, address, expand};

impl DocumentReader<'_> {
    pub(super) fn text(
        &mut self,
        at: &NodeAt<'_>,
        filled: &ExpandedScalar<'_>,
        may_be_empty: bool,
        format: TextFormat,
    ) -> Option<Value> {
        if filled.scalar_type() == ScalarType::Null && !filled.filled {
            return self.invalid_value(at, "expected a string, found nothing");
        }
        if filled.text.is_empty() && !may_be_empty {
            return self.invalid_value(at, "this string must not be empty");
        }
        match format {
            TextFormat::Free => {}
            TextFormat::Regex => return self.regex(at, &filled.text).map(Value::String),
            TextFormat::Condition => self.condition(at, filled)?,
            TextFormat::Variable => self.variable(at, filled)?,
            TextFormat::Address => self.checked(at, address::http_url(&filled.text))?,
            TextFormat::BareAddress => return self.bare_address(at, &filled.text),
            TextFormat::Origin => {
                let read = filled.text.parse::<OriginPattern>();
                self.checked(at, read.map(drop).map_err(|wrong| wrong.to_string()))?;
            }
            TextFormat::Repository => self.checked(at, address::repository(&filled.text))?,
            TextFormat::Host => self.checked(at, address::host(&filled.text))?,
            TextFormat::Network => {
                let read = filled.text.parse::<Network>();
                self.checked(at, read.map(drop).map_err(|wrong| wrong.to_string()))?;
            }
        }
        Some(Value::String(filled.text.clone()))
    }

    /// Returns a regular expression that compiles. As in Go, a `{` that starts no repetition is a literal character.
    fn regex(&mut self, at: &NodeAt<'_>, text: &str) -> Option<String> {
        let Err(error) = Regex::new(text) else { return Some(text.to_owned()) };
        let escaped = escape_lone_braces(text);
        if Regex::new(&escaped).is_ok() {
            return Some(escaped);
        }
        // The first lines of the error contain the expanded pattern; only the last line describes the error.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        self.invalid_value(at, format!("invalid regular expression: {reason}"))
    }

    fn condition(&mut self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>) -> Option<()> {
        let Err(error) = Condition::parse(&filled.text) else { return Some(()) };
        if filled.filled {
            let message = "invalid condition after its variables are expanded";
            return self.invalid_value(at, message).map(|_: Value| ());
        }
        let span = self.source.inside(at.node.span, &filled.text, error.offset);
        self.error(&at.path, span, error.message);
        None
    }

    /// Checks the name of a variable. It must be literal: expanded from another variable it could be a
    /// credential, and names are shown.
    fn variable(&mut self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>) -> Option<()> {
        if expand::is_name(&filled.written.text) {
            return Some(());
        }
        let hint = if filled.filled { ", not a reference to a variable" } else { "" };
        let message = "expected the name of an environment variable, such as `GOOGLE_API_KEY`";
        self.invalid_value(at, format!("{message}{hint}"))
    }

    /// Reads an HTTP URL; without a scheme, it is `http`.
    fn bare_address(&mut self, at: &NodeAt<'_>, text: &str) -> Option<Value> {
        if text.contains("://") || text.starts_with('/') {
            self.checked(at, address::http_url(text))?;
            return Some(Value::String(text.to_owned()));
        }
        let url = format!("http://{text}");
        self.checked(at, address::http_url(&url))?;
        self.warn(&at.path, at.node.span, "the URL has no scheme; `http://` is assumed");
        Some(Value::String(url))
    }

    /// Reports a format error. The messages do not contain the text, which may contain a credential.
    fn checked(&mut self, at: &NodeAt<'_>, result: Result<(), String>) -> Option<()> {
        match result {
            Ok(()) => Some(()),
            Err(message) => self.invalid_value(at, message),
        }
    }
}

/// Escapes every `{` that starts no repetition, such as `{2,3}`.
fn escape_lone_braces(pattern: &str) -> String {
    let mut escaped = String::new();
    let mut previous = ' ';
    for (at, char) in pattern.char_indices() {
        let inside = pattern[at + char.len_utf8()..].split('}').next().unwrap_or_default();
        let is_count = inside.starts_with(|char: char| char.is_ascii_digit())
            && inside.chars().all(|char| char.is_ascii_digit() || char == ',');
        if char == '{' && previous != '\\' && !is_count {
            escaped.push('\\');
        }
        escaped.push(char);
        previous = char;
    }
    escaped
}
