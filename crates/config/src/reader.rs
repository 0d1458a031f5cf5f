//! Reads a YAML tree by the shape of the file types: the core of this crate.
//!
//! One walk reports every error with its location, expands variables, converts scalars to the expected type
//! and records the location of every value. The result always decodes into the file types, because an invalid
//! value is omitted or replaced by a placeholder that is marked as invalid. Decoders such as serde stop at
//! the first error, lose positions, or infer types before they know what is expected. The rules check
//! relations between values.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsy_domain::closest_name;

use crate::Environment;
use crate::diagnostic::{Diagnostic, Severity, SourceLocation};
use crate::expand::ReferenceStyle;
use crate::locations::{Locations, ValueLocation};
use crate::path::Path;
use crate::shape::{FieldShape, ObjectShape, Shape};
use crate::source::{Source, SourceSpan};
use crate::suggest::list;
use crate::tree::{Node, NodeKey, NodeKind};

mod scalar;
mod text;

/// The content of one file.
#[derive(Debug)]
pub(crate) struct Document {
    /// The value with variables expanded.
    pub(crate) value: Value,
    /// The value in the form that can be shown: variables as written, secrets hidden.
    pub(crate) shown: Value,
    pub(crate) locations: Locations,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a tree by a shape.
pub(crate) fn read(source: &Arc<Source>, node: &Node, shape: &Shape, environment: &Environment) -> Document {
    let mut reader = DocumentReader {
        source: Arc::clone(source),
        environment,
        style: ReferenceStyle::of(&node.scalars()),
        without_effect: false,
        locations: Locations::default(),
        diagnostics: Vec::new(),
    };
    let at = NodeAt { node, path: Path::default(), secret: false };
    reader.note(&at, None, None);
    let reading = reader.value(&at, shape).unwrap_or_else(|| ReadValue::placeholder(shape));
    let DocumentReader { locations, diagnostics, .. } = reader;
    Document { value: reading.value, shown: reading.shown, locations, diagnostics }
}

/// A value in two forms: to use and to show.
struct ReadValue {
    value: Value,
    shown: Value,
}

/// A node with its path.
struct NodeAt<'node> {
    node: &'node Node,
    path: Path,
    /// Whether literal values of this node must not be shown.
    secret: bool,
}

struct DocumentReader<'a> {
    source: Arc<Source>,
    environment: &'a Environment,
    style: ReferenceStyle,
    /// Whether the value that is read has no effect yet.
    without_effect: bool,
    locations: Locations,
    diagnostics: Vec<Diagnostic>,
}

impl ReadValue {
    fn placeholder(shape: &Shape) -> Self {
        Self { value: shape.placeholder(), shown: shape.placeholder() }
    }

    fn object() -> Self {
        Self { value: Value::Object(Map::new()), shown: Value::Object(Map::new()) }
    }

    /// Adds a key that has no value to the shown form.
    fn show(&mut self, key: &str, text: String) {
        if let Value::Object(shown) = &mut self.shown {
            shown.insert(key.to_owned(), Value::String(text));
        }
    }

    fn insert(&mut self, key: &str, reading: ReadValue) {
        if let (Value::Object(value), Value::Object(shown)) = (&mut self.value, &mut self.shown) {
            value.insert(key.to_owned(), reading.value);
            shown.insert(key.to_owned(), reading.shown);
        }
    }
}

