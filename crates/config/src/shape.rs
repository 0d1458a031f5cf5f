//! The JSON Schema of the file types, compiled into the form that the reader walks.
//!
//! The schema is generated from the types. Every keyword is either supported here or reported as unknown; a
//! test asserts that none is unknown. This module does not read files.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::file::{ConfigFile, ProvidersFile};

/// The shape of `tarsy.yaml`.
pub(crate) static CONFIG_FILE: LazyLock<Shape> = LazyLock::new(Shape::of::<ConfigFile>);
/// The shape of `llm-providers.yaml`.
pub(crate) static PROVIDERS_FILE: LazyLock<Shape> = LazyLock::new(Shape::of::<ProvidersFile>);

/// The expected form of a value.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Object(ObjectShape),
    /// A mapping with arbitrary keys.
    Map(Box<Shape>),
    List {
        item: Box<Shape>,
        may_be_empty: bool,
    },
    Text {
        may_be_empty: bool,
        format: TextFormat,
    },
    /// One of a fixed set of strings.
    Enum(Vec<EnumValue>),
    Integer {
        minimum: i128,
        maximum: i128,
    },
    Number {
        minimum: f64,
        maximum: f64,
    },
    Bool,
    Period {
        may_be_zero: bool,
    },
}

/// A mapping with known keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectShape {
    pub(crate) fields: Vec<FieldShape>,
    /// Keys with this prefix are ignored.
    pub(crate) ignored_prefix: Option<String>,
    /// The key that a string in place of the mapping sets.
    pub(crate) shorthand: Option<String>,
}

/// A known key.
#[derive(Debug, Clone)]
pub(crate) struct FieldShape {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) required: bool,
    /// Whether literal values must not be shown.
    pub(crate) secret: bool,
    /// Whether the key is accepted but has no effect yet.
    pub(crate) no_effect: bool,
    pub(crate) shape: Shape,
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub(crate) struct EnumValue {
    pub(crate) text: String,
    /// Whether the value is accepted but has no effect yet.
    pub(crate) no_effect: bool,
}

/// The format of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Free,
    Regex,
    Condition,
    /// The name of an environment variable.
    Variable,
    /// An HTTP URL.
    Address,
    /// An HTTP URL that may lack its scheme.
    BareAddress,
    /// The pattern of an HTTP origin.
    Origin,
    /// An HTTP URL, or the path of a folder.
    Repository,
    /// A host name, optionally with a port.
    Host,
    /// An IP address or network.
    Network,
}

/// Keywords that do not constrain the value: documentation, and properties of the field.
const ANNOTATIONS: [&str; 9] =
    ["title", "description", "default", "$schema", "$defs", "x-alias", "x-secret", "x-scalar", "x-no-effect"];

impl Shape {
    /// Compiles the schema of a type.
    fn of<T: JsonSchema>() -> Self {
        compile(schemars::schema_for!(T).as_value()).0
    }

    /// Returns a value of this shape that decodes, to replace an invalid one.
    pub(crate) fn placeholder(&self) -> Value {
        match self {
            Self::Object(object) => {
                let required = object.fields.iter().filter(|field| field.required);
                Value::Object(required.map(|field| (field.name.clone(), field.shape.placeholder())).collect())
            }
            Self::Map(_) => Value::Object(Map::new()),
            Self::List { .. } => Value::Array(Vec::new()),
            Self::Text { format: TextFormat::Network, .. } => "127.0.0.1".into(),
            Self::Text { format: TextFormat::Origin, .. } => "http://localhost".into(),
            Self::Text { .. } => Value::String(String::new()),
            Self::Enum(values) => values.first().map_or(Value::Null, |value| value.text.as_str().into()),
            Self::Integer { minimum, .. } => i64::try_from(*minimum).unwrap_or_default().into(),
            Self::Number { minimum, .. } => (*minimum).into(),
            Self::Bool => Value::Bool(false),
            Self::Period { .. } => "1s".into(),
        }
    }
}

impl ObjectShape {
    /// Returns the field with a name or alias.
    pub(crate) fn field(&self, key: &str) -> Option<&FieldShape> {
        self.fields.iter().find(|field| field.name == key || field.aliases.iter().any(|alias| alias == key))
    }

    pub(crate) fn ignores(&self, key: &str) -> bool {
        self.ignored_prefix.as_deref().is_some_and(|prefix| key.starts_with(prefix))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// Returns the key at the start of a text such as `key:value`, in which the space after the colon is
    /// missing.
    pub(crate) fn key_without_space<'text>(&self, text: &'text str) -> Option<&'text str> {
        let (key, _) = text.split_once(':')?;
        self.field(key).map(|_| key)
    }

    /// Returns the only required key if its value is a string: the likely intention of a user who writes a
    /// single string.
    pub(crate) fn only_required_text(&self) -> Option<&str> {
        let mut required = self.fields.iter().filter(|field| field.required);
        match (required.next(), required.next()) {
            (Some(FieldShape { name, shape: Shape::Text { .. }, .. }), None) => Some(name),
            _ => None,
        }
    }
}

