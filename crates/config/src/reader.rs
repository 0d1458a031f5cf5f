//! Reads a located tree by the shape of the file types: the heart of this crate.
//!
//! One walk finds every fault with its place, fills variables, turns scalars into what is expected and notes
//! where everything stands. What comes out always decodes into the file types, because a faulty value is left
//! out or replaced by a placeholder that is marked as faulty. It exists because no decoder does this: they
//! stop at the first fault, or lose the places, or guess types before knowing what is expected. It does not
//! know what the values mean; that is for the rules.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsy_domain::closest_name;

use crate::Environment;
use crate::diagnostic::{Diagnostic, SourceLocation};
use crate::locations::{Locations, ValueLocation};
use crate::path::Path;
use crate::shape::{FieldShape, ObjectShape, Shape};
use crate::source::{Source, SourceSpan};
use crate::suggest::list;
use crate::tree::{Node, NodeKey, NodeKind};

mod scalar;

/// What was read from one file.
#[derive(Debug)]
pub(crate) struct Document {
    /// The value, with variables filled.
    pub(crate) value: Value,
    /// The value as it may be shown: variables as they were written, secrets hidden.
    pub(crate) shown: Value,
    pub(crate) locations: Locations,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a tree by a shape.
pub(crate) fn read(source: &Arc<Source>, node: &Node, shape: &Shape, environment: &Environment) -> Document {
    let mut reader = DocumentReader {
        source: Arc::clone(source),
        environment,
        locations: Locations::default(),
        diagnostics: Vec::new(),
    };
    let at = NodeAt { node, path: Path::default(), secret: false };
    reader.note(&at, None, None);
    let reading = reader.value(&at, shape).unwrap_or_else(|| ReadValue::placeholder(shape));
    let DocumentReader { locations, diagnostics, .. } = reader;
    Document { value: reading.value, shown: reading.shown, locations, diagnostics }
}

/// A value twice: to use, and to show.
struct ReadValue {
    value: Value,
    shown: Value,
}

/// A node on the walk.
struct NodeAt<'node> {
    node: &'node Node,
    path: Path,
    /// Whether literal values here must not be shown.
    secret: bool,
}

