//! Finds what is wrong with templates before they are needed.
//!
//! Twice: every variable, filter, test and template that a template names must exist, also where no sample leads; and
//! every profile is rendered for every loop, with everything, with next to nothing, and with much in between. What
//! only certain data brings about is not found. Whether a prompt is any good is not checked.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::error::{TemplateError, available, message};
use super::library::Library;
use super::location::TemplateLocation;
use super::references::{TemplateReference, mentions};
use super::sample::{self, Sample};
use super::template::{Profile, Template};

/// Names that the template language itself defines.
const LANGUAGE: [&str; 8] = ["range", "dict", "namespace", "debug", "super", "self", "caller", "loop"];

/// Every fault of the templates that replace built-in ones.
pub(crate) fn check(library: &Library) -> Vec<TemplateError> {
    let replaced: Vec<&str> = library.overridden().collect();
    if replaced.is_empty() {
        return Vec::new();
    }
    let samples = sample::all();
    let templates = library.templates().filter(|template| replaced.contains(&template.name.as_str()));
    let mut faults: Vec<TemplateError> = templates
        .flat_map(|template| {
            [unknown_variables(library, template, &samples), unknown_names(library, template)]
        })
        .flatten()
        .collect();
    let is_profile = |name: &&str| Profile::ALL.iter().any(|profile| profile.template() == *name);
    let is_part_replaced = !replaced.iter().all(is_profile);
    for profile in Profile::ALL {
        if is_part_replaced || replaced.contains(&profile.template()) {
            render(library, samples.iter().filter(|sample| sample.profile == profile), &mut faults);
        }
    }
    faults
}

/// Renders samples of one profile and adds what goes wrong, each line once.
fn render<'s>(library: &Library, samples: impl Iterator<Item = &'s Sample>, faults: &mut Vec<TemplateError>) {
    for sample in samples {
        let Err(fault) = library.render(sample.profile, sample.variables.clone()) else { continue };
        let is_endless = fault.is_endless();
        // An unknown variable has already been told, with what would be right.
        let is_told = |told: &TemplateError| (&told.path, told.line) == (&fault.path, fault.line);
        if !faults.iter().any(is_told) {
            faults.push(fault);
        }
        // The others would take as long.
        if is_endless {
            return;
        }
    }
}

/// Every variable that a template may mention, such as `alert`, `alert.type` and `tools[].name`.
///
/// Parts belong to the openings, so they may mention what any of those may.
pub(crate) fn variables(template: &str, samples: &[Sample]) -> BTreeSet<String> {
    let profile = Profile::ALL.into_iter().find(|profile| profile.template() == template);
    let is_meant = |other: Profile| profile.map_or(other.is_opening(), |profile| profile == other);
    let mut paths = BTreeSet::new();
    for sample in samples.iter().filter(|sample| is_meant(sample.profile)) {
        add_paths(&sample.variables, "", &mut paths);
    }
    paths
}

fn add_paths(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    let items = value.try_iter().into_iter().flatten();
    if value.kind() == ValueKind::Seq {
        items.for_each(|item| add_paths(&item, &format!("{path}[]"), paths));
    } else if value.kind() == ValueKind::Map {
        for name in items {
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            add_paths(&value.get_item(&name).unwrap_or_default(), &inner, paths);
            paths.insert(inner);
        }
    }
}

/// The filters, tests and templates that a template names and that do not exist.
fn unknown_names(library: &Library, template: &Template) -> Vec<TemplateError> {
    let unknown = |mention: TemplateReference<'_>| {
        let error = library.unknown(&mention)?;
        let place = TemplateLocation::of_range(&template.source, mention.range);
        Some(TemplateError::at(template, place, message(&error)))
    };
    mentions(&template.source).into_iter().filter_map(unknown).collect()
}

fn unknown_variables(library: &Library, template: &Template, samples: &[Sample]) -> Vec<TemplateError> {
    let known = variables(&template.name, samples);
    let mentioned = library.mentioned(template).into_iter();
    mentioned.filter_map(|path| unknown_variable(template, &known, &path)).collect()
}

/// The first name in `alert.type` that is not known, if the names beside it are.
fn unknown_variable(template: &Template, known: &BTreeSet<String>, path: &str) -> Option<TemplateError> {
    let mut owner = String::new();
    for name in path.split('.') {
        let inner = format!("{owner}{name}");
        let beside: Vec<&str> = known
            .iter()
            .filter_map(|path| path.strip_prefix(&owner))
            .filter(|name| !name.contains(['.', '[']))
            .collect();
        if beside.is_empty() || LANGUAGE.contains(&inner.as_str()) {
            return None;
        }
        if !beside.contains(&name) {
            let message = format!("`{inner}` is not known here{}", available(name, &beside));
            let range = find(&template.source, &inner).unwrap_or(0..0);
            return Some(TemplateError::at(
                template,
                TemplateLocation::of_range(&template.source, range),
                message,
            ));
        }
        owner = format!("{inner}.");
    }
    None
}

/// The first mention of a variable inside a tag.
fn find(source: &str, path: &str) -> Option<Range<usize>> {
    let part_of_name = |character: char| character.is_alphanumeric() || character == '_';
    source.match_indices(path).map(|(start, _)| start..start + path.len()).find(|range| {
        let (before, after) = (&source[..range.start], &source[range.end..]);
        let inside = before.rfind(['{', '}']).is_some_and(|brace| before[brace..].starts_with('{'));
        inside
            && !before.ends_with(part_of_name)
            && !before.ends_with(['.', '"', '\''])
            && !after.starts_with(part_of_name)
    })
}
