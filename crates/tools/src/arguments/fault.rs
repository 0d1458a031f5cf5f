//! One fault of the arguments, as a sentence for the model that wrote them.

use std::fmt;

use serde_json::Value;

/// Maximum length of a quoted text, in bytes.
const MAX_QUOTED_BYTES: usize = 60;

/// A fault of the value at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// A required parameter is absent.
    Missing(String),
    /// The value is not what the schema wants.
    Wrong {
        /// The value's path, as it is shown.
        at: String,
        /// The object of "must be".
        wanted: String,
        /// The value, as it is shown.
        got: String,
    },
    /// Any other fault, as a sentence.
    Other(String),
}

impl Fault {
    pub(super) fn missing(path: &str, wanted: Option<&str>) -> Self {
        let wanted = wanted.map(|wanted| format!(" ({wanted})")).unwrap_or_default();
        Self::Missing(format!("missing required parameter `{path}`{wanted}"))
    }

    pub(super) fn wrong(path: &str, wanted: String, value: &Value) -> Self {
        Self::Wrong { at: shown_path(path), wanted, got: shown_value(value) }
    }

    /// Creates the fault of a name that the object at `path` does not know. `takes` says which
    /// names it knows.
    pub(super) fn unknown(path: &str, name: &str, meant: Option<&str>, takes: Option<&str>) -> Self {
        let name = quoted(&member(path, name));
        let subject = |capital: &str| match path {
            "" => format!("{capital}his tool"),
            path => format!("`{path}`"),
        };
        let rest = match (meant, takes) {
            (None, None) => String::new(),
            (None, Some(takes)) => format!("; {} {takes}", subject("t")),
            (Some(meant), None) => format!("; did you mean `{meant}`?"),
            (Some(meant), Some(takes)) => format!("; did you mean `{meant}`? {} {takes}", subject("T")),
        };
        Self::Other(format!("unknown parameter `{name}`{rest}"))
    }

    /// Joins the faults of several alternatives, none of which accepts the value.
    pub(super) fn of_alternatives(path: &str, value: &Value, tried: &[Vec<Self>]) -> Self {
        let shown = shown_path(path);
        let wanted: Option<Vec<&str>> = tried.iter().map(|faults| only_wanted(faults, &shown)).collect();
        if let Some(wanted) = wanted {
            return Self::wrong(path, wanted.join(" or "), value);
        }
        let alternatives = tried.iter().map(|faults| {
            let faults: Vec<String> = faults.iter().map(Self::to_string).collect();
            faults.join(" and ")
        });
        Self::Other(alternatives.collect::<Vec<_>>().join("; or "))
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(sentence) | Self::Other(sentence) => formatter.write_str(sentence),
            Self::Wrong { at, wanted, got } => write!(formatter, "{at} must be {wanted}, got {got}"),
        }
    }
}

/// Returns what one alternative wants of the value at `path`, if nothing else is wrong with it.
fn only_wanted<'a>(faults: &'a [Fault], path: &str) -> Option<&'a str> {
    match faults {
        [Fault::Wrong { at, wanted, .. }] if at == path => Some(wanted),
        _ => None,
    }
}

/// Returns the path of a member of the object at `path`.
pub(super) fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn shown_path(path: &str) -> String {
    if path.is_empty() { "the arguments".to_owned() } else { format!("`{path}`") }
}

/// Returns a value with its type, as the object of "got".
fn shown_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(text) => format!("the string {:?}", quoted(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_QUOTED_BYTES);
    if end == text.len() { text.to_owned() } else { format!("{}…", &text[..end]) }
}