struct DocumentReader<'a> {
    source: Arc<Source>,
    environment: &'a Environment,
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

    /// Shows a key that has no value.
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
    /// Reads one value; nothing if it is faulty.
    fn value(&mut self, at: &NodeAt<'_>, shape: &Shape) -> Option<ReadValue> {
        match (shape, &at.node.kind) {
            (Shape::Object(object), NodeKind::Mapping(entries)) => Some(self.object(at, object, entries)),
            (Shape::Map(item), NodeKind::Mapping(entries)) => Some(self.map(at, item, entries)),
            (Shape::List { item, may_be_empty }, NodeKind::Sequence(nodes)) => {
                if nodes.is_empty() && !may_be_empty {
                    self.fault(&at.path, at.node.span, "this list must not be empty");
                    return None;
                }
                Some(self.list(at, item, nodes))
            }
            (Shape::NoEffect, _) => None,
            (_, NodeKind::Broken) => {
                self.locations.mark_faulty(at.path.clone());
                None
            }
            (_, NodeKind::Scalar(scalar)) => self.scalar(at, scalar, shape),
            (_, NodeKind::Sequence(_)) => self.wrong_type(at, shape, "a list"),
            (_, NodeKind::Mapping(_)) => self.wrong_type(at, shape, "a mapping"),
        }
    }

    fn object(&mut self, at: &NodeAt<'_>, object: &ObjectShape, entries: &[(NodeKey, Node)]) -> ReadValue {
        let mut reading = ReadValue::object();
        let mut meant = Vec::new();
        for (key, node) in entries {
            match object.field(&key.text) {
                Some(field) => self.field(at, field, key, node, &mut reading),
                None if object.ignores(&key.text) => {}
                None => meant.extend(self.unknown_key(at, object, key)),
            }
        }
        // Whatever was meant is written, only wrongly: it must not be reported as missing too.
        for path in meant {
            if self.locations.get(&path).is_none() {
                self.locations.mark_faulty(path);
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
            let message = format!("`{}` and `{aliases}` are the same key, keep one", field.name);
            return self.fault(&at.path, key.span, message);
        }
        self.note(&at, Some(key.span), None);
        if matches!(field.shape, Shape::NoEffect) {
            return self.no_effect(&at.path, key.span, &format!("`{}`", key.text));
        }
        if !field.required && node.is_null() {
            return;
        }
        match self.fills_to_nothing(&at) {
            Some(shown) if !field.required => reading.show(&field.name, shown),
            Some(_) | None => {
                if let Some(value) = self.value(&at, &field.shape) {
                    reading.insert(&field.name, value);
                }
            }
        }
    }

    /// Notes a required key that is missing, once, and puts a placeholder in place of one that is missing or
    /// faulty.
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
                .unwrap_or_else(|| first_point(at.node));
            self.diagnostics.push(Diagnostic::error(
                &at.path,
                format!("the key `{}` is missing", field.name),
                Some(SourceLocation::new(&self.source, location)),
            ));
        }
        self.locations.mark_faulty(path);
        reading.insert(&field.name, ReadValue::placeholder(&field.shape));
    }

    /// Reports a key that is not known; gives the path of the one that was probably meant.
    fn unknown_key(&mut self, at: &NodeAt<'_>, object: &ObjectShape, key: &NodeKey) -> Option<Path> {
        let known = object.fields.iter().flat_map(|field| field.aliases.iter().chain([&field.name]));
        let without_blank = object.key_without_blank(&key.text);
        let meant = without_blank.or_else(|| closest_name(&key.text, known.map(String::as_str)));
        let shown = key_shown(&key.text);
        let message = match (without_blank, meant) {
            (Some(name), _) => format!("unknown key `{shown}`, a blank is missing after `{name}:`"),
            (None, Some(meant)) => format!("unknown key `{shown}`, did you mean `{meant}`?"),
            (None, None) => format!("unknown key `{shown}`, known here: {}", list(object.names())),
        };
        let location = SourceLocation::new(&self.source, key.span);
        self.diagnostics.push(Diagnostic::error(&at.path, message, Some(location)));
        meant.and_then(|meant| object.field(meant)).map(|field| at.path.key(&field.name))
    }

    fn map(&mut self, parent: &NodeAt<'_>, item: &Shape, entries: &[(NodeKey, Node)]) -> ReadValue {
        let mut reading = ReadValue::object();
        for (key, node) in entries {
            let at = NodeAt { node, path: parent.path.key(&key.text), secret: parent.secret };
            self.note(&at, Some(key.span), None);
            if key.text.is_empty() {
                self.fault(&at.path, key.span, "a name must not be empty");
                continue;
            }
            let value = if node.is_null() { self.unset(&at, item) } else { self.value(&at, item) };
            reading.insert(&key.text, value.unwrap_or_else(|| ReadValue::placeholder(item)));
        }
        reading
    }

    /// What `name:` with nothing after it means: an empty text, or all defaults where there are defaults for
    /// all.
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
        self.fault(&at.path, first_point(at.node), message);
        None
    }

    fn note(&mut self, at: &NodeAt<'_>, key: Option<SourceSpan>, shown: Option<String>) {
        let key = key.or_else(|| self.locations.get(&at.path).and_then(|located| located.key));
        let located =
            ValueLocation { source: Arc::clone(&self.source), key, value: first_point(at.node), shown };
        self.locations.insert(at.path.clone(), located);
    }

    fn fault(&mut self, path: &Path, span: SourceSpan, message: impl Into<String>) {
        self.locations.mark_faulty(path.clone());
        self.diagnostics.push(Diagnostic::error(
            path,
            message,
            Some(SourceLocation::new(&self.source, span)),
        ));
    }

    fn no_effect(&mut self, path: &Path, span: SourceSpan, what: &str) {
        let message = format!("{what} has no effect yet");
        self.diagnostics.push(Diagnostic::warning(
            path,
            message,
            Some(SourceLocation::new(&self.source, span)),
        ));
    }
}

/// What a shape asks for, as it stands in a message.
fn describe(shape: &Shape) -> &'static str {
    match shape {
        Shape::NoEffect => "anything",
        Shape::Object(_) | Shape::Map(_) => "a mapping",
        Shape::List { .. } => "a list",
        Shape::Text { .. } => "a text",
        Shape::Enum(_) => "a word",
        Shape::Integer { .. } => "a whole number",
        Shape::Number { .. } => "a number",
        Shape::Bool => "`true` or `false`",
        Shape::Period { .. } => "a duration such as `40m`",
    }
}

/// An unknown key without what follows a colon or an equals sign in it: that was meant to be a value.
fn key_shown(key: &str) -> String {
    key.find([':', '=']).map_or_else(|| key.to_owned(), |at| format!("{}…", &key[..=at]))
}

/// The whole of a scalar, the beginning of anything larger.
fn first_point(node: &Node) -> SourceSpan {
    match &node.kind {
        NodeKind::Scalar(_) => node.span,
        NodeKind::Broken | NodeKind::Sequence(_) | NodeKind::Mapping(_) => {
            SourceSpan { end: node.span.start, ..node.span }
        }
    }
}
