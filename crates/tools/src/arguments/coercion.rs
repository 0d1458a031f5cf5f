//! Converts arguments to the types that the tool's schema wants.
//!
//! Models quote numbers, wrap objects in strings and pass one value where a list is expected. A value is
//! converted only if the schema does not accept it as it is, and only if the result is accepted. What cannot
//! be converted stays as it is, and validation explains it to the model.

use std::cell::Cell;

use serde_json::{Map, Value};
use tarsy_domain::json_schema::SchemaObject;

use super::conversion::{Conversions, as_integer, is_null};
use super::keyword::types;
use super::schema::{MAX_DEPTH, SchemaCheck, all_items, list, other_members};

/// Maximum number of alternatives that are tried, each with a copy of the value.
const MAX_ALTERNATIVES: usize = 1_000;

/// Converts the arguments of one call.
pub(super) struct Coercion<'a> {
    check: SchemaCheck<'a>,
    conversions: Conversions<'a>,
    alternatives: Cell<usize>,
}

impl<'a> Coercion<'a> {
    /// Creates the coercion for a root schema and the text of the arguments.
    pub(super) fn new(root: &'a Value, written: &'a str) -> Self {
        Self {
            check: SchemaCheck::new(root),
            conversions: Conversions::new(written),
            alternatives: Cell::new(0),
        }
    }

    /// Returns the value that the schema accepts, or the value with those parts converted that can be.
    pub(super) fn coerce(&self, schema: &'a Value, value: Value) -> Value {
        self.fit(schema, value, MAX_DEPTH)
    }

    /// Tries, in this order: the value as it is, with converted members, as the referenced schemas want it,
    /// as the first alternative wants it that can be satisfied, and the conversions of the value itself.
    fn fit(&self, schema: &'a Value, value: Value, depth: usize) -> Value {
        let (Some(object), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return value };
        let mut value = self.fit_members(object, value, depth);
        if self.check.accepts(schema, &value) {
            return normalized(object, value);
        }
        for part in self.check.referenced(object).into_iter().chain(list(object, "allOf")) {
            value = self.fit(part, value, depth);
        }
        if self.check.accepts(schema, &value) {
            return value;
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().flat_map(|key| list(object, key));
        let alternatives = alternatives.take_while(|_| self.may_try());
        let alternatives = alternatives.map(|part| self.fit(part, value.clone(), depth));
        let converted = self.conversions.of(object, &value).into_iter();
        let converted = converted.map(|candidate| self.fit_members(object, candidate, depth));
        let mut candidates = alternatives.chain(converted);
        candidates.find(|candidate| self.check.accepts(schema, candidate)).unwrap_or(value)
    }

    fn may_try(&self) -> bool {
        self.alternatives.set(self.alternatives.get() + 1);
        self.alternatives.get() <= MAX_ALTERNATIVES
    }

    /// Converts the members of an object or array by the schemas of its properties or items.
    fn fit_members(&self, schema: &'a SchemaObject, value: Value, depth: usize) -> Value {
        match value {
            Value::Object(members) => Value::Object(self.fit_properties(schema, members, depth)),
            Value::Array(items) => match all_items(schema) {
                Some(of) => items.into_iter().map(|item| self.fit(of, item, depth)).collect(),
                None => Value::Array(items),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        }
    }

    fn fit_properties(
        &self,
        schema: &'a SchemaObject,
        members: Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = other_members(schema);
        let fit = |(name, value): (String, Value)| {
            let known = properties.and_then(|properties| properties.get(&name));
            let Some(of) = known.or(others) else { return Some((name, value)) };
            let value = self.fit(of, value, depth);
            // Models write null for a parameter that they leave out.
            let is_absent = is_null(&value) && known.is_some() && !self.check.accepts(of, &value);
            let is_required = list(schema, "required").iter().any(|required| *required == name.as_str());
            (!is_absent || is_required).then_some((name, value))
        };
        members.into_iter().filter_map(fit).collect()
    }
}

/// Writes a number such as `5.0` or `1e5` as an integer if the schema wants one: many servers parse nothing
/// else as an integer.
fn normalized(schema: &SchemaObject, value: Value) -> Value {
    let types = types(schema);
    let wants_integer = types.contains(&"integer") && !types.contains(&"number");
    let number = value.as_number().filter(|number| wants_integer && number.is_f64());
    number.and_then(as_integer).unwrap_or(value)
}
