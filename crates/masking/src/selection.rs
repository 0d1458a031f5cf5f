//! What a configuration wants masked: groups, single patterns, patterns of its own.

use crate::custom::CustomPattern;
use crate::kind::{self, Kind, Kinds};

/// What is to be masked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of groups, see [`crate::GROUPS`].
    pub groups: Vec<String>,
    /// Names of single patterns, see [`crate::PATTERNS`].
    pub patterns: Vec<String>,
    /// Patterns of the user's own.
    pub custom: Vec<CustomPattern>,
}

/// Why there is no masker for a selection.
#[derive(Debug, thiserror::Error)]
pub enum MaskerError {
    /// A group that does not exist.
    #[error("there is no group of patterns named {0}")]
    UnknownGroup(String),
    /// A pattern that does not exist.
    #[error("there is no pattern named {0}")]
    UnknownPattern(String),
    /// A custom pattern that is no regular expression, or one that is too large.
    #[error("custom pattern {name}")]
    Regex {
        /// The name of the pattern.
        name: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// A custom pattern that would match between any two characters.
    #[error("custom pattern {name} matches the empty text")]
    MatchesNothing {
        /// The name of the pattern.
        name: String,
    },
    /// The built-in needles could not be put together.
    #[error("putting the built-in patterns together")]
    Needles(#[from] aho_corasick::BuildError),
}

impl Selection {
    /// A selection of groups alone.
    pub fn groups<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { groups: names.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A selection of single patterns alone.
    pub fn patterns<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { patterns: names.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The kinds it comes to.
    pub(crate) fn kinds(&self) -> Result<Kinds, MaskerError> {
        let mut kinds = Kinds::default();
        for name in &self.groups {
            let group = kind::group(name).ok_or_else(|| MaskerError::UnknownGroup(name.clone()))?;
            group.iter().for_each(|kind| kinds.add(*kind));
        }
        for name in &self.patterns {
            kinds.add(Kind::named(name).ok_or_else(|| MaskerError::UnknownPattern(name.clone()))?);
        }
        Ok(kinds)
    }
}