/// Compiles a schema; also returns the keywords that are not supported.
fn compile(schema: &Value) -> (Shape, Vec<String>) {
    let mut compiler = Compiler { definitions: &schema["$defs"], unknown: Vec::new() };
    let shape = compiler.shape(schema, "#");
    (shape, compiler.unknown)
}

struct Compiler<'a> {
    definitions: &'a Value,
    unknown: Vec<String>,
}

impl Compiler<'_> {
    fn shape(&mut self, schema: &Value, at: &str) -> Shape {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            self.supports(schema, at, &["$ref"]);
            return self.shape(&self.definitions[name], name);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            return self.optional(schema, branches, at);
        }
        if let Some(values) = schema["oneOf"].as_array() {
            self.supports(schema, at, &["oneOf"]);
            return Shape::Enum(values.iter().map(|value| self.enum_value(value, at)).collect());
        }
        let types =
            schema["type"].as_array().map_or_else(|| std::slice::from_ref(&schema["type"]), Vec::as_slice);
        let types: Vec<&str> =
            types.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
        self.typed(schema, &types, at)
    }

    /// Compiles the schema of an `Option`, a type or null, or of a mapping that can be written as a string.
    fn optional(&mut self, schema: &Value, branches: &[Value], at: &str) -> Shape {
        self.supports(schema, at, &["anyOf"]);
        let mut real = branches.iter().filter(|branch| branch["type"] != "null");
        match (real.next(), real.next(), real.next()) {
            (Some(branch), None, None) => self.shape(branch, at),
            (Some(branch), Some(text), None) if text["type"] == "string" => self.with_shorthand(branch, at),
            (None, _, _) | (_, Some(_), _) | (_, _, Some(_)) => self.unsupported(at, "anyOf"),
        }
    }

    /// Compiles a mapping that can be written as a string: the value of its only required key.
    fn with_shorthand(&mut self, schema: &Value, at: &str) -> Shape {
        let Shape::Object(object) = self.shape(schema, at) else { return self.unsupported(at, "anyOf") };
        let shorthand = object.only_required_text().map(str::to_owned);
        if shorthand.is_none() {
            return self.unsupported(at, "anyOf");
        }
        Shape::Object(ObjectShape { shorthand, ..object })
    }

    fn enum_value(&mut self, schema: &Value, at: &str) -> EnumValue {
        self.supports(schema, at, &["type", "const"]);
        EnumValue {
            text: schema["const"].as_str().unwrap_or_default().to_owned(),
            no_effect: flag(schema, "x-no-effect"),
        }
    }

    fn typed(&mut self, schema: &Value, types: &[&str], at: &str) -> Shape {
        match types {
            ["object"] => self.object(schema, at),
            ["array"] => {
                self.supports(schema, at, &["type", "items", "minItems"]);
                let item = Box::new(self.shape(&schema["items"], at));
                Shape::List { item, may_be_empty: schema["minItems"] != 1 }
            }
            ["string", "integer"] => {
                self.supports(schema, at, &["type", "format", "pattern", "minimum", "x-may-be-zero"]);
                Shape::Period { may_be_zero: flag(schema, "x-may-be-zero") }
            }
            ["string"] => self.text(schema, at),
            ["integer"] => self.integer(schema, at),
            ["number"] => {
                self.supports(schema, at, &["type", "format", "minimum", "maximum"]);
                let limit = |keyword: &str, without| schema[keyword].as_f64().unwrap_or(without);
                Shape::Number { minimum: limit("minimum", f64::MIN), maximum: limit("maximum", f64::MAX) }
            }
            ["boolean"] => {
                self.supports(schema, at, &["type"]);
                Shape::Bool
            }
            _ => self.unsupported(at, "type"),
        }
    }

    fn object(&mut self, schema: &Value, at: &str) -> Shape {
        let Some(properties) = schema["properties"].as_object() else {
            self.supports(schema, at, &["type", "additionalProperties"]);
            return Shape::Map(Box::new(self.shape(&schema["additionalProperties"], at)));
        };
        self.supports(
            schema,
            at,
            &["type", "properties", "required", "additionalProperties", "patternProperties"],
        );
        if schema["additionalProperties"] != false {
            self.unsupported(at, "additionalProperties");
        }
        let fields = properties.iter().map(|(name, property)| FieldShape {
            name: name.clone(),
            aliases: strings(&property["x-alias"]),
            required: strings(&schema["required"]).contains(name),
            secret: flag(property, "x-secret"),
            no_effect: flag(property, "x-no-effect"),
            shape: self.shape(property, &format!("{at}/{name}")),
        });
        let fields = fields.collect();
        let prefix = schema["patternProperties"].as_object().and_then(|patterns| patterns.keys().next());
        let ignored_prefix = prefix.map(|pattern| pattern.trim_start_matches('^').to_owned());
        Shape::Object(ObjectShape { fields, ignored_prefix, shorthand: None })
    }

    fn text(&mut self, schema: &Value, at: &str) -> Shape {
        self.supports(schema, at, &["type", "format", "minLength", "x-assume-http"]);
        let format = match schema["format"].as_str() {
            None => TextFormat::Free,
            Some("regex") => TextFormat::Regex,
            Some("condition") => TextFormat::Condition,
            Some("variable-name") => TextFormat::Variable,
            Some("http-address") if flag(schema, "x-assume-http") => TextFormat::BareAddress,
            Some("http-address") => TextFormat::Address,
            Some("http-origin") => TextFormat::Origin,
            Some("repository") => TextFormat::Repository,
            Some("host-name") => TextFormat::Host,
            Some("network") => TextFormat::Network,
            Some(other) => {
                self.unknown.push(format!("{at}: format {other}"));
                TextFormat::Free
            }
        };
        Shape::Text { may_be_empty: schema["minLength"] != 1, format }
    }

    fn integer(&mut self, schema: &Value, at: &str) -> Shape {
        self.supports(schema, at, &["type", "format", "minimum", "maximum"]);
        let fits = match schema["format"].as_str() {
            Some("uint32") => i128::from(u32::MAX),
            Some("uint64") => i128::from(u64::MAX),
            Some(_) | None => {
                self.unknown.push(format!("{at}: integer format"));
                i128::from(u32::MAX)
            }
        };
        let limit = |keyword: &str, without| schema[keyword].as_i64().map_or(without, i128::from);
        Shape::Integer { minimum: limit("minimum", 0), maximum: limit("maximum", fits) }
    }

    /// Records every keyword that is neither one of these nor an annotation as unknown.
    fn supports(&mut self, schema: &Value, at: &str, keywords: &[&str]) {
        let present = schema.as_object().into_iter().flat_map(Map::keys);
        let unknown = present
            .filter(|key| !keywords.contains(&key.as_str()) && !ANNOTATIONS.contains(&key.as_str()))
            .map(|key| format!("{at}: {key}"));
        self.unknown.extend(unknown);
    }

    fn unsupported(&mut self, at: &str, keyword: &str) -> Shape {
        self.unknown.push(format!("{at}: {keyword}"));
        Shape::Text { may_be_empty: true, format: TextFormat::Free }
    }
}