impl DocumentReader<'_> {
    /// Reads one value; returns `None` if it is invalid.
    fn value(&mut self, at: &NodeAt<'_>, shape: &Shape) -> Option<ReadValue> {
        match (shape, &at.node.kind) {
            (Shape::Object(object), NodeKind::Mapping(entries)) => Some(self.object(at, object, entries)),
            (Shape::Map(item), NodeKind::Mapping(entries)) => Some(self.map(at, item, entries)),
            (Shape::List { item, may_be_empty }, NodeKind::Sequence(nodes)) => {
                if nodes.is_empty() && !may_be_empty {
                    self.error(&at.path, at.node.span, "this list must not be empty");
                    return None;
                }
                Some(self.list(at, item, nodes))
            }
            (_, NodeKind::Broken) => {
                self.locations.mark_invalid(at.path.clone());
                None
            }
            (Shape::Object(ObjectShape { shorthand: Some(key), fields, .. }), NodeKind::Scalar(_))
                if !at.node.is_null() =>
            {
                self.shorthand(at, fields.iter().find(|field| field.name == *key)?)
            }
            (_, NodeKind::Scalar(scalar)) => self.scalar(at, scalar, shape),
            (_, NodeKind::Sequence(_)) => self.wrong_type(at, shape, "a list"),
            (_, NodeKind::Mapping(_)) => self.wrong_type(at, shape, "a mapping"),
        }
    }

    fn object(&mut self, at: &NodeAt<'_>, object: &ObjectShape, entries: &[(NodeKey, Node)]) -> ReadValue {
        let mut reading = ReadValue::object();
        let mut misspelled = Vec::new();
        for (key, node) in entries {
            match object.field(&key.text) {
                Some(field) => self.field(at, field, key, node, &mut reading),
                None if object.ignores(&key.text) => {}
                None => misspelled.extend(self.unknown_key(at, object, key)),
            }
        }
        // A misspelled key must not be reported as missing, too.
        for path in misspelled {
            if self.locations.get(&path).is_none() {
                self.locations.mark_invalid(path);
            }
        }
        for field in object.fields.iter().filter(|field| field.required) {
            self.require(at, field, &mut reading);
        }
        reading
    }

    fn field(
        &mut self,
        parent: &NodeAt<'_>,
        field: &FieldShape,
        key: &NodeKey,
        node: &Node,
        reading: &mut ReadValue,
    ) {
        let at = NodeAt { node, path: parent.path.key(&field.name), secret: parent.secret || field.secret };
        if self.locations.get(&at.path).is_some() {
            let aliases = list(field.aliases.iter().map(String::as_str));
            let message =
                format!("`{}` and `{aliases}` are names of the same key; remove one of them", field.name);
            return self.error(&at.path, key.span, message);
        }
        self.note(&at, Some(key.span), None);
        if field.no_effect {
            self.no_effect(&at.path, key.span, &format!("`{}`", key.text));
        }
        let outer = self.without_effect;
        self.without_effect |= field.no_effect;
        self.field_value(&at, field, reading);
        self.without_effect = outer;
    }

    fn field_value(&mut self, at: &NodeAt<'_>, field: &FieldShape, reading: &mut ReadValue) {
        if !field.required && (at.node.is_null() || self.is_empty_string(at, &field.shape)) {
            return;
        }
        match self.expands_to_nothing(at) {
            Some(shown) if !field.required => reading.show(&field.name, shown),
            Some(_) | None => {
                if let Some(value) = self.value(at, &field.shape) {
                    reading.insert(&field.name, value);
                }
            }
        }
    }

    /// Reads a string in place of a mapping: the value of one of its keys.
    fn shorthand(&mut self, at: &NodeAt<'_>, field: &FieldShape) -> Option<ReadValue> {
        let inner =
            NodeAt { node: at.node, path: at.path.key(&field.name), secret: at.secret || field.secret };
        self.note(&inner, None, None);
        let mut reading = ReadValue::object();
        reading.insert(&field.name, self.value(&inner, &field.shape)?);
        Some(reading)
    }

    /// Reports a required key that is missing, and inserts a placeholder for one that is missing or invalid.
    fn require(&mut self, at: &NodeAt<'_>, field: &FieldShape, reading: &mut ReadValue) {
        if reading.value.get(&field.name).is_some() {
            return;
        }
        let path = at.path.key(&field.name);
        if !self.locations.is_written(&path) {
            let location = self
                .locations
                .get(&at.path)
                .and_then(|located| located.key)
                .unwrap_or_else(|| marked_span(at.node));
            self.diagnostics.push(Diagnostic::error(
                &at.path,
                format!("the key `{}` is required", field.name),
                Some(SourceLocation::new(&self.source, location)),
            ));
        }
        self.locations.mark_invalid(path);
        reading.insert(&field.name, ReadValue::placeholder(&field.shape));
    }

    /// Reports an unknown key; returns the path of the key that was probably intended.
    fn unknown_key(&mut self, at: &NodeAt<'_>, object: &ObjectShape, key: &NodeKey) -> Option<Path> {
        let known = object.fields.iter().flat_map(|field| field.aliases.iter().chain([&field.name]));
        let without_space = object.key_without_space(&key.text);
        let intended = without_space.or_else(|| closest_name(&key.text, known.map(String::as_str)));
        let shown = key_shown(&key.text);
        let message = match (without_space, intended) {
            (Some(name), _) => format!("unknown key `{shown}`; add a space after `{name}:`"),
            (None, Some(intended)) => format!("unknown key `{shown}`, did you mean `{intended}`?"),
            (None, None) => format!("unknown key `{shown}`; valid keys: {}", list(object.names())),
        };
        let location = SourceLocation::new(&self.source, key.span);
        let severity = if self.without_effect { Severity::Warning } else { Severity::Error };
        self.diagnostics
            .push(Diagnostic { severity, ..Diagnostic::error(&at.path, message, Some(location)) });
        intended.and_then(|intended| object.field(intended)).map(|field| at.path.key(&field.name))
    }

    fn map(&mut self, parent: &NodeAt<'_>, item: &Shape, entries: &[(NodeKey, Node)]) -> ReadValue {
        let mut reading = ReadValue::object();
        for (key, node) in entries {
            let at = NodeAt { node, path: parent.path.key(&key.text), secret: parent.secret };
            self.note(&at, Some(key.span), None);
            if key.text.is_empty() {
                self.error(&at.path, key.span, "a name must not be empty");
                continue;
            }
            let value = if node.is_null() { self.unset(&at, item) } else { self.value(&at, item) };
            reading.insert(&key.text, value.unwrap_or_else(|| ReadValue::placeholder(item)));
        }
        reading
    }

    /// Reads `name:` without a value: an empty string, or an object with all defaults.
    fn unset(&mut self, at: &NodeAt<'_>, shape: &Shape) -> Option<ReadValue> {
        if let Shape::Object(object) = shape {
            return Some(self.object(at, object, &[]));
        }
        if let Shape::Text { may_be_empty: true, .. } = shape {
            return Some(ReadValue::placeholder(shape));
        }
        self.value(at, shape)
    }

    fn list(&mut self, parent: &NodeAt<'_>, item: &Shape, nodes: &[Node]) -> ReadValue {
        let mut values = Vec::new();
        let mut shown = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let at = NodeAt { node, path: parent.path.index(index), secret: parent.secret };
            self.note(&at, None, None);
            let reading = self.value(&at, item).unwrap_or_else(|| ReadValue::placeholder(item));
            values.push(reading.value);
            shown.push(reading.shown);
        }
        ReadValue { value: Value::Array(values), shown: Value::Array(shown) }
    }

    fn wrong_type(&mut self, at: &NodeAt<'_>, shape: &Shape, found: &str) -> Option<ReadValue> {
        let message = format!("expected {}, found {found}", describe(shape));
        self.error(&at.path, marked_span(at.node), message);
        None
    }

    fn note(&mut self, at: &NodeAt<'_>, key: Option<SourceSpan>, shown: Option<String>) {
        let key = key.or_else(|| self.locations.get(&at.path).and_then(|located| located.key));
        let located =
            ValueLocation { source: Arc::clone(&self.source), key, value: marked_span(at.node), shown };
        self.locations.insert(at.path.clone(), located);
    }

    fn error(&mut self, path: &Path, span: SourceSpan, message: impl Into<String>) {
        self.locations.mark_invalid(path.clone());
        self.diagnostics.push(Diagnostic::error(
            path,
            message,
            Some(SourceLocation::new(&self.source, span)),
        ));
    }

    /// Warns of a key or value without effect, unless an enclosing one was reported.
    fn no_effect(&mut self, path: &Path, span: SourceSpan, what: &str) {
        if !self.without_effect {
            self.warn(path, span, format!("{what} has no effect yet"));
        }
    }

    fn warn(&mut self, path: &Path, span: SourceSpan, message: impl Into<String>) {
        let location = SourceLocation::new(&self.source, span);
        self.diagnostics.push(Diagnostic::warning(path, message, Some(location)));
    }
}

/// Returns the description of a shape for messages.
fn describe(shape: &Shape) -> &'static str {
    match shape {
        Shape::Object(_) | Shape::Map(_) => "a mapping",
        Shape::List { .. } => "a list",
        Shape::Text { .. } => "a string",
        Shape::Enum(_) => "a string",
        Shape::Integer { .. } => "an integer",
        Shape::Number { .. } => "a number",
        Shape::Bool => "`true` or `false`",
        Shape::Period { .. } => "a duration such as `40m`",
    }
}

/// Returns an unknown key without the text after a colon or an equals sign, which is probably a value.
fn key_shown(key: &str) -> String {
    key.find([':', '=']).map_or_else(|| key.to_owned(), |at| format!("{}…", &key[..=at]))
}

/// Returns the span of a scalar, or the start of a list or mapping.
fn marked_span(node: &Node) -> SourceSpan {
    match &node.kind {
        NodeKind::Scalar(_) => node.span,
        NodeKind::Broken | NodeKind::Sequence(_) | NodeKind::Mapping(_) => {
            SourceSpan { end: node.span.start, ..node.span }
        }
    }
}
