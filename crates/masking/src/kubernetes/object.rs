//! What is known of an object while it is read: whether it is a Secret, and where its values are.
//!
//! The kind may come after the values, so values are kept until the object ends.

use crate::kind::Kind;
use crate::span::{Span, Wrap};

/// What an object says it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// It did not say, at least not yet.
    #[default]
    Unsaid,
    Secret,
    SecretList,
    Other,
}

impl ObjectKind {
    /// The kind of a name.
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"Secret" => Self::Secret,
            b"SecretList" => Self::SecretList,
            _ => Self::Other,
        }
    }
}

/// The keys of an object that matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Field {
    Kind,
    ApiVersion,
    Data,
    Items,
    #[default]
    Other,
}

impl Field {
    /// The field of a name.
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

/// A range of values, as places in the list of all.
pub(super) type Range = (usize, usize);

/// An object that is being read.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) kind: ObjectKind,
    /// The values under its `data` and `stringData`.
    pub(super) data: Vec<Range>,
    /// The values of those of its items that do not say what they are.
    pub(super) handed: Vec<Range>,
}

impl Object {
    /// It says what it is. One that said that it is a Secret stays one, whatever it says later.
    pub(super) fn is(&mut self, kind: ObjectKind) {
        if self.kind != ObjectKind::Secret {
            self.kind = kind;
        }
    }
}

/// All values that may have to go, and those that must.
#[derive(Debug, Default)]
pub(super) struct Values {
    all: Vec<Span>,
    secret: Vec<Range>,
}

impl Values {
    /// How many there are so far.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes one in, unless there is nothing in it.
    pub(super) fn push(&mut self, text: &[u8], start: usize, end: usize, wrap: Wrap) {
        let value = text.get(start..end).unwrap_or_default();
        if !is_nothing(value) {
            self.all.push(Span { start, end, kind: Kind::KubernetesSecret, wrap });
        }
    }

    /// An object ended. What it hands to the list it may be an item of comes back.
    pub(super) fn end(&mut self, mut object: Object) -> Vec<Range> {
        match object.kind {
            ObjectKind::Secret => self.secret.append(&mut object.data),
            ObjectKind::SecretList => self.secret.append(&mut object.handed),
            ObjectKind::Unsaid => return object.data,
            ObjectKind::Other => {}
        }
        Vec::new()
    }

    /// Those that must go.
    pub(super) fn finish(mut self, spans: &mut Vec<Span>) {
        self.secret.sort_unstable();
        let mut done = 0;
        for (from, to) in self.secret {
            spans.extend(self.all.get(from.max(done)..to).unwrap_or_default());
            done = done.max(to);
        }
    }
}

/// Empty, null, an alias, or masked already.
fn is_nothing(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let inner = value.strip_prefix(b"'").and_then(|value| value.strip_suffix(b"'")).unwrap_or(value);
    let is_alias = inner.first() == Some(&b'*') && inner.iter().skip(1).all(u8::is_ascii_alphanumeric);
    let is_masked = inner.starts_with(b"[MASKED:")
        && inner.iter().position(|byte| *byte == b']') == Some(inner.len() - 1);
    matches!(inner, b"" | b"\"\"" | b"null" | b"None" | b"nil" | b"~" | b"{}" | b"[]")
        || is_alias
        || is_masked
}
