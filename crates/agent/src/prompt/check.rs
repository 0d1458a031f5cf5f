//! Validates overridden templates when they are loaded.
//!
//! There are two checks. First, every variable, filter, test and template that a template refers to must
//! exist, even in branches that no sample reaches. Second, every profile is rendered for every loop, with
//! each optional input present and absent. Errors that occur only with certain data are not found. The
//! quality of a prompt is not checked.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::error::{TemplateError, available, message};
use super::library::Library;
use super::location::TemplateLocation;
use super::references::{TemplateReference, references};
use super::sample::{self, Sample};
use super::template::{Profile, Template};

/// Names that the template language defines.
const LANGUAGE: [&str; 8] = ["range", "dict", "namespace", "debug", "super", "self", "caller", "loop"];

/// Returns all errors of the overridden templates.
pub(crate) fn check(library: &Library) -> Vec<TemplateError> {
    let replaced: Vec<&str> = library.overridden().collect();
    if replaced.is_empty() {
        return Vec::new();
    }
    let samples = sample::all();
    let templates = library.templates().filter(|template| replaced.contains(&template.name.as_str()));
    let mut errors: Vec<TemplateError> = templates
        .flat_map(|template| {
            [unknown_variables(library, template, &samples), unknown_names(library, template)]
        })
        .flatten()
        .collect();
    let is_profile = |name: &&str| Profile::ALL.iter().any(|profile| profile.template() == *name);
    let is_part_replaced = !replaced.iter().all(is_profile);
    for profile in Profile::ALL {
        if is_part_replaced || replaced.contains(&profile.template()) {
            render(library, samples.iter().filter(|sample| sample.profile == profile), &mut errors);
        }
    }
    errors
}

/// Renders the samples of one profile and adds the errors, at most one per line.
fn render<'s>(library: &Library, samples: impl Iterator<Item = &'s Sample>, errors: &mut Vec<TemplateError>) {
    for sample in samples {
        let Err(error) = library.render(sample.profile, sample.variables.clone()) else { continue };
        let is_endless = error.is_endless();
        // An unknown variable was already reported, with a suggestion.
        let is_same = |other: &TemplateError| (&other.path, other.line) == (&error.path, error.line);
        if !errors.iter().any(is_same) {
            errors.push(error);
        }
        // The other samples would take too many steps as well.
        if is_endless {
            return;
        }
    }
}

/// Returns the variables that a template can use, such as `alert`, `alert.type` and `tools[].name`.
///
/// Parts belong to the openings, so they can use the variables of all of them.
pub(crate) fn variables(template: &str, samples: &[Sample]) -> BTreeSet<String> {
    let profile = Profile::ALL.into_iter().find(|profile| profile.template() == template);
    let applies = |other: Profile| profile.map_or(other.is_opening(), |profile| profile == other);
    let mut paths = BTreeSet::new();
    for sample in samples.iter().filter(|sample| applies(sample.profile)) {
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

/// Returns errors for the filters, tests and templates that a template refers to and that do not exist.
fn unknown_names(library: &Library, template: &Template) -> Vec<TemplateError> {
    let unknown = |reference: TemplateReference<'_>| {
        let error = library.unknown(&reference)?;
        let location = TemplateLocation::of_range(&template.source, reference.range);
        Some(TemplateError::at(template, location, message(&error)))
    };
    references(&template.source).into_iter().filter_map(unknown).collect()
}

fn unknown_variables(library: &Library, template: &Template, samples: &[Sample]) -> Vec<TemplateError> {
    let known = variables(&template.name, samples);
    let used = library.used_variables(template).into_iter();
    used.filter_map(|path| unknown_variable(template, &known, &path)).collect()
}

/// Returns an error for the first unknown name in a path such as `alert.type`. Names below a value without
/// known fields are not checked.
fn unknown_variable(template: &Template, known: &BTreeSet<String>, path: &str) -> Option<TemplateError> {
    let mut owner = String::new();
    for name in path.split('.') {
        let inner = format!("{owner}{name}");
        let siblings: Vec<&str> = known
            .iter()
            .filter_map(|path| path.strip_prefix(&owner))
            .filter(|name| !name.contains(['.', '[']))
            .collect();
        if siblings.is_empty() || LANGUAGE.contains(&inner.as_str()) {
            return None;
        }
        if !siblings.contains(&name) {
            let message = format!("unknown variable `{inner}`{}", available(name, &siblings));
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

/// Returns the position of the first use of a variable inside a tag.
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
