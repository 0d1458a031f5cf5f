//! Drops fields without information: `null`, empty strings, empty lists and empty objects.

use serde_json::{Map, Value};

/// A text without its empty fields.
pub(super) enum Pruned<'a> {
    /// JSON that was reformatted, so its lines differ from the original.
    Json(String),
    /// Text with some lines emptied, so that the others keep their numbers.
    Lines(String),
    /// Text without empty fields.
    Untouched(&'a str),
}

/// Whether the rows of a text have the numbers of the original result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    /// They do.
    Original,
    /// They do not.
    Own,
}

impl Pruned<'_> {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Json(text) | Self::Lines(text) => text,
            Self::Untouched(text) => text,
        }
    }

    pub(super) fn numbering(&self) -> Numbering {
        match self {
            Self::Json(_) => Numbering::Own,
            Self::Lines(_) | Self::Untouched(_) => Numbering::Original,
        }
    }
}

/// Drops empty fields. JSON is written in one line if that fits the budget, otherwise with one line per
/// value.
pub(super) fn prune(text: &str, budget: usize) -> Pruned<'_> {
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
        && let Some(value) = without_empty(value)
    {
        let short = value.to_string();
        let long = || serde_json::to_string_pretty(&value).unwrap_or_default();
        return Pruned::Json(if short.len() <= budget { short } else { long() });
    }
    if !text.lines().any(is_empty_field) {
        return Pruned::Untouched(text);
    }
    let lines: Vec<&str> = text.lines().map(|line| if is_empty_field(line) { "" } else { line }).collect();
    Pruned::Lines(lines.join("\n"))
}

/// Removes empty fields from a value; returns `None` if it is empty itself. List items stay: their positions
/// matter.
fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(items) => {
            let items: Vec<_> =
                items.into_iter().map(|item| without_empty(item).unwrap_or(Value::Null)).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(fields) => {
            let fields: Map<_, _> =
                fields.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        Value::Bool(_) | Value::Number(_) => Some(value),
    }
}

/// Returns whether a line is a YAML field without a value. One that starts a list item is kept, because the
/// item would be lost with it.
fn is_empty_field(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once(':') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    is_name && matches!(value.trim(), "null" | "~" | "\"\"" | "''" | "{}" | "[]") && !name.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_empty_fields_but_not_list_items() {
        let value = serde_json::json!({"a": null, "b": {"c": "", "d": []}, "e": [null, {"f": {}}, 1], "g": false, "h": 0});
        let expected = serde_json::json!({"e": [null, null, 1], "g": false, "h": 0});
        assert_eq!(without_empty(value), Some(expected));
    }

    #[test]
    fn recognizes_empty_yaml_fields() {
        for (line, empty) in [
            ("  nodeName: null", true),
            ("annotations: {}", true),
            ("app.kubernetes.io/name: \"\"", true),
            ("spec:", false),
            ("  - name: \"\"", false),
            ("12:00:01 GET /a: null", false),
            ("a: nullable", false),
        ] {
            assert_eq!(is_empty_field(line), empty, "{line}");
        }
    }
}
