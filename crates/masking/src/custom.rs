//! Patterns of the user's own: regular expressions with what is to stand in their place.
//!
//! They are applied before everything else, so what a replacement keeps of a text is looked at again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::selection::MaskerError;

/// How large one compiled pattern may be. Patterns of people are far below; this stops `(a{1000}){1000}`.
const SIZE_LIMIT: usize = 1 << 20;

/// A pattern of the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomPattern {
    /// A name for it.
    pub name: String,
    /// A regular expression that finds what must not be seen.
    pub pattern: String,
    /// What stands in its place; `${1}` is what the first group found.
    pub replacement: String,
}

/// Custom patterns, compiled.
#[derive(Debug)]
pub(crate) struct CustomPatterns {
    /// All of them at once: most texts match none.
    any: RegexSet,
    each: Vec<(CustomPattern, Regex)>,
}

impl CustomPatterns {
    /// Compiles patterns, or says which of them is at fault.
    pub(crate) fn new(patterns: &[CustomPattern]) -> Result<Self, MaskerError> {
        let each = patterns.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSetBuilder::new(patterns.iter().map(|pattern| &pattern.pattern))
            .size_limit(SIZE_LIMIT * (1 + patterns.len()))
            .build()
            .map_err(|source| MaskerError::Regex {
                name: "(all of them together)".to_owned(),
                source: Box::new(source),
            })?;
        Ok(Self { any, each })
    }

    /// The text with every match replaced, and how often each pattern matched.
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
    fn groups_can_be_kept() {
        let patterns = CustomPatterns::new(&[pattern(r"(cust)-\d+", "${1}-[ID]")]).unwrap();
        let mut counts = BTreeMap::new();
        assert_eq!(patterns.apply("cust-12 and cust-3", &mut counts), "cust-[ID] and cust-[ID]");
        assert_eq!(counts["own"], 2);
    }

    #[test]
    fn faulty_patterns_are_refused_by_name() {
        let refusal = |text: &str| CustomPatterns::new(&[pattern(text, "")]).unwrap_err().to_string();
        assert_eq!(refusal("(a"), "custom pattern own");
        assert_eq!(refusal("a*"), "custom pattern own matches the empty text");
        assert_eq!(refusal("((a{1000}){1000}){1000}"), "custom pattern own");
    }
}
