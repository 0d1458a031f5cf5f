//! The configuration reference in Markdown, generated from the JSON Schema.
//!
//! Every object has a section, named after the path of its first use, in the order of the file; enums come
//! last.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::schema::json_schema;

const DEFINITIONS: &str = "#/$defs/";
/// Definition of a reference to a variable. Every scalar can be one, so only the introduction mentions it.
const REFERENCE: &str = "Reference";

const INTRODUCTION: &str = "# Configuration reference

A configuration is a directory with the file `tarsy.yaml`. Model providers can be in a second file, `llm-providers.yaml`, which
contains the section `llm_providers` only. All keys are optional unless marked as required. Run `tarsy check DIR` to validate a directory: it
prints every error with its location, then a summary.

- A value can refer to an environment variable as `${VAR}`, `${VAR:-default}` or `{{.VAR}}`. A variable that is not set is an error, unless it has
  a default. Write `$${` for a literal `${`. In a file that uses `{{.VAR}}` and no default, a `${VAR}` that is not set stays as it is, with a warning.
- The file `.env` of the directory can set variables, one `NAME=value` per line. The environment of the process takes precedence. Values can be in
  single or double quotes and are not expanded. Variables of command-line options, such as `TARSY_DATABASE_URL`, are not read from this file.
- A duration is a number with the unit `ms`, `s`, `m`, `h` or `d`, such as `90s`, `1h30m` or `1.5h`. A number without a unit is seconds. Durations are
  rounded up to whole milliseconds.
- An empty string counts as an omitted key, with a warning, unless the key accepts an empty value.
- Top-level keys that start with `x-` are ignored; use them for YAML anchors. All other unknown keys are errors.
- For completion and validation in an editor, run `tarsy schema > tarsy.schema.json` and start the file with the line
  `# yaml-language-server: $schema=tarsy.schema.json`.

This page is generated from the schema. `tarsy schema reference` prints it.
";

/// Returns the reference of all keys as Markdown.
pub fn reference() -> String {
    let schema = json_schema();
    let mut pages = Pages { schema: &schema, sections: Vec::new(), enums: Vec::new() };
    pages.open("tarsy.yaml", "", &schema);
    pages.write()
}

/// The sections and enums of the reference.
struct Pages<'a> {
    schema: &'a Value,
    sections: Vec<Section<'a>>,
    /// Names of the enums, in order of first use.
    enums: Vec<&'a str>,
}

/// An object of the file.
struct Section<'a> {
    /// Name of its definition.
    name: &'a str,
    /// Path of its first use.
    path: String,
    description: &'a str,
    rows: Vec<KeyRow<'a>>,
}

/// One key of an object.
struct KeyRow<'a> {
    key: &'a str,
    is_required: bool,
    form: String,
    property: &'a Value,
}

impl<'a> Pages<'a> {
    /// Adds the section of an object, then those of the objects in it.
    fn open(&mut self, name: &'a str, path: &str, part: &'a Value) {
        if self.sections.iter().any(|section| section.name == name) {
            return;
        }
        let place = self.sections.len();
        let description = text(part, "description");
        self.sections.push(Section { name, path: path.to_owned(), description, rows: Vec::new() });
        let required: Vec<&str> = array(part, "required").filter_map(Value::as_str).collect();
        let properties = object(part, "properties").filter(|(_, property)| property["deprecated"] != true);
        for (key, property) in properties {
            let inside = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            let form = self.form(&inside, property);
            let is_required = required.contains(&key);
            self.sections[place].rows.push(KeyRow { key, is_required, form, property });
        }
    }

    /// Returns the description of a value's type, and adds sections for the objects in it.
    fn form(&mut self, path: &str, value: &'a Value) -> String {
        if let Some(name) = text(value, "$ref").strip_prefix(DEFINITIONS) {
            return self.named(path, name);
        }
        if let Some(branch) = array(value, "anyOf").find(|branch| !is_null_or_reference(branch)) {
            return self.form(path, branch);
        }
        let one_type = one_type(value);
        if one_type == "array" {
            return format!("list of {}", self.form(&format!("{path}[]"), &value["items"]));
        }
        if one_type == "object" && value["additionalProperties"].is_object() {
            let inside = format!("{path}.<name>");
            return format!("mapping of names to {}", self.form(&inside, &value["additionalProperties"]));
        }
        simple_form(value, one_type)
    }

    fn named(&mut self, path: &str, name: &'a str) -> String {
        let part = &self.schema["$defs"][name];
        if part["properties"].is_object() {
            self.open(name, path, part);
            let title = self.sections.iter().find(|section| section.name == name).map(Section::title);
            let title = title.unwrap_or_default();
            return format!("[{title}](#{})", anchor(&title));
        }
        if !self.enums.contains(&name) {
            self.enums.push(name);
        }
        format!("[{}](#{})", spaced(name), anchor(&spaced(name)))
    }

