//! Adapts a parsed input to the schema of its tool.
//!
//! A value without a key becomes the only parameter that it can be, arguments that are wrapped in an object are
//! unwrapped, and texts such as `1_000` become numbers. Nothing is validated here.

use serde_json::{Map, Number, Value};
use tarsy_domain::ToolDefinition;
use tarsy_domain::json_schema::SchemaView;

use super::{INPUT, InputForm, ParsedInput, json};

/// Keys under which models wrap all arguments.
const ARGUMENT_KEYS: [&str; 9] = [
    "arguments",
    "parameters",
    "args",
    "params",
    "kwargs",
    "action_input",
    "tool_input",
    "input",
    "Action Input",
];
/// Integers up to this size are exact as floating-point numbers.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the parameters of an input for a tool.
pub(in crate::react) fn fitted(input: ParsedInput<'_>, tool: &ToolDefinition) -> Map<String, Value> {
    let schema = SchemaView::new(&tool.input_schema).object();
    let properties = schema.properties();
    let is_property = |name: &str| properties.iter().any(|(property, _)| *property == name);
    let parameters = without_bullets(&input).unwrap_or(input.parameters);
    let mut parameters = merged(unwrapped(parameters, is_property), is_property);
    let is_foreign = input.form == InputForm::Lines && !parameters.keys().any(|key| is_property(key));
    if let Some((name, schema)) = only_parameter(&schema, &properties) {
        if let Some(value) = keyless(&parameters).filter(|_| !is_property(INPUT)) {
            let value = as_parameter(value, &input.form, input.text, &schema);
            parameters = Map::from_iter([(name.to_owned(), value)]);
        } else if is_foreign && !parameters.is_empty() && is_text(&schema) {
            parameters = Map::from_iter([(name.to_owned(), Value::from(input.text.trim()))]);
        }
    }
    for (name, schema) in &properties {
        if let Some(value) = parameters.get_mut(*name)
            && let Some(number) = number(value, schema)
        {
            *value = number;
        }
    }
    parameters
}

/// Returns the names of the required parameters; `None` if the schema is not known.
pub(in crate::react) fn required_parameters(tool: &ToolDefinition) -> Option<Vec<&str>> {
    tool.input_schema.as_object()?;
    let schema = SchemaView::new(&tool.input_schema).object();
    let names = schema.properties().into_iter().map(|(name, _)| name);
    Some(names.filter(|name| schema.requires(name)).collect())
}

/// Returns the content of an object that only wraps the arguments.
fn unwrapped(parameters: Map<String, Value>, is_property: impl Fn(&str) -> bool) -> Map<String, Value> {
    let mut entries = parameters.iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else { return parameters };
    if is_property(key) || !ARGUMENT_KEYS.contains(&key.as_str()) {
        return parameters;
    }
    match value {
        Value::Object(arguments) => arguments.clone(),
        Value::String(text) => match json::read(text.trim()) {
            json::JsonStart::Value(Value::Object(arguments), _) => arguments,
            json::JsonStart::Value(..) | json::JsonStart::Broken(_) | json::JsonStart::NotJson => parameters,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => parameters,
    }
}

/// Returns the parameters of a list with bullets that are not YAML: `* name: web-0`.
fn without_bullets(input: &ParsedInput<'_>) -> Option<Map<String, Value>> {
    let bullets = ["* ", "• ", "+ "];
    let bullet = bullets.into_iter().find(|bullet| input.text.trim_start().starts_with(bullet))?;
    let lines: Option<Vec<&str>> =
        input.text.lines().map(|line| line.trim_start().strip_prefix(bullet)).collect();
    let text = lines.filter(|_| input.form == InputForm::Value)?.join("\n");
    let parsed = super::parse_input(&text);
    (parsed.form == InputForm::Lines).then_some(parsed.parameters)
}

/// Joins a list of objects with parameters to one object: `[{"name": "web-0"}, {"limit": 5}]`.
fn merged(parameters: Map<String, Value>, is_property: impl Fn(&str) -> bool) -> Map<String, Value> {
    let Some(Value::Array(items)) = keyless(&parameters).filter(|_| !is_property(INPUT)) else {
        return parameters;
    };
    let objects: Option<Vec<&Map<String, Value>>> = items.iter().map(Value::as_object).collect();
    let mut merged = Map::new();
    for (key, value) in objects.unwrap_or_default().into_iter().flatten() {
        if !is_property(key) || merged.insert(key.clone(), value.clone()).is_some() {
            return parameters;
        }
    }
    if merged.is_empty() { parameters } else { merged }
}

/// Returns the parameter that a value without a key belongs to: the only required one, or the only one.
fn only_parameter<'a>(
    schema: &SchemaView<'a>,
    properties: &[(&'a str, SchemaView<'a>)],
) -> Option<(&'a str, SchemaView<'a>)> {
    let mut required = properties.iter().filter(|(name, _)| schema.requires(name));
    match (required.next(), required.next(), properties) {
        (Some(only), None, _) | (None, None, [only]) => Some(*only),
        (_, _, _) => None,
    }
}

/// Returns the value if it has no key.
fn keyless(parameters: &Map<String, Value>) -> Option<&Value> {
    parameters.get(INPUT).filter(|_| parameters.len() == 1)
}

/// Returns the value of a parameter; as it was written if the parameter is a string.
fn as_parameter(value: &Value, form: &InputForm, text: &str, schema: &SchemaView<'_>) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) if *form == InputForm::Value && is_text(schema) => {
            Value::from(text.trim())
        }
        Value::Array(items) if items.len() == 1 && is_text(schema) => items[0].clone(),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => value.clone(),
    }
}

fn is_text(schema: &SchemaView<'_>) -> bool {
    schema.types().is_some_and(|types| types == ["string"])
}

/// Returns the number that the schema asks for; `None` if the value stays as it is.
fn number(value: &Value, schema: &SchemaView<'_>) -> Option<Value> {
    let types = types(schema);
    let is_integer = types.contains(&"integer") && !types.contains(&"number");
    if types.contains(&"string") || !(is_integer || types.contains(&"number")) {
        return None;
    }
    let number = match value {
        Value::String(text) => written_number(text.trim())?,
        Value::Number(number) if is_integer && number.is_f64() => number.as_f64()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    if is_integer {
        let is_exact = number.fract() == 0.0 && number.abs() <= MAX_EXACT;
        return if is_exact {
            format!("{number:.0}").parse().ok().map(|number: i64| Value::from(number))
        } else {
            None
        };
    }
    Number::from_f64(number).map(Value::Number)
}

/// Returns the types of a schema or of its alternatives.
fn types<'a>(schema: &SchemaView<'a>) -> Vec<&'a str> {
    let alternatives =
        || schema.alternatives().iter().flat_map(|one| one.types().unwrap_or_default()).collect();
    schema.types().unwrap_or_else(alternatives)
}

/// Parses a number with an exponent or with underscores between digits. Other texts are not changed here.
fn written_number(text: &str) -> Option<f64> {
    let has_exponent = text.contains(['e', 'E']);
    let is_grouped =
        text.contains('_') && text.split('_').all(|group| group.contains(|c: char| c.is_ascii_digit()));
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-._eE".contains(&byte));
    if !is_number || !(has_exponent || is_grouped) {
        return None;
    }
    text.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
}
