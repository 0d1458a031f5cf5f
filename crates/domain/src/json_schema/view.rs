//! A read-only view of a schema and the document that it is part of.

use serde_json::Value;

use super::referenced_schema;

/// Maximum number of references that are followed from one schema.
const MAX_REFERENCES: usize = 8;
/// Maximum depth of arrays of arrays.
const MAX_NESTING: usize = 3;
/// Maximum number of alternatives or parts of one schema.
const MAX_VARIANTS: usize = 8;
/// Maximum number of properties, required names or allowed values of one schema.
const MAX_MEMBERS: usize = 1_000;

/// A schema of a document.
#[derive(Debug, Clone, Copy)]
pub struct SchemaView<'a> {
    document: &'a Value,
    schema: &'a Value,
}

impl<'a> SchemaView<'a> {
    /// Returns the root schema of a document; a reference at the root is followed.
    pub fn new(document: &'a Value) -> Self {
        Self { document, schema: document }.resolved()
    }

    /// Returns the value of a keyword, next to a reference or in the referenced schema.
    pub fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.schema.get(name).or_else(|| self.resolved().schema.get(name))
    }

    /// Returns the description, or else the title, or an empty string.
    pub fn description(&self) -> &'a str {
        let text = |name| self.keyword(name).and_then(Value::as_str);
        text("description").or_else(|| text("title")).unwrap_or_default()
    }

    /// Returns the names in `type`; `None` if there is no valid `type`.
    pub fn types(&self) -> Option<Vec<&'a str>> {
        match self.keyword("type")? {
            Value::String(name) => Some(vec![name.as_str()]),
            Value::Array(names) => Some(names.iter().take(MAX_VARIANTS).filter_map(Value::as_str).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
    }

    /// Returns the properties in order, then those of the parts in `allOf`.
    pub fn properties(&self) -> Vec<(&'a str, SchemaView<'a>)> {
        let own = |schema: &Self| -> Vec<(&'a str, SchemaView<'a>)> {
            let map = schema.keyword("properties").and_then(Value::as_object);
            let properties = map.into_iter().flatten().take(MAX_MEMBERS);
            properties.map(|(name, property)| (name.as_str(), schema.at(property))).collect()
        };
        let mut properties = own(self);
        properties.extend(self.parts().iter().flat_map(own));
        properties
    }

    /// Returns whether a property is required, by the schema or a part in `allOf`.
    pub fn requires(&self, name: &str) -> bool {
        let requires = |schema: &Self| {
            let names = schema.keyword("required").and_then(Value::as_array).into_iter().flatten();
            names.take(MAX_MEMBERS).any(|required| required == name)
        };
        requires(self) || self.parts().iter().any(requires)
    }

    /// Returns the schema of the elements of an array.
    pub fn items(&self) -> Option<SchemaView<'a>> {
        self.keyword("items").map(|items| self.at(items))
    }

    /// Returns the object schema with properties that this schema is, contains as elements, or has as an
    /// alternative; or else the schema itself.
    pub fn object(&self) -> SchemaView<'a> {
        let candidates = std::iter::once(*self).chain(self.alternatives());
        let mut objects = candidates.map(|candidate| candidate.element());
        objects.find(|object| !object.properties().is_empty()).unwrap_or(*self)
    }

    /// Returns the allowed values in `enum` or `const`, of the schema, its elements or its alternatives;
    /// empty if the values are not restricted.
    pub fn choices(&self) -> Vec<&'a Value> {
        let own = |schema: &Self| -> Vec<&'a Value> {
            match (schema.keyword("enum").and_then(Value::as_array), schema.keyword("const")) {
                (Some(values), _) => values.iter().take(MAX_MEMBERS).collect(),
                (None, Some(value)) => vec![value],
                (None, None) => Vec::new(),
            }
        };
        let mut choices = own(self);
        if choices.is_empty() && self.items().is_some() {
            choices = own(&self.element());
        }
        if choices.is_empty() {
            choices = self.alternatives().iter().flat_map(own).collect();
        }
        choices
    }

    /// Returns the schemas in `anyOf` and `oneOf`.
    pub fn alternatives(&self) -> Vec<SchemaView<'a>> {
        let mut alternatives = [self.list("anyOf"), self.list("oneOf")].concat();
        alternatives.truncate(MAX_VARIANTS);
        alternatives
    }

    /// Returns the schemas in `allOf`.
    pub fn parts(&self) -> Vec<SchemaView<'a>> {
        self.list("allOf")
    }

    /// Returns the element schema through a few levels of arrays, or the schema itself.
    fn element(&self) -> SchemaView<'a> {
        let mut schema = *self;
        for _ in 0..MAX_NESTING {
            match schema.items() {
                Some(items) => schema = items,
                None => break,
            }
        }
        schema.resolved()
    }

    fn list(&self, keyword: &str) -> Vec<SchemaView<'a>> {
        let schemas = self.keyword(keyword).and_then(Value::as_array);
        schemas.into_iter().flatten().take(MAX_VARIANTS).map(|schema| self.at(schema)).collect()
    }

    /// Returns the view of another schema of the same document.
    pub fn at(&self, schema: &'a Value) -> SchemaView<'a> {
        SchemaView { document: self.document, schema }
    }

    /// Follows references.
    fn resolved(&self) -> SchemaView<'a> {
        let mut schema = self.schema;
        for _ in 0..MAX_REFERENCES {
            let reference = schema.get("$ref").and_then(Value::as_str);
            match reference.and_then(|reference| referenced_schema(self.document, reference)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        self.at(schema)
    }
}
