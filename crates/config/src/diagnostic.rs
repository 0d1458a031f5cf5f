//! What is wrong with a configuration, where, and what would be right.
//!
//! A [`Diagnostic`] prints itself with the line it is about; [`Diagnostics`] is all of them, in reading
//! order. Neither ever holds the value of a variable or of a key that sounds secret.

use std::fmt;

use thiserror::Error;

use crate::excerpt::Excerpt;
use crate::path::Path;
use crate::source::{Source, SourceSpan};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// The configuration can be used; somebody should look.
    Warning,
}

/// One thing that is wrong or worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The key it is about, as in `agent_chains.x.stages[0].agent`; empty when it is about a whole file.
    pub path: String,
    /// What was found and what would be right.
    pub message: String,
    /// Where it stands, when it stands anywhere.
    pub location: Option<SourceLocation>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// The name of the file, without its directory.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    excerpt: Excerpt,
}

/// Everything that is wrong with a configuration, all at once.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct Diagnostics(Vec<Diagnostic>);

impl SourceLocation {
    pub(crate) fn new(source: &Source, span: SourceSpan) -> Self {
        let span = source.clamp(span);
        Self {
            file: source.name.clone(),
            line: span.start.line,
            column: span.start.column,
            excerpt: Excerpt::new(source, span),
        }
    }
}

impl Diagnostic {
    pub(crate) fn error(path: &Path, message: impl Into<String>, location: Option<SourceLocation>) -> Self {
        Self { severity: Severity::Error, path: path.to_string(), message: message.into(), location }
    }

    pub(crate) fn warning(path: &Path, message: impl Into<String>, location: Option<SourceLocation>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, message, location) }
    }

    /// Sorts by file, then line, then column; what has no place comes first.
    fn reading_order(&self) -> (Option<(&str, usize, usize)>, Severity) {
        (
            self.location.as_ref().map(|location| (location.file.as_str(), location.line, location.column)),
            self.severity,
        )
    }
}

impl Diagnostics {
    pub(crate) fn new(mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|one, other| one.reading_order().cmp(&other.reading_order()));
        Self(diagnostics)
    }

    /// The diagnostics in reading order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// How many of them are errors.
    pub fn error_count(&self) -> usize {
        self.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    pub(crate) fn into_vec(self) -> Vec<Diagnostic> {
        self.0
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.severity)?;
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        formatter.write_str(&self.message)?;
        match &self.location {
            Some(location) => write!(formatter, "\n{location}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let before = " ".repeat(self.excerpt.column.saturating_sub(1));
        let mark = "^".repeat(self.excerpt.length);
        writeln!(formatter, "{margin}--> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(formatter, "{margin} |")?;
        writeln!(formatter, "{number} | {}", self.excerpt.line.replace('\t', " "))?;
        write!(formatter, "{margin} | {before}{mark}")
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.0.iter().enumerate() {
            let gap = if position == 0 { "" } else { "\n\n" };
            write!(formatter, "{gap}{diagnostic}")?;
        }
        Ok(())
    }
}
