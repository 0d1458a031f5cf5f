//! Custom patterns: regular expressions of the user, with replacements.
//!
//! They are applied first, so that the built-in detectors also check the text that a replacement keeps.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::selection::MaskerError;

/// Maximum size of a compiled pattern, in bytes. Ordinary patterns are far below; this rejects
/// `(a{1000}){1000}`.
const SIZE_LIMIT: usize = 1 << 20;

/// A pattern of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomPattern {
    /// Name of the pattern.
    pub name: String,
    /// Regular expression for what to mask.
    pub pattern: String,
    /// Replacement; `${1}` inserts the first capture group.
    pub replacement: String,
}

/// Compiled custom patterns.
#[derive(Debug)]
pub(crate) struct CustomPatterns {
    /// All patterns in one automaton: most texts match none.
    any: RegexSet,
    each: Vec<(CustomPattern, Regex)>,
}

impl CustomPatterns {
    /// Compiles patterns. The error names the invalid one.
    pub(crate) fn new(patterns: &[CustomPattern]) -> Result<Self, MaskerError> {
        let each = patterns.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSetBuilder::new(patterns.iter().map(|pattern| &pattern.pattern))
            .size_limit(SIZE_LIMIT * (1 + patterns.len()))
            .build()
            .map_err(|source| MaskerError::Regex {
                name: "(all patterns)".to_owned(),
                source: Box::new(source),
            })?;
        Ok(Self { any, each })
    }

    /// Replaces all matches, and adds the number of matches of each pattern to `counts`.
    pub(crate) fn apply<'t>(&self, text: &'t str, counts: &mut BTreeMap<String, usize>) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if self.each.is_empty() || !self.any.is_match(&text) {
            return text;
        }
        for (pattern, regex) in &self.each {
            let mut count = 0;
            let replaced = regex.replace_all(&text, |captures: &Captures<'_>| {
                count += 1;
                let mut replacement = String::new();
                captures.expand(&pattern.replacement, &mut replacement);
                replacement
            });
            if let Cow::Owned(replaced) = replaced {
                text = Cow::Owned(replaced);
                *counts.entry(pattern.name.clone()).or_default() += count;
            }
        }
        text
    }
}

fn compile(pattern: &CustomPattern) -> Result<(CustomPattern, Regex), MaskerError> {
    let name = || pattern.name.clone();
    let regex = RegexBuilder::new(&pattern.pattern)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|source| MaskerError::Regex { name: name(), source: Box::new(source) })?;
    if regex.is_match("") {
        return Err(MaskerError::MatchesNothing { name: name() });
    }
    Ok((pattern.clone(), regex))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(pattern: &str, replacement: &str) -> CustomPattern {
        CustomPattern { name: "own".into(), pattern: pattern.into(), replacement: replacement.into() }
    }

    #[test]
    fn a_replacement_may_keep_groups() {
        let patterns = CustomPatterns::new(&[pattern(r"(cust)-\d+", "${1}-[ID]")]).unwrap();
        let mut counts = BTreeMap::new();
        assert_eq!(patterns.apply("cust-12 and cust-3", &mut counts), "cust-[ID] and cust-[ID]");
        assert_eq!(counts["own"], 2);
    }

    #[test]
    fn rejects_invalid_patterns_by_name() {
        let error = |text: &str| CustomPatterns::new(&[pattern(text, "")]).unwrap_err().to_string();
        assert_eq!(error("(a"), "custom pattern `own` is invalid");
        assert_eq!(error("a*"), "custom pattern `own` matches the empty text");
        assert_eq!(error("((a{1000}){1000}){1000}"), "custom pattern `own` is invalid");
    }
}
