//! Validates a value against the keywords of JSON Schema that tool schemas use.
//!
//! References are resolved by `tarsy_domain::json_schema`. Its `SchemaView` is not used to validate, because
//! it cuts long lists: a value that matches the ninth alternative must not be rejected.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Map, Value};
use tarsy_domain::closest_name;
use tarsy_domain::json_schema::{SchemaObject, SchemaView, referenced_schema};

use super::fault::{Fault, member};
use super::keyword::{not_listed, out_of_range, wrong_type};
use super::signature::{parameter_list, type_text};

/// Maximum nesting of schemas; deeper values are accepted.
pub(super) const MAX_DEPTH: usize = 32;
/// Maximum number of schemas that one check evaluates; what remains is accepted. Alternatives that refer to
/// each other would otherwise multiply with every level.
const MAX_EVALUATIONS: usize = 100_000;

/// Validates against one root schema, which holds the definitions.
#[derive(Clone)]
pub(super) struct SchemaCheck<'a> {
    root: &'a Value,
    depth: usize,
    evaluations: Rc<Cell<usize>>,
}

impl<'a> SchemaCheck<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, depth: 0, evaluations: Rc::default() }
    }

    /// Returns whether a schema of the document accepts a value.
    pub(super) fn accepts(&self, schema: &'a Value, value: &Value) -> bool {
        self.faults(schema, value, "").is_empty()
    }

    /// Returns the schema that `$ref` points to.
    pub(super) fn referenced(&self, schema: &SchemaObject) -> Option<&'a Value> {
        referenced_schema(self.root, schema.get("$ref")?.as_str()?)
    }

    /// Returns the faults of a value at `path`.
    pub(super) fn faults(&self, schema: &'a Value, value: &Value, path: &str) -> Vec<Fault> {
        let Some(schema) = schema.as_object().filter(|_| self.may_evaluate()) else { return Vec::new() };
        let deeper = Self { depth: self.depth + 1, ..self.clone() };
        let mut faults = own_faults(schema, value, path);
        if !faults.is_empty() {
            return faults;
        }
        let referenced = self.referenced(schema);
        for schema in referenced.into_iter().chain(list(schema, "allOf")) {
            faults.extend(deeper.faults(schema, value, path));
        }
        for key in ["anyOf", "oneOf"] {
            faults.extend(deeper.no_alternative(list(schema, key), value, path));
        }
        match value {
            Value::Object(object) => faults.extend(deeper.object(schema, object, path)),
            Value::Array(items) => faults.extend(deeper.array(schema, items, path)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        faults
    }

    fn may_evaluate(&self) -> bool {
        self.evaluations.set(self.evaluations.get() + 1);
        self.depth < MAX_DEPTH && self.evaluations.get() <= MAX_EVALUATIONS
    }

    /// Checks that one of several schemas accepts the value.
    fn no_alternative(&self, schemas: &'a [Value], value: &Value, path: &str) -> Option<Fault> {
        let mut tried = Vec::new();
        for schema in schemas {
            let faults = self.faults(schema, value, path);
            if faults.is_empty() {
                return None;
            }
            tried.push(faults);
        }
        (!tried.is_empty()).then(|| Fault::of_alternatives(path, value, &tried))
    }

    fn object(&self, schema: &'a SchemaObject, object: &Map<String, Value>, path: &str) -> Vec<Fault> {
        let known = schema.get("properties").and_then(Value::as_object);
        let mut faults = self.missing(schema, object, path);
        for (name, schema) in known.into_iter().flatten() {
            if let Some(value) = object.get(name) {
                faults.extend(self.faults(schema, value, &member(path, name)));
            }
        }
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let others = object.iter().filter(|(name, _)| !is_known(name));
        match other_members(schema) {
            Some(Value::Bool(false)) => {
                faults.extend(self.unknown(schema, others.map(|(name, _)| name.as_str()), path));
            }
            // Other names are allowed. They are worth a remark only if a required one is missing.
            None if known.is_some() && faults.iter().any(Fault::is_missing) => {
                faults.extend(self.unknown(schema, others.map(|(name, _)| name.as_str()), path));
            }
            Some(schema @ Value::Object(_)) => {
                faults
                    .extend(others.flat_map(|(name, value)| self.faults(schema, value, &member(path, name))));
            }
            Some(_) | None => {}
        }
        faults
    }

    fn array(&self, schema: &'a SchemaObject, items: &[Value], path: &str) -> Vec<Fault> {
        let Some(schema) = all_items(schema) else { return Vec::new() };
        let items = items.iter().enumerate();
        items.flat_map(|(index, item)| self.faults(schema, item, &format!("{path}[{index}]"))).collect()
    }

    fn missing(&self, schema: &'a SchemaObject, object: &Map<String, Value>, path: &str) -> Vec<Fault> {
        let required = list(schema, "required").iter().filter_map(Value::as_str);
        let missing = required.filter(|name| !object.contains_key(*name));
        let properties = schema.get("properties");
        let wanted = |name: &str| {
            let property = properties.and_then(|properties| properties.get(name));
            property.map(|property| type_text(self.view(property)))
        };
        missing.map(|name| Fault::missing(&member(path, name), wanted(name).as_deref())).collect()
    }

    /// Returns the faults of unknown names; the first one lists the known names.
    fn unknown<'n>(
        &self,
        schema: &'a SchemaObject,
        names: impl Iterator<Item = &'n str>,
        path: &str,
    ) -> Vec<Fault> {
        let known = schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let to_fault = |(number, name): (usize, &str)| {
            let takes = (number == 0).then(|| parameter_list(schema, |property| self.view(property)));
            let meant = closest_name(name, known.iter().copied());
            Fault::unknown(path, name, meant, takes.as_deref())
        };
        names.enumerate().map(to_fault).collect()
    }

    fn view(&self, schema: &'a Value) -> SchemaView<'a> {
        SchemaView::new(self.root).at(schema)
    }
}

/// Returns the schemas or names in a keyword whose value is a list.
pub(super) fn list<'a>(schema: &'a SchemaObject, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the schema of the members that are not among the properties. With `patternProperties` it is
/// unknown which of them it applies to, so that is left to the server.
pub(super) fn other_members(schema: &SchemaObject) -> Option<&Value> {
    schema.get("additionalProperties").filter(|_| !schema.contains_key("patternProperties"))
}

/// Returns the schema of every item of an array. With `prefixItems` it does not apply to the first ones.
pub(super) fn all_items(schema: &SchemaObject) -> Option<&Value> {
    schema.get("items").filter(|_| !schema.contains_key("prefixItems"))
}

/// Returns the fault of the value itself, without its items and fields.
fn own_faults(schema: &SchemaObject, value: &Value, path: &str) -> Vec<Fault> {
    let wanted = wrong_type(schema, value)
        .or_else(|| not_listed(schema, value))
        .or_else(|| out_of_range(schema, value));
    wanted.map(|wanted| Fault::wrong(path, wanted, value)).into_iter().collect()
}
