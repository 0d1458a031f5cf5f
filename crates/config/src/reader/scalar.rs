//! The part of the reader that converts scalars to the expected type.
//!
//! A literal has its YAML type. A scalar with an expanded variable gets the expected type, because the value
//! of a variable has no quotes. Messages show the text as written, never the value of a variable. Mappings
//! and lists are in `reader`.

use serde_json::{Number, Value};

use super::{DocumentReader, NodeAt, ReadValue, describe};
use crate::Period;
use crate::expand::{self, ExpansionError, expand};
use crate::sensitive::{self, HIDDEN, hide_in_urls, hides_values};
use crate::shape::{EnumValue, ObjectShape, Shape, TextFormat};
use crate::suggest::{did_you_mean, list};
use crate::tree::{NodeKind, Scalar, ScalarType, plain_type};

/// A scalar after expansion.
pub(super) struct ExpandedScalar<'node> {
    pub(super) written: &'node Scalar,
    pub(super) text: String,
    /// Whether a variable was expanded.
    pub(super) filled: bool,
}

impl ExpandedScalar<'_> {
    pub(super) fn scalar_type(&self) -> ScalarType {
        if self.filled { plain_type(self.text.trim()) } else { self.written.scalar_type() }
    }
}

impl DocumentReader<'_> {
    pub(super) fn scalar(&mut self, at: &NodeAt<'_>, scalar: &Scalar, shape: &Shape) -> Option<ReadValue> {
        let filled = self.fill(at, scalar)?;
        let value = match shape {
            Shape::Text { may_be_empty, format } => self.text(at, &filled, *may_be_empty, *format)?,
            Shape::Enum(values) => self.enum_value(at, &filled, values)?,
            Shape::Integer { minimum, maximum } => self.integer(at, &filled, *minimum, *maximum)?,
            Shape::Number { minimum, maximum } => self.number(at, &filled, *minimum, *maximum)?,
            Shape::Bool => self.bool(at, &filled)?,
            Shape::Period { may_be_zero } => self.period(at, &filled, *may_be_zero)?,
            Shape::List { item, .. } => {
                let hint = self.list_hint(at, &filled, item);
                return self.mismatch(at, &filled, shape, &hint);
            }
            Shape::Object(object) => {
                let hint = self.object_hint(at, &filled, object);
                return self.mismatch(at, &filled, shape, &hint);
            }
            Shape::Map(_) => return self.mismatch(at, &filled, shape, ""),
        };
        let shown = self.shown(at, scalar);
        self.note(at, None, Some(shown.clone()));
        let shown = if filled.filled || at.secret { Value::String(shown) } else { showable(&value, shown) };
        Some(ReadValue { value, shown })
    }

    /// Returns the text to show for a value that expands to an empty string, as `${VAR:-}` can. Such a key
    /// counts as omitted.
    pub(super) fn expands_to_nothing(&self, at: &NodeAt<'_>) -> Option<String> {
        let NodeKind::Scalar(scalar) = &at.node.kind else { return None };
        let expanded = expand(&scalar.text, self.environment, self.style).ok()?;
        (expanded.filled && expanded.text.is_empty()).then(|| self.shown(at, scalar))
    }

    /// Returns whether an optional key has an empty string, which is not a valid value. Such a key counts as omitted,
    /// with a warning: in other systems it is the result of a variable that is not set.
    pub(super) fn is_empty_string(&mut self, at: &NodeAt<'_>, shape: &Shape) -> bool {
        let accepts = match shape {
            // An empty condition would let a stage run that was meant to depend on something.
            Shape::Text { may_be_empty, format } => {
                *may_be_empty && matches!(format, TextFormat::Free | TextFormat::Condition)
            }
            Shape::Enum(values) => values.iter().any(|value| value.text.is_empty()),
            Shape::Object(_)
            | Shape::Map(_)
            | Shape::List { .. }
            | Shape::Integer { .. }
            | Shape::Number { .. }
            | Shape::Bool
            | Shape::Period { .. } => true,
        };
        let is_empty = matches!(&at.node.kind, NodeKind::Scalar(scalar) if scalar.text.is_empty());
        if is_empty && !accepts {
            self.warn(&at.path, at.node.span, "this string is empty; the key counts as omitted");
        }
        is_empty && !accepts
    }

    /// Expands the variables, or reports those that are not set. A value without effect needs no variables.
    fn fill<'node>(&mut self, at: &NodeAt<'_>, written: &'node Scalar) -> Option<ExpandedScalar<'node>> {
        match expand(&written.text, self.environment, self.style) {
            Ok(expanded) => {
                expanded.kept.into_iter().for_each(|kept| self.warn_kept(at, written, kept));
                Some(ExpandedScalar { written, text: expanded.text, filled: expanded.filled })
            }
            Err(_) if self.without_effect => {
                self.locations.mark_invalid(at.path.clone());
                None
            }
            Err(errors) => {
                for error in errors {
                    let span = self.source.find(at.node.span, &error.token);
                    self.error(&at.path, span, error.message);
                }
                None
            }
        }
    }

    /// Warns of a reference that stays as it is. In a secret it may be a part of the secret, so it is not shown.
    fn warn_kept(&mut self, at: &NodeAt<'_>, written: &Scalar, kept: ExpansionError) {
        if self.shown(at, written) == HIDDEN {
            let message = "a `${…}` in this value is not a variable that is set, and stays as it is; \
                           write `$${` for literal text";
            return self.warn(&at.path, at.node.span, message);
        }
        let span = self.source.find(at.node.span, &kept.token);
        self.warn(&at.path, span, kept.message);
    }

    fn enum_value(
        &mut self,
        at: &NodeAt<'_>,
        filled: &ExpandedScalar<'_>,
        values: &[EnumValue],
    ) -> Option<Value> {
        if let Some(value) = values.iter().find(|value| value.text == filled.text) {
            if value.no_effect {
                self.no_effect(&at.path, at.node.span, &format!("`{}`", value.text));
            }
            return Some(Value::String(value.text.clone()));
        }
        let known = || values.iter().map(|value| value.text.as_str()).filter(|text| !text.is_empty());
        let found = self.found(at, filled);
        let suggestion = did_you_mean(&filled.text, known());
        self.invalid_value(at, format!("expected one of: {}; found {found}{suggestion}", list(known())))
    }

    fn integer(
        &mut self,
        at: &NodeAt<'_>,
        filled: &ExpandedScalar<'_>,
        minimum: i128,
        maximum: i128,
    ) -> Option<Value> {
        let shape = Shape::Integer { minimum, maximum };
        let ScalarType::Integer(number) = filled.scalar_type() else {
            return self.mismatch(at, filled, &shape, &unquote_hint(filled));
        };
        if number < minimum {
            return self.out_of_range(at, filled, &format!("at least {minimum}"));
        }
        if number > maximum {
            return self.out_of_range(at, filled, &format!("at most {maximum}"));
        }
        u64::try_from(number).ok().map(Value::from)
    }

    fn number(
        &mut self,
        at: &NodeAt<'_>,
        filled: &ExpandedScalar<'_>,
        minimum: f64,
        maximum: f64,
    ) -> Option<Value> {
        let number = match filled.scalar_type() {
            ScalarType::Float(number) => Some(number),
            // An integer too large for a float is out of every range.
            ScalarType::Integer(_) => filled.text.trim().parse().ok(),
            ScalarType::Null | ScalarType::Bool(_) | ScalarType::Text => None,
        };
        let Some(number) = number else {
            return self.mismatch(at, filled, &Shape::Number { minimum, maximum }, &unquote_hint(filled));
        };
        if !(minimum..=maximum).contains(&number) {
            let is_open = maximum >= f64::MAX;
            let range = if is_open {
                format!("at least {minimum}")
            } else {
                format!("between {minimum} and {maximum}")
            };
            return self.out_of_range(at, filled, &range);
        }
        Number::from_f64(number).map(Value::Number)
    }

    fn bool(&mut self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>) -> Option<Value> {
        if let ScalarType::Bool(value) = filled.scalar_type() {
            return Some(Value::Bool(value));
        }
        let hint = match filled.text.to_lowercase().as_str() {
            _ if filled.filled => String::new(),
            _ if !unquote_hint(filled).is_empty() => unquote_hint(filled),
            "yes" | "on" | "y" | "1" => "; write `true`".to_owned(),
            "no" | "off" | "n" | "0" => "; write `false`".to_owned(),
            _ => String::new(),
        };
        self.mismatch(at, filled, &Shape::Bool, &hint)
    }

    fn period(&mut self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>, may_be_zero: bool) -> Option<Value> {
        match filled.text.trim().parse::<Period>() {
            Ok(period) if period.is_zero() && !may_be_zero => {
                self.invalid_value(at, "this duration must not be zero")
            }
            Ok(period) => Some(Value::String(period.to_string())),
            Err(error) => {
                let found = self.found(at, filled);
                self.invalid_value(at, format!("{error}; found {found}"))
            }
        }
    }

    /// Returns a hint on how to write a single value as a list.
    fn list_hint(&self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>, item: &Shape) -> String {
        if filled.scalar_type() == ScalarType::Null {
            return String::new();
        }
        match (self.quotable(at, filled), item) {
            (None, _) => "; enclose it in `[]`".to_owned(),
            (Some(text), Shape::Object(object)) => match object.only_required_text() {
                Some(name) => format!("; write `[{name}: {text}]`"),
                None => String::new(),
            },
            (Some(text), _) => format!("; write `[{text}]`"),
        }
    }

    /// Returns a hint on how to write a single value as a mapping.
    fn object_hint(&self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>, object: &ObjectShape) -> String {
        if let Some(key) = object.key_without_space(&filled.written.text) {
            return format!("; add a space after `{key}:`");
        }
        match (object.only_required_text(), self.quotable(at, filled)) {
            (Some(name), Some(text)) => format!("; write `{name}: {text}`"),
            (None, _) | (_, None) => String::new(),
        }
    }

    fn out_of_range(&mut self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>, range: &str) -> Option<Value> {
        let found = self.found(at, filled);
        self.invalid_value(at, format!("expected {range}, found {found}"))
    }

    fn mismatch<T>(
        &mut self,
        at: &NodeAt<'_>,
        filled: &ExpandedScalar<'_>,
        shape: &Shape,
        hint: &str,
    ) -> Option<T> {
        let found = self.found(at, filled);
        self.invalid_value(at, format!("expected {}, found {found}{hint}", describe(shape)))
    }

    pub(super) fn invalid_value<T>(&mut self, at: &NodeAt<'_>, message: impl Into<String>) -> Option<T> {
        self.error(&at.path, at.node.span, message);
        None
    }

    /// Returns a description of the value that was found, as written.
    fn found(&self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>) -> String {
        let quoted = self.quotable(at, filled).map(|text| format!(" `{text}`"));
        let quoted = quoted.as_deref();
        if filled.filled {
            return quoted.map_or_else(
                || "a different value".to_owned(),
                |text| format!("a different value in{text}"),
            );
        }
        match filled.written.scalar_type() {
            ScalarType::Null => "nothing".to_owned(),
            ScalarType::Bool(value) => format!("`{value}`"),
            ScalarType::Integer(_) | ScalarType::Float(_) => {
                quoted.map_or_else(|| "a number".to_owned(), |text| format!("the number{text}"))
            }
            ScalarType::Text => {
                quoted.map_or_else(|| "a string".to_owned(), |text| format!("the string{text}"))
            }
        }
    }

    /// Returns the text as a message can quote it, or `None` if it must not be quoted.
    ///
    /// Every value of a transport may contain a credential: if a key is misspelled or a space is missing, it
    /// is not known which value does.
    fn quotable(&self, at: &NodeAt<'_>, filled: &ExpandedScalar<'_>) -> Option<String> {
        let shown = self.shown(at, filled.written);
        let is_closed = shown == HIDDEN || at.path.keys().any(|key| key == "transport");
        let may = !is_closed || expand::is_reference(&filled.written.text);
        (may && !shown.is_empty()).then(|| shorten(sensitive::cut(shown.trim())))
    }

    /// Returns the text in the form that can be shown: as written, with literal secrets hidden.
    fn shown(&self, at: &NodeAt<'_>, scalar: &Scalar) -> String {
        let secret = at.secret || at.path.keys().any(hides_values);
        if secret && !expand::is_reference(&scalar.text) {
            return HIDDEN.to_owned();
        }
        hide_in_urls(&scalar.text)
    }
}

fn unquote_hint(filled: &ExpandedScalar<'_>) -> String {
    let is_text = filled.written.quoted && !filled.filled;
    if is_text && plain_type(&filled.text) != ScalarType::Text {
        "; remove the quotes".to_owned()
    } else {
        String::new()
    }
}

/// Returns the value to show: `shown` for a string, the value itself otherwise.
fn showable(value: &Value, shown: String) -> Value {
    if value.is_string() { Value::String(shown) } else { value.clone() }
}

/// Shortens a text to one line of at most 60 characters.
fn shorten(text: String) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= 60 {
        return text;
    }
    format!("{}…", line.chars().take(60).collect::<String>())
}
