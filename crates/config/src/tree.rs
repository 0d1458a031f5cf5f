//! A YAML document as a tree of values with their positions.
//!
//! Scalars keep the text as written. Their type depends on what is expected, so it is computed on demand and
//! not stored. The tree contains no expanded values.

use crate::source::SourceSpan;

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: SourceSpan,
    pub(crate) kind: NodeKind,
}

/// The kind of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeKind {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<(NodeKey, Node)>),
    /// A value whose error was already reported.
    Broken,
}

/// The text of a scalar, and whether quotes, a block style or a tag make it a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) quoted: bool,
}

/// The key of a mapping entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeKey {
    pub(crate) text: String,
    pub(crate) span: SourceSpan,
}

/// The type of a scalar by the core schema of YAML 1.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ScalarType {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text,
}

impl Node {
    /// Returns a mapping without entries, which is the value of an empty file.
    pub(crate) fn empty() -> Self {
        Self { span: SourceSpan::START, kind: NodeKind::Mapping(Vec::new()) }
    }

    /// Returns the texts of all scalars in this value.
    pub(crate) fn scalars(&self) -> Vec<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) => vec![&scalar.text],
            NodeKind::Sequence(nodes) => nodes.iter().flat_map(Self::scalars).collect(),
            NodeKind::Mapping(entries) => entries.iter().flat_map(|(_, node)| node.scalars()).collect(),
            NodeKind::Broken => Vec::new(),
        }
    }

    /// Returns whether the value is empty or `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(scalar) if scalar.scalar_type() == ScalarType::Null)
    }
}

impl Scalar {
    pub(crate) fn scalar_type(&self) -> ScalarType {
        if self.quoted { ScalarType::Text } else { plain_type(&self.text) }
    }
}

/// Returns the type of a plain scalar.
pub(crate) fn plain_type(text: &str) -> ScalarType {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarType::Null,
        "true" | "True" | "TRUE" => ScalarType::Bool(true),
        "false" | "False" | "FALSE" => ScalarType::Bool(false),
        _ => integer(text)
            .map(ScalarType::Integer)
            .or_else(|| float(text).map(ScalarType::Float))
            .unwrap_or(ScalarType::Text),
    }
}

fn integer(text: &str) -> Option<i128> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with(['+', '-']));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i128::from_str_radix(digits, 8).ok().filter(|_| !digits.starts_with(['+', '-']));
    }
    text.parse().ok()
}

/// Parses a finite float. Rust also accepts `inf` and `nan`, which are strings in YAML.
fn float(text: &str) -> Option<f64> {
    let looks_numeric = text.chars().all(|char| matches!(char, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
    text.parse().ok().filter(|number: &f64| looks_numeric && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_typed_by_the_core_schema() {
        let cases = [
            ("", ScalarType::Null),
            ("~", ScalarType::Null),
            ("True", ScalarType::Bool(true)),
            ("yes", ScalarType::Text),
            ("-12", ScalarType::Integer(-12)),
            ("0o17", ScalarType::Integer(15)),
            ("0xff", ScalarType::Integer(255)),
            ("0x-f", ScalarType::Text),
            ("1_000", ScalarType::Text),
            ("1.5e3", ScalarType::Float(1500.0)),
            (".5", ScalarType::Float(0.5)),
            ("inf", ScalarType::Text),
            ("1e999", ScalarType::Text),
            ("1.2.3", ScalarType::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(plain_type(text), expected, "{text}");
        }
    }
}
