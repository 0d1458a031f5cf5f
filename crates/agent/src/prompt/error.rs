//! What is wrong with a template, where, and what would be right; printed like a compiler does.
//!
//! It does not look for faults; see `check`.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt;

use minijinja::{Error, ErrorKind};
use tarsy_domain::closest_name;
use thiserror::Error;

use super::location::TemplateLocation;
use super::template::{BUILT_IN, EXTENSION, Template};

/// What is said about a template that was stopped.
const ENDLESS: &str = "rendering does not come to an end here; is there a loop over too much?";

/// Longer lines are cut around the mark.
const MAX_WIDTH: usize = 140;

/// One thing that is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct TemplateError {
    /// The template's file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was found and what would be right.
    pub message: String,
    /// The line it is about.
    pub excerpt: String,
    /// How many characters of the line it is about, at least 1.
    pub length: usize,
}

/// A name that is that of no template.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no template `{name}`{}", instead(name))]
pub struct UnknownTemplate {
    /// The name.
    pub name: String,
}

/// Everything that is wrong with the templates, at least one fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct TemplateErrors(Vec<TemplateError>);

impl TemplateErrors {
    /// The faults in reading order, each once.
    pub(crate) fn new(mut faults: Vec<TemplateError>) -> Option<Self> {
        faults.sort_by(|one, other| one.reading_order().cmp(&other.reading_order()));
        faults.dedup();
        Some(Self(faults)).filter(|faults| !faults.0.is_empty())
    }

    /// The faults in reading order.
    pub fn iter(&self) -> impl Iterator<Item = &TemplateError> {
        self.0.iter()
    }
}

impl TemplateError {
    pub(crate) fn at(template: &Template, place: TemplateLocation, message: impl Into<String>) -> Self {
        let TemplateLocation { line, column, length, excerpt } = place;
        Self { path: template.path.clone(), line, column, message: message.into(), excerpt, length }
    }

    /// A fault found while rendering. It is about the template where the innermost cause lies.
    pub(crate) fn of_error(error: &Error, templates: &BTreeMap<String, Template>) -> Self {
        let cause = innermost(error);
        let template = cause.name().and_then(|name| templates.get(name)).cloned().unwrap_or_default();
        Self::at(&template, TemplateLocation::of_error(cause, &template.source), message(cause))
    }

    /// A file whose name is that of no template.
    pub(crate) fn unknown_name(template: &Template) -> Self {
        let message =
            format!("there is no template `{}` to replace{}", template.name, instead(&template.name));
        Self::at(template, TemplateLocation::of_range(&template.source, 0..0), message)
    }

    /// A template without a block that its prompt is made of.
    pub(crate) fn missing_block(template: &Template, block: &str) -> Self {
        let message =
            format!("the block `{block}` is missing, write {{% block {block} %}} … {{% endblock %}}");
        Self::at(template, TemplateLocation::of_range(&template.source, 0..0), message)
    }

    /// Whether rendering was stopped because it took too long.
    pub(crate) fn is_endless(&self) -> bool {
        self.message == ENDLESS
    }

    fn reading_order(&self) -> (&str, usize, usize, &str) {
        (&self.path, self.line, self.column, &self.message)
    }
}

/// The deepest cause that still knows its place: an include only says that something inside it went wrong.
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

/// What an error says, in our words where it matters.
pub(crate) fn message(error: &Error) -> String {
    let detail = error.detail().unwrap_or_default();
    let kind = error.kind();
    if kind == ErrorKind::OutOfFuel {
        return ENDLESS.to_owned();
    }
    if kind == ErrorKind::TemplateNotFound {
        let name = detail.split(['"', '\'']).nth(1).unwrap_or(detail);
        return format!("there is no template `{name}`{}", instead(name));
    }
    let speaks_for_itself = [ErrorKind::UndefinedError, ErrorKind::UnknownFilter, ErrorKind::UnknownTest];
    match detail {
        "" => kind.to_string(),
        detail if speaks_for_itself.contains(&kind) => detail.to_owned(),
        detail => format!("{kind}: {detail}"),
    }
}

/// What a name was probably meant to be, and everything there is.
fn instead(name: &str) -> String {
    let known: Vec<&str> = BUILT_IN.iter().map(|built_in| built_in.name).collect();
    available(name, &known)
}

/// `, did you mean …? available: …`
pub(crate) fn available(word: &str, known: &[&str]) -> String {
    // The folder or the extension may be missing or superfluous.
    let stem = |name: &str| name.trim_end_matches(EXTENSION).rsplit('/').next().map(str::to_owned);
    let same_stem = known.iter().copied().find(|candidate| stem(word) == stem(candidate));
    let closest = same_stem.or_else(|| closest_name(word, known.iter().copied()));
    let meant = closest.map_or(",".to_owned(), |closest| format!(", did you mean `{closest}`?"));
    format!("{meant} available: {}", known.join(", "))
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // A line of prose may be long; what is around the mark will do.
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
        for (position, fault) in self.0.iter().enumerate() {
            let gap = if position == 0 { "" } else { "\n\n" };
            write!(formatter, "{gap}{fault}")?;
        }
        Ok(())
    }
}