fn flag(schema: &Value, keyword: &str) -> bool {
    schema[keyword] == true
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_of_the_schema_is_supported() {
        assert_eq!(compile(schemars::schema_for!(ConfigFile).as_value()).1, Vec::<String>::new());
        assert_eq!(compile(schemars::schema_for!(ProvidersFile).as_value()).1, Vec::<String>::new());
    }

    #[test]
    fn reports_unsupported_keywords() {
        let schema = serde_json::json!({
            "type": "object",
            "additionalProperties": false,
            "properties": { "a": { "type": "string", "maxLength": 5 }, "b": { "type": "string", "format": "uri" } }
        });
        assert_eq!(compile(&schema).1, ["#/a: maxLength", "#/b: format uri"]);
    }

    /// Collects every string of a shape with its key.
    fn texts(shape: &Shape, key: &str, found: &mut Vec<(String, TextFormat)>) {
        match shape {
            Shape::Object(object) => {
                object.fields.iter().for_each(|field| texts(&field.shape, &field.name, found));
            }
            Shape::Map(item) | Shape::List { item, .. } => texts(item, key, found),
            Shape::Text { format, .. } => found.push((key.to_owned(), *format)),
            Shape::Enum(_)
            | Shape::Integer { .. }
            | Shape::Number { .. }
            | Shape::Bool
            | Shape::Period { .. } => {}
        }
    }

    #[test]
    fn keys_with_the_same_suffix_have_the_same_format() {
        let mut found = Vec::new();
        texts(&CONFIG_FILE, "", &mut found);
        let ending = |end| found.iter().filter(move |(key, _)| key.ends_with(end));
        assert!(ending("_env").all(|(_, format)| *format == TextFormat::Variable));
        let is_address = |format: &TextFormat| {
            matches!(format, TextFormat::Address | TextFormat::BareAddress | TextFormat::Repository)
        };
        assert!(ending("url").all(|(_, format)| is_address(format)));
        assert_eq!((ending("_env").count(), ending("url").count()), (9, 8));
    }

    #[test]
    fn placeholders_decode() {
        serde_json::from_value::<ConfigFile>(CONFIG_FILE.placeholder()).unwrap();
        serde_json::from_value::<ProvidersFile>(PROVIDERS_FILE.placeholder()).unwrap();
    }
}
