//! The selection of what to mask: groups, single patterns and custom patterns.

use crate::custom::CustomPattern;
use crate::kind::{self, SecretKind, SecretKinds};

/// What to mask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of groups; see [`crate::GROUPS`].
    pub groups: Vec<String>,
    /// Names of single patterns; see [`crate::PATTERNS`].
    pub patterns: Vec<String>,
    /// Patterns of the user.
    pub custom: Vec<CustomPattern>,
}

/// Why a selection is invalid.
#[derive(Debug, thiserror::Error)]
pub enum MaskerError {
    /// A group that does not exist.
    #[error("unknown pattern group `{0}`")]
    UnknownGroup(String),
    /// A pattern that does not exist.
    #[error("unknown pattern `{0}`")]
    UnknownPattern(String),
    /// A custom pattern that is not a valid regular expression, or is too large.
    #[error("custom pattern `{name}` is invalid")]
    Regex {
        /// Name of the pattern.
        name: String,
        /// Error of the regular expression.
        source: Box<regex::Error>,
    },
    /// A custom pattern that matches the empty text, and so between any two characters.
    #[error("custom pattern `{name}` matches the empty text")]
    MatchesNothing {
        /// Name of the pattern.
        name: String,
    },
    /// The automaton of the built-in needles cannot be built.
    #[error("building the built-in patterns failed")]
    Needles(#[from] aho_corasick::BuildError),
}

impl Selection {
    /// Creates a selection of groups.
    pub fn groups<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { groups: names.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Creates a selection of single patterns.
    pub fn patterns<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { patterns: names.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Returns the selected kinds.
    pub(crate) fn kinds(&self) -> Result<SecretKinds, MaskerError> {
        let mut kinds = SecretKinds::default();
        for name in &self.groups {
            let group = kind::group(name).ok_or_else(|| MaskerError::UnknownGroup(name.clone()))?;
            group.iter().for_each(|kind| kinds.add(*kind));
        }
        for name in &self.patterns {
            kinds.add(SecretKind::named(name).ok_or_else(|| MaskerError::UnknownPattern(name.clone()))?);
        }
        Ok(kinds)
    }
}
