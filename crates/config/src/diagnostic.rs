//! Errors and warnings about a configuration.
//!
//! A [`Diagnostic`] prints its message with the line of the file; [`Diagnostics`] are all of them in file
//! order. Neither contains the value of a variable, or of a key whose name suggests a secret.

use std::fmt;

use thiserror::Error;

use crate::excerpt::Excerpt;
use crate::path::Path;
use crate::source::{Source, SourceSpan};

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// The configuration can be used, but part of it probably does not do what was intended.
    Warning,
}

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The path of the value, as in `agent_chains.x.stages[0].agent`; empty if it is about a whole file.
    pub path: String,
    /// What is wrong and what would be valid.
    pub message: String,
    /// The location in a file, if there is one.
    pub location: Option<SourceLocation>,
}

/// A location in a file, with the line it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// File name, without its directory.
    pub file: String,
    /// Line, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    excerpt: Excerpt,
}

/// All errors and warnings about a configuration.
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

    /// Returns the sort key: file, line, column. Diagnostics without a location come first.
    fn sort_key(&self) -> (Option<(&str, usize, usize)>, Severity) {
        (
            self.location.as_ref().map(|location| (location.file.as_str(), location.line, location.column)),
            self.severity,
        )
    }
}

impl Diagnostics {
    pub(crate) fn new(mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        Self(diagnostics)
    }

    /// Returns the diagnostics in file order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// Returns the number of errors.
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
