//! A JSON Schema as far as a list of parameters needs it: types, fields, choices, references.
//!
//! It follows `$ref` within the same schema, and looks through `anyOf`, `oneOf` and `allOf`, a few steps deep. It does not
//! fetch anything and does not judge values.

use serde_json::Value;

use crate::escape::short_line;

/// A schema and the document it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    schema: &'a Value,
}

/// How many references lead from one schema to the next before they lead nowhere.
const MAX_HOPS: usize = 8;
/// How deep alternatives within alternatives, and arrays of arrays, are looked at, and how many of each.
const MAX_NESTING: usize = 3;
const MAX_VARIANTS: usize = 8;
/// How many fields, required names or allowed values of one schema are looked at.
const MAX_MEMBERS: usize = 1_000;
const MAX_TYPE: usize = 80;

impl<'a> Schema<'a> {
    pub(crate) fn root(root: &'a Value) -> Self {
        Self { root, schema: root }.resolved()
    }

    /// A keyword of this schema, beside a reference or where it leads.
    pub(crate) fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.schema.get(name).or_else(|| self.resolved().schema.get(name))
    }

    pub(crate) fn description(&self) -> &'a str {
        let text = |name| self.keyword(name).and_then(Value::as_str);
        text("description").or_else(|| text("title")).unwrap_or_default()
    }

    /// The fields of an object, those of its parts included.
    pub(crate) fn properties(&self) -> Vec<(&'a str, Schema<'a>)> {
        let own = |schema: &Self| -> Vec<(&'a str, Schema<'a>)> {
            let map = schema.keyword("properties").and_then(Value::as_object);
            let fields = map.into_iter().flatten().take(MAX_MEMBERS);
            fields.map(|(name, field)| (name.as_str(), schema.at(field))).collect()
        };
        let mut fields = own(self);
        fields.extend(self.list("allOf").iter().flat_map(own));
        fields
    }

    /// The object with fields that this is, holds as an array, or may be; or else the schema itself.
    pub(crate) fn object(&self) -> Schema<'a> {
        let candidates = std::iter::once(*self).chain(self.alternatives());
        let mut objects = candidates.map(|candidate| candidate.element());
        objects.find(|object| !object.properties().is_empty()).unwrap_or(*self)
    }

    /// Whether a field must be given.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let requires = |schema: &Self| {
            let required = schema.keyword("required").and_then(Value::as_array);
            required
                .is_some_and(|required| required.iter().take(MAX_MEMBERS).any(|required| required == name))
        };
        requires(self) || self.list("allOf").iter().any(requires)
    }

    /// What an array holds, through a few layers of arrays; or the schema itself, where references lead.
    fn element(&self) -> Schema<'a> {
        let mut schema = *self;
        for _ in 0..MAX_NESTING {
            match schema.keyword("items") {
                Some(items) => schema = schema.at(items),
                None => break,
            }
        }
        schema.resolved()
    }

    /// The allowed values, if only some are.
    pub(crate) fn choices(&self) -> Vec<&'a Value> {
        let own = |schema: &Self| -> Vec<&'a Value> {
            match (schema.keyword("enum").and_then(Value::as_array), schema.keyword("const")) {
                (Some(values), _) => values.iter().take(MAX_MEMBERS).collect(),
                (None, Some(value)) => vec![value],
                (None, None) => Vec::new(),
            }
        };
        let mut choices = own(self);
        if choices.is_empty() && self.keyword("items").is_some() {
            choices = own(&self.element());
        }
        if choices.is_empty() {
            choices = self.alternatives().iter().flat_map(own).collect();
        }
        choices
    }

    /// The type for a reader, such as `string or null` or `array of integer`.
    pub(crate) fn type_name(&self) -> String {
        short_line(&self.type_name_within(MAX_NESTING), MAX_TYPE)
    }

    fn type_name_within(&self, nesting: usize) -> String {
        let Some(nesting) = nesting.checked_sub(1) else { return "any".to_owned() };
        let names = match self.keyword("type") {
            Some(Value::String(name)) => vec![self.named(name, nesting)],
            Some(Value::Array(names)) => {
                let names = names.iter().take(MAX_VARIANTS).filter_map(Value::as_str);
                names.map(|name| self.named(name, nesting)).collect()
            }
            Some(_) | None => self.inferred(nesting),
        };
        joined(names)
    }

    fn named(&self, name: &str, nesting: usize) -> String {
        match (name, self.keyword("items")) {
            ("array", Some(items)) => format!("array of {}", self.at(items).type_name_within(nesting)),
            _ => name.to_owned(),
        }
    }

    /// The types of a schema that does not name one.
    fn inferred(&self, nesting: usize) -> Vec<String> {
        let variants = [self.alternatives(), self.list("allOf")].concat();
        if !variants.is_empty() {
            return variants
                .iter()
                .take(MAX_VARIANTS)
                .map(|variant| variant.type_name_within(nesting))
                .collect();
        }
        if self.keyword("properties").is_some() {
            return vec!["object".to_owned()];
        }
        if self.keyword("items").is_some() {
            return vec![self.named("array", nesting)];
        }
        self.choices().into_iter().take(MAX_VARIANTS).map(|value| kind(value).to_owned()).collect()
    }

    fn alternatives(&self) -> Vec<Schema<'a>> {
        let mut alternatives = [self.list("anyOf"), self.list("oneOf")].concat();
        alternatives.truncate(MAX_VARIANTS);
        alternatives
    }

    fn list(&self, keyword: &str) -> Vec<Schema<'a>> {
        let schemas = self.keyword(keyword).and_then(Value::as_array);
        schemas.into_iter().flatten().take(MAX_VARIANTS).map(|schema| self.at(schema)).collect()
    }

    fn at(&self, schema: &'a Value) -> Schema<'a> {
        Schema { root: self.root, schema }
    }

    /// Where references lead, if they lead anywhere.
    fn resolved(&self) -> Schema<'a> {
        let mut schema = self.schema;
        for _ in 0..MAX_HOPS {
            let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
            match pointer.and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        self.at(schema)
    }
}

/// Each name once, in order.
fn joined(names: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    if unique.is_empty() { "any".to_owned() } else { unique.join(" or ") }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
