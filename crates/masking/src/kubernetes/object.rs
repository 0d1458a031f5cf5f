//! State of an object while it is parsed: whether it is a Secret, and the ranges of its values.
//!
//! The kind may come after the values, so values are collected until the object ends.

use crate::kind::SecretKind;
use crate::span::{Span, Wrap};

/// The `kind` of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ManifestKind {
    /// Missing, or not parsed yet.
    #[default]
    Unknown,
    Secret,
    SecretList,
    Other,
}

impl ManifestKind {
    /// Returns the kind with a name.
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"Secret" => Self::Secret,
            b"SecretList" => Self::SecretList,
            _ => Self::Other,
        }
    }
}

/// The relevant keys of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ManifestField {
    Kind,
    ApiVersion,
    Data,
    Items,
    #[default]
    Other,
}

impl ManifestField {
    /// Returns the field with a name.
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"kind" => Self::Kind,
            b"apiVersion" => Self::ApiVersion,
            b"data" | b"stringData" => Self::Data,
            b"items" => Self::Items,
            _ => Self::Other,
        }
    }
}

/// A range of indices in the list of all values.
pub(super) type ValueRange = (usize, usize);

/// An object that is being parsed.
#[derive(Debug, Default)]
pub(super) struct ManifestObject {
    pub(super) kind: ManifestKind,
    /// Values under `data` and `stringData`.
    pub(super) data: Vec<ValueRange>,
    /// Values of its items without a `kind`.
    pub(super) untyped: Vec<ValueRange>,
}

impl ManifestObject {
    /// Sets the kind, unless the object is already a Secret.
    pub(super) fn set_kind(&mut self, kind: ManifestKind) {
        if self.kind != ManifestKind::Secret {
            self.kind = kind;
        }
    }
}

/// All candidate values, and the ranges of those that are secret.
#[derive(Debug, Default)]
pub(super) struct Values {
    all: Vec<Span>,
    secret: Vec<ValueRange>,
}

impl Values {
    /// Returns the number of values so far.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a value unless it is empty.
    pub(super) fn push(&mut self, text: &[u8], start: usize, end: usize, wrap: Wrap) {
        let value = text.get(start..end).unwrap_or_default();
        if !is_empty(value) {
            self.all.push(Span { start, end, kind: SecretKind::KubernetesSecret, wrap });
        }
    }

    /// Ends an object. Returns the values of an object without a kind, which belong to the list around it.
    pub(super) fn end(&mut self, mut object: ManifestObject) -> Vec<ValueRange> {
        match object.kind {
            ManifestKind::Secret => self.secret.append(&mut object.data),
            ManifestKind::SecretList => self.secret.append(&mut object.untyped),
            ManifestKind::Unknown => return object.data,
            ManifestKind::Other => {}
        }
        Vec::new()
    }

    /// Adds the spans of all secret values.
    pub(super) fn finish(mut self, spans: &mut Vec<Span>) {
        self.secret.sort_unstable();
        let mut done = 0;
        for (from, to) in self.secret {
            spans.extend(self.all.get(from.max(done)..to).unwrap_or_default());
            done = done.max(to);
        }
    }
}

/// Returns whether a value is empty, null, an alias, or already masked.
fn is_empty(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let inner = value.strip_prefix(b"'").and_then(|value| value.strip_suffix(b"'")).unwrap_or(value);
    let is_alias = inner.first() == Some(&b'*') && inner.iter().skip(1).all(u8::is_ascii_alphanumeric);
    let is_masked = inner.starts_with(b"[MASKED:")
        && inner.iter().position(|byte| *byte == b']') == Some(inner.len() - 1);
    matches!(inner, b"" | b"\"\"" | b"null" | b"None" | b"nil" | b"~" | b"{}" | b"[]")
        || is_alias
        || is_masked
}
