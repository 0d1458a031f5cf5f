//! Where every value of the files stands, and which of them are faulty.
//!
//! Rules work on decoded values and name them by path; this turns a path into a place and keeps one fault
//! from causing another. It holds texts only as they were written, never expanded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceLocation};
use crate::path::Path;
use crate::source::{Source, SourceSpan};

/// The places of all values.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    located: BTreeMap<Path, ValueLocation>,
    faulty: BTreeSet<Path>,
}

/// Where one value stands.
#[derive(Debug, Clone)]
pub(crate) struct ValueLocation {
    pub(crate) source: Arc<Source>,
    pub(crate) key: Option<SourceSpan>,
    pub(crate) value: SourceSpan,
    /// The text of a scalar as written, or what stands in for it when it must not be shown.
    pub(crate) shown: Option<String>,
}

impl Locations {
    pub(crate) fn insert(&mut self, path: Path, located: ValueLocation) {
        self.located.insert(path, located);
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&ValueLocation> {
        self.located.get(path)
    }

    /// Notes that a value cannot be relied on.
    pub(crate) fn mark_faulty(&mut self, path: Path) {
        self.faulty.insert(path);
    }

    /// Whether a value, or something it is part of, is already known to be faulty.
    pub(crate) fn is_faulty(&self, path: &Path) -> bool {
        self.faulty.contains(path) || path.parent().is_some_and(|parent| self.is_faulty(&parent))
    }

    /// Whether a key was written, rightly or not.
    pub(crate) fn is_written(&self, path: &Path) -> bool {
        self.located.contains_key(path) || self.faulty.contains(path)
    }

    /// The names that are defined in a section, faulty ones included.
    pub(crate) fn names<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a str> {
        self.located.keys().filter_map(move |path| path.entry_of(section)).filter(|name| !name.is_empty())
    }

    /// The text of a scalar as it may be shown.
    pub(crate) fn shown(&self, path: &Path) -> &str {
        self.get(path).and_then(|located| located.shown.as_deref()).unwrap_or_default()
    }

    /// `tarsy.yaml:12`, for messages that speak of another place.
    pub(crate) fn line(&self, path: &Path) -> String {
        self.get(path).map_or_else(String::new, |located| {
            format!("{}:{}", located.source.name, located.key.unwrap_or(located.value).start.line)
        })
    }

    /// A fault at a value; where it was not written, at the nearest thing around it that was.
    pub(crate) fn fault(&self, path: &Path, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(path, message, self.location(path, |located| Some(located.value)))
    }

    /// A fault at a key; in a list, at the item.
    pub(crate) fn fault_at_key(&self, path: &Path, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(path, message, self.location(path, |located| located.key))
    }

    /// A fault at a byte offset into the text of a scalar.
    pub(crate) fn fault_inside(
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

    /// Takes over the places of another file.
    pub(crate) fn extend(&mut self, other: Self) {
        self.located.extend(other.located);
        self.faulty.extend(other.faulty);
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
