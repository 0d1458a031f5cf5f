//! The reference of `tarsy.yaml` for people, as Markdown, made from its JSON Schema.
//!
//! Every part has a section, named by where it stands first, in the order in which a reader of the file meets it; sets of
//! words come at the end.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::schema::json_schema;

const DEFINITIONS: &str = "#/$defs/";
/// Any scalar may be a reference, which is said once.
const REFERENCE: &str = "Reference";

const INTRODUCTION: &str = "# Configuration reference

A configuration is a directory with `tarsy.yaml` and, if you like, `llm-providers.yaml` with the section `llm_providers` alone. Without
any everything has its default. `tarsy check DIR` says every fault with its place, and what is in it.

- `${VAR}`, `${VAR:-default}` and `{{.VAR}}` in a value stand for an environment variable, wherever a text, a number, a word or a truth value can.
- A duration is a number with `ms`, `s`, `m`, `h` or `d`, such as `90s` or `1h30m`; a number alone is seconds.
- Keys that begin with `x-` on the top level are yours, for anchors and the like. Any other key that is not here is a fault.
- `tarsy schema > tarsy.schema.json` and a first line `# yaml-language-server: $schema=tarsy.schema.json` let an editor complete and check.

This page is made from the schema of the program: `tarsy schema reference` prints it.
";

/// The reference of every key.
pub fn reference() -> String {
    let schema = json_schema();
    let mut pages = Pages { schema: &schema, sections: Vec::new(), words: Vec::new() };
    pages.open("tarsy.yaml", "", &schema);
    pages.write()
}

/// What the reference is made of.
struct Pages<'a> {
    schema: &'a Value,
    sections: Vec<Section<'a>>,
    /// The sets of words that were met.
    words: Vec<&'a str>,
}

/// A part of the file that has keys.
struct Section<'a> {
    /// The name of its definition.
    name: &'a str,
    /// Where it stands first, as people write it.
    path: String,
    description: &'a str,
    rows: Vec<KeyRow<'a>>,
}

/// A key.
struct KeyRow<'a> {
    key: &'a str,
    is_required: bool,
    form: String,
    property: &'a Value,
}

impl<'a> Pages<'a> {
    /// Adds the section of a part, and then those of what is in it.
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

    /// What a value looks like. Parts that it is made of get their sections.
    fn form(&mut self, path: &str, value: &'a Value) -> String {
        if let Some(name) = text(value, "$ref").strip_prefix(DEFINITIONS) {
            return self.named(path, name);
        }
        if let Some(branch) = array(value, "anyOf").find(|branch| !is_aside(branch)) {
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
        if !self.words.contains(&name) {
            self.words.push(name);
        }
        format!("[{}](#{})", spaced(name), anchor(&spaced(name)))
    }

    fn write(&self) -> String {
        let mut page = INTRODUCTION.to_owned();
        self.sections.iter().for_each(|section| page.push_str(&section.write()));
        page.push_str("\n## Words\n");
        self.words.iter().for_each(|name| page.push_str(&words(name, &self.schema["$defs"][*name])));
        page
    }
}

impl Section<'_> {
    /// How it is headed: by its place, without what only stands for a name.
    fn title(&self) -> String {
        if self.path.is_empty() { "Top level".to_owned() } else { format!("`{}`", self.path) }
    }

    fn write(&self) -> String {
        let mut page = format!("\n## {}\n\n", self.title());
        if !self.path.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(page, "{}\n", self.description);
        }
        page.push_str("| key | value | default | what it is |\n|---|---|---|---|\n");
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

    /// What holds without the key. That of a part is in its own section.
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

/// A set of words with what each means.
fn words(name: &str, set: &Value) -> String {
    let mut page = format!("\n### {}\n\n{}\n\n", spaced(name), text(set, "description"));
    let choices = array(set, "anyOf").find(|branch| branch["oneOf"].is_array()).unwrap_or(set);
    for choice in array(choices, "oneOf").filter(|choice| !text(choice, "const").is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "- `{}`: {}", text(choice, "const"), text(choice, "description"));
    }
    page
}

/// Whether a branch says nothing about a value but that it may be absent, or a reference.
fn is_aside(branch: &Value) -> bool {
    branch["type"] == "null" || text(branch, "$ref").ends_with(REFERENCE)
}

/// The type of a value, of several the one that people write.
fn one_type(value: &Value) -> &str {
    let first = value["type"].as_array().and_then(|types| types.first());
    first.unwrap_or(&value["type"]).as_str().unwrap_or("any value")
}

fn simple_form(value: &Value, one_type: &str) -> String {
    let format = text(value, "format");
    match (one_type, format) {
        (_, "period") => "duration".to_owned(),
        ("string", "uint32" | "") => "text".to_owned(),
        ("string", format) => format.replace('-', " "),
        ("integer" | "number", _) => {
            let kind = if one_type == "integer" { "whole number" } else { "number" };
            match (&value["minimum"], &value["maximum"]) {
                (Value::Number(least), Value::Number(most)) => format!("{kind} from {least} to {most}"),
                (Value::Number(least), _) => format!("{kind} from {least}"),
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

/// `IterationStrategy` as `Iteration strategy`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

/// How a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_schema_is_in_it() {
        let (schema, page) = (json_schema(), reference());
        let parts = object(&schema, "$defs").map(|(_, part)| part).chain([&schema]);
        let keys = parts.flat_map(|part| object(part, "properties"));
        for (key, _) in keys.filter(|(_, property)| property["deprecated"] != true) {
            assert!(page.contains(&format!("| `{key}` | ")), "{key} is missing");
        }
    }

    #[test]
    fn every_link_leads_to_a_heading() {
        let page = reference();
        let headings: Vec<String> = page
            .lines()
            .filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")))
            .map(anchor)
            .collect();
        for link in page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(headings.iter().any(|heading| heading == link), "#{link} leads nowhere");
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
