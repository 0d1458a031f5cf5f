//! The location of every value in the files, and the set of invalid values.
//!
//! Rules work on decoded values and name them by path. This module maps a path to its location and suppresses
//! follow-up errors of an invalid value. It keeps texts as written, never expanded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceLocation};
use crate::path::Path;
use crate::source::{Source, SourceSpan};

/// The locations of all values.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    located: BTreeMap<Path, ValueLocation>,
    invalid: BTreeSet<Path>,
}

/// The location of one value.
#[derive(Debug, Clone)]
pub(crate) struct ValueLocation {
    pub(crate) source: Arc<Source>,
    pub(crate) key: Option<SourceSpan>,
    pub(crate) value: SourceSpan,
    /// The text of a scalar as written, or a placeholder if it must not be shown.
    pub(crate) shown: Option<String>,
}

impl Locations {
    pub(crate) fn insert(&mut self, path: Path, located: ValueLocation) {
        self.located.insert(path, located);
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&ValueLocation> {
        self.located.get(path)
    }

    /// Marks a value as invalid.
    pub(crate) fn mark_invalid(&mut self, path: Path) {
        self.invalid.insert(path);
    }

    /// Returns whether a value, or a value that contains it, was reported as invalid.
    pub(crate) fn is_invalid(&self, path: &Path) -> bool {
        self.invalid.contains(path) || path.parent().is_some_and(|parent| self.is_invalid(&parent))
    }

    /// Returns whether the file contains a key, valid or not.
    pub(crate) fn is_written(&self, path: &Path) -> bool {
        self.located.contains_key(path) || self.invalid.contains(path)
    }

    /// Returns the names of the entries of a section, invalid ones included.
    pub(crate) fn names<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a str> {
        self.located.keys().filter_map(move |path| path.entry_of(section)).filter(|name| !name.is_empty())
    }

    /// Returns the text of a scalar in the form that can be shown; empty if the file does not contain it.
    pub(crate) fn shown(&self, path: &Path) -> &str {
        self.get(path).and_then(|located| located.shown.as_deref()).unwrap_or_default()
    }

    /// Returns `tarsy.yaml:12`, for messages that refer to another location.
    pub(crate) fn line(&self, path: &Path) -> String {
        self.get(path).map_or_else(String::new, |located| {
            format!("{}:{}", located.source.name, located.key.unwrap_or(located.value).start.line)
        })
    }

    /// Creates an error at a value, or at the closest enclosing value that the file contains.
    pub(crate) fn error(&self, path: &Path, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(path, message, self.location(path, |located| Some(located.value)))
    }

    /// Creates an error at a key; in a list, at the item.
    pub(crate) fn error_at_key(&self, path: &Path, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(path, message, self.location(path, |located| located.key))
    }

    /// Creates an error at a byte offset in the text of a scalar.
    pub(crate) fn error_inside(
        &self,
        path: &Path,
        text: &str,
        offset: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        let location = self.get(path).map(|located| {
            SourceLocation::new(&located.source, located.source.inside(located.value, text, offset))
        });
        Diagnostic::error(path, message, location)
    }

    /// Adds the locations of another file.
    pub(crate) fn extend(&mut self, other: Self) {
        self.located.extend(other.located);
        self.invalid.extend(other.invalid);
    }

    fn location(
        &self,
        path: &Path,
        span: fn(&ValueLocation) -> Option<SourceSpan>,
    ) -> Option<SourceLocation> {
        let mut nearest = Some(path.clone());
        while let Some(path) = nearest {
            if let Some(located) = self.get(&path) {
                return Some(SourceLocation::new(&located.source, span(located).unwrap_or(located.value)));
            }
            nearest = path.parent();
        }
        None
    }
}
