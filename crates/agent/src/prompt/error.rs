//! Errors in templates, printed with their location like compiler errors.
//!
//! They are found by `check` and by rendering.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt;

use minijinja::{Error, ErrorKind};
use tarsy_domain::closest_name;
use thiserror::Error;

use super::location::TemplateLocation;
use super::template::{BUILT_IN, EXTENSION, Template};

/// Message for a template whose rendering was stopped.
const ENDLESS: &str = "rendering takes too many steps here; check for a very long or endless loop";

/// Maximum number of characters of an excerpt; longer lines are cut around the mark.
const MAX_WIDTH: usize = 140;

/// An error in a template.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct TemplateError {
    /// File of the template.
    pub path: String,
    /// Line, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    /// What is wrong and what would be valid.
    pub message: String,
    /// Text of the line.
    pub excerpt: String,
    /// Number of marked characters, at least 1.
    pub length: usize,
}

/// The error for a template name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown template `{name}`{}", instead(name))]
pub struct UnknownTemplate {
    /// The requested name.
    pub name: String,
}

/// All errors in the templates; at least one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct TemplateErrors(Vec<TemplateError>);

impl TemplateErrors {
    /// Sorts the errors by location and removes duplicates; `None` if there are none.
    pub(crate) fn new(mut errors: Vec<TemplateError>) -> Option<Self> {
        errors.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        errors.dedup();
        Some(Self(errors)).filter(|errors| !errors.0.is_empty())
    }

    /// Returns the errors, sorted by location.
    pub fn iter(&self) -> impl Iterator<Item = &TemplateError> {
        self.0.iter()
    }
}

impl TemplateError {
    pub(crate) fn at(template: &Template, location: TemplateLocation, message: impl Into<String>) -> Self {
        let TemplateLocation { line, column, length, excerpt } = location;
        Self { path: template.path.clone(), line, column, message: message.into(), excerpt, length }
    }

    /// Creates the error for a rendering failure, located in the template of the innermost cause.
    pub(crate) fn of_error(error: &Error, templates: &BTreeMap<String, Template>) -> Self {
        let cause = innermost(error);
        let template = cause.name().and_then(|name| templates.get(name)).cloned().unwrap_or_default();
        Self::at(&template, TemplateLocation::of_error(cause, &template.source), message(cause))
    }

    /// Creates the error for an override whose name is not the name of a template.
    pub(crate) fn unknown_name(template: &Template) -> Self {
        let message = format!("unknown template `{}`{}", template.name, instead(&template.name));
        Self::at(template, TemplateLocation::of_range(&template.source, 0..0), message)
    }

    /// Creates the error for a template without a required block.
    pub(crate) fn missing_block(template: &Template, block: &str) -> Self {
        let message = format!("the block `{block}` is missing; add {{% block {block} %}} … {{% endblock %}}");
        Self::at(template, TemplateLocation::of_range(&template.source, 0..0), message)
    }

    /// Returns whether rendering was stopped because it took too many steps.
    pub(crate) fn is_endless(&self) -> bool {
        self.message == ENDLESS
    }

    fn sort_key(&self) -> (&str, usize, usize, &str) {
        (&self.path, self.line, self.column, &self.message)
    }
}

/// Returns the innermost cause with a location. The error of an include only reports that the included
/// template failed.
fn innermost(error: &Error) -> &Error {
    let mut cause = error;
    while let Some(deeper) = cause.source().and_then(|source| source.downcast_ref::<Error>()) {
        if deeper.name().is_none() {
            break;
        }
        cause = deeper;
    }
    cause
}

/// Returns the message of an error.
pub(crate) fn message(error: &Error) -> String {
    let detail = error.detail().unwrap_or_default();
    let kind = error.kind();
    if kind == ErrorKind::OutOfFuel {
        return ENDLESS.to_owned();
    }
    if kind == ErrorKind::TemplateNotFound {
        let name = detail.split(['"', '\'']).nth(1).unwrap_or(detail);
        return format!("unknown template `{name}`{}", instead(name));
    }
    let self_explanatory = [ErrorKind::UndefinedError, ErrorKind::UnknownFilter, ErrorKind::UnknownTest];
    match detail {
        "" => kind.to_string(),
        detail if self_explanatory.contains(&kind) => detail.to_owned(),
        detail => format!("{kind}: {detail}"),
    }
}

/// Returns the closest template name and all names.
fn instead(name: &str) -> String {
    let known: Vec<&str> = BUILT_IN.iter().map(|built_in| built_in.name).collect();
    available(name, &known)
}

/// Returns `, did you mean …? available: …`.
pub(crate) fn available(name: &str, known: &[&str]) -> String {
    // The folder or the extension may be missing or superfluous.
    let stem = |name: &str| name.trim_end_matches(EXTENSION).rsplit('/').next().map(str::to_owned);
    let same_stem = known.iter().copied().find(|candidate| stem(name) == stem(candidate));
    let closest = same_stem.or_else(|| closest_name(name, known.iter().copied()));
    let suggestion = closest.map_or(",".to_owned(), |closest| format!(", did you mean `{closest}`?"));
    format!("{suggestion} available: {}", known.join(", "))
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // A line of prose can be long; show the part around the mark.
        let column = self.column.saturating_sub(1);
        let skipped = column.saturating_sub(MAX_WIDTH / 2);
        let shown: String = self.excerpt.chars().skip(skipped).take(MAX_WIDTH).collect();
        let before = " ".repeat(column - skipped);
        let mark = "^".repeat(self.length.min(MAX_WIDTH / 2));
        writeln!(formatter, "error: {}", self.message)?;
        writeln!(formatter, "{margin}--> {}:{}:{}", self.path, self.line, self.column)?;
        writeln!(formatter, "{margin} |")?;
        writeln!(formatter, "{number} | {}", shown.replace('\t', " "))?;
        write!(formatter, "{margin} | {before}{mark}")
    }
}

impl fmt::Display for TemplateErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.0.iter().enumerate() {
            let gap = if position == 0 { "" } else { "\n\n" };
            write!(formatter, "{gap}{error}")?;
        }
        Ok(())
    }
}