    fn write(&self) -> String {
        let mut page = INTRODUCTION.to_owned();
        self.sections.iter().for_each(|section| page.push_str(&section.write()));
        page.push_str("\n## Values\n");
        self.enums.iter().for_each(|name| page.push_str(&enum_values(name, &self.schema["$defs"][*name])));
        page
    }
}

impl Section<'_> {
    /// Returns the heading: the path of the section.
    fn title(&self) -> String {
        if self.path.is_empty() { "Top level".to_owned() } else { format!("`{}`", self.path) }
    }

    fn write(&self) -> String {
        let mut page = format!("\n## {}\n\n", self.title());
        if !self.path.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(page, "{}\n", self.description);
        }
        page.push_str("| key | type | default | description |\n|---|---|---|---|\n");
        self.rows.iter().for_each(|row| page.push_str(&row.write()));
        page
    }
}

impl KeyRow<'_> {
    fn write(&self) -> String {
        let Self { key, form, property, .. } = self;
        let description = text(property, "description").replace("\n\n", " ").replace('|', "\\|");
        format!("| `{key}` | {form} | {} | {description} |\n", self.default())
    }

    /// Returns the default of the key. Defaults of an object are in its own section.
    fn default(&self) -> String {
        match &self.property["default"] {
            _ if self.is_required => "required".to_owned(),
            Value::Null | Value::Object(_) => String::new(),
            Value::Array(items) if items.is_empty() => String::new(),
            Value::String(text) if text.is_empty() => String::new(),
            Value::String(text) => format!("`{text}`"),
            value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => format!("`{value}`"),
        }
    }
}

/// Writes an enum with the description of each value.
fn enum_values(name: &str, set: &Value) -> String {
    let mut page = format!("\n### {}\n\n{}\n\n", spaced(name), text(set, "description"));
    let choices = array(set, "anyOf").find(|branch| branch["oneOf"].is_array()).unwrap_or(set);
    for choice in array(choices, "oneOf").filter(|choice| !text(choice, "const").is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "- `{}`: {}", text(choice, "const"), text(choice, "description"));
    }
    page
}

/// Returns whether a branch of `anyOf` is null or a reference to a variable.
fn is_null_or_reference(branch: &Value) -> bool {
    branch["type"] == "null" || text(branch, "$ref").ends_with(REFERENCE)
}

/// Returns the type of a value, or the first of several types.
fn one_type(value: &Value) -> &str {
    let first = value["type"].as_array().and_then(|types| types.first());
    first.unwrap_or(&value["type"]).as_str().unwrap_or("any value")
}

fn simple_form(value: &Value, one_type: &str) -> String {
    let format = text(value, "format");
    match (one_type, format) {
        (_, "period") => "duration".to_owned(),
        ("string", "uint32" | "") => "string".to_owned(),
        ("string", "http-address") => "HTTP URL".to_owned(),
        ("string", "http-origin") => "HTTP origin".to_owned(),
        ("string", "repository") => "HTTP URL or path".to_owned(),
        ("string", "network") => "IP address or network".to_owned(),
        ("string", "regex") => "regular expression".to_owned(),
        ("string", format) => format.replace('-', " "),
        ("integer" | "number", _) => {
            let kind = if one_type == "integer" { "integer" } else { "number" };
            match (&value["minimum"], &value["maximum"]) {
                (Value::Number(least), Value::Number(most)) => format!("{kind} from {least} to {most}"),
                (Value::Number(least), _) => format!("{kind}, at least {least}"),
                _ => kind.to_owned(),
            }
        }
        ("boolean", _) => "`true` or `false`".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn array<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value[field].as_array().into_iter().flatten()
}

fn object<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
    value[field].as_object().into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}

/// Returns `IterationStrategy` as `Iteration strategy`.
fn spaced(name: &str) -> String {
    let mut spaced = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            spaced.push(' ');
            spaced.extend(letter.to_lowercase());
        } else {
            spaced.push(letter);
        }
    }
    spaced
}

/// Returns the anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_every_key_of_the_schema() {
        let (schema, page) = (json_schema(), reference());
        let parts = object(&schema, "$defs").map(|(_, part)| part).chain([&schema]);
        let keys = parts.flat_map(|part| object(part, "properties"));
        for (key, _) in keys.filter(|(_, property)| property["deprecated"] != true) {
            assert!(page.contains(&format!("| `{key}` | ")), "{key} is missing");
        }
    }

    #[test]
    fn every_link_has_a_heading() {
        let page = reference();
        let headings: Vec<String> = page
            .lines()
            .filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")))
            .map(anchor)
            .collect();
        for link in page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(headings.iter().any(|heading| heading == link), "#{link} has no heading");
        }
    }

    /// `UPDATE_SCHEMA=1` regenerates the page, as `make reference` does.
    #[test]
    fn the_documentation_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, reference()).unwrap();
        }
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page == reference(), "docs/configuration.md is outdated; run `make reference`");
    }
}
