//! The database-independent part of full-text search: tokenization, queries and snippets.
//!
//! Text is split into words here and not in the database, so that both engines find the same sessions. There
//! is no ranking: lists of sessions are ordered by time.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::string_enum::string_enum;

/// Longer words (hashes, base64) are indexed and searched by their prefix of this length.
const WORD_MAX_CHARS: usize = 64;
/// Only this many bytes of a text are indexed.
const INDEXED_MAX_BYTES: usize = 64 * 1024;
/// Further words of a query are ignored.
const QUERY_MAX_WORDS: usize = 16;
/// Number of characters that a snippet shows on each side of its first match.
const SNIPPET_CHARS_AROUND: usize = 60;

string_enum! {
    /// The kind of a text of a session that matched a search.
    pub enum SearchSource {
        /// The alert.
        Alert = "alert",
        /// The final analysis.
        Analysis = "analysis",
        /// A timeline entry.
        Timeline = "timeline",
    }
}

/// Returns the distinct words of `text`: runs of letters and digits, lower-cased.
pub fn words(text: &str) -> BTreeSet<String> {
    let indexed = &text[..text.floor_char_boundary(INDEXED_MAX_BYTES)];
    word_spans(indexed).map(|(_, word)| word).collect()
}

/// A search query: words that must all be present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    words: Vec<String>,
}

/// An excerpt of a text with the positions of its matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The excerpt; an ellipsis marks omitted text.
    pub text: String,
    /// Byte ranges of the matches inside `text`.
    pub matches: Vec<(usize, usize)>,
}

impl SearchQuery {
    /// Parses a query. Returns `None` if it contains no word.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        for (_, word) in word_spans(text) {
            if !words.contains(&word) && words.len() < QUERY_MAX_WORDS {
                words.push(word);
            }
        }
        (!words.is_empty()).then_some(Self { words })
    }

    /// Returns the words, each of which must be a prefix of a word of a matching text.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns whether every word of the query is a prefix of a word of `text`.
    pub fn matches(&self, text: &str) -> bool {
        let words = words(text);
        self.words.iter().all(|wanted| {
            words.range(wanted.clone()..).next().is_some_and(|found| found.starts_with(wanted.as_str()))
        })
    }

    /// Returns the first match in `text` with its context, or `None` without a match.
    pub fn snippet(&self, text: &str) -> Option<Snippet> {
        let hits: Vec<(usize, usize)> = word_spans(text)
            .filter(|(_, word)| self.words.iter().any(|wanted| word.starts_with(wanted.as_str())))
            .map(|(span, _)| span)
            .collect();
        let (first_start, first_end) = *hits.first()?;
        let start = step_back(text, first_start, SNIPPET_CHARS_AROUND);
        let end = step_forward(text, first_end, SNIPPET_CHARS_AROUND);

        let lead = if start > 0 { "…" } else { "" };
        let tail = if end < text.len() { "…" } else { "" };
        let inside = hits.into_iter().filter(|(_, hit_end)| *hit_end <= end);
        let shift = |position: usize| position - start + lead.len();
        Some(Snippet {
            matches: inside.map(|(from, to)| (shift(from), shift(to))).collect(),
            text: format!("{lead}{}{tail}", &text[start..end]),
        })
    }
}

/// Returns every word of `text` with its byte range, in order.
fn word_spans(text: &str) -> impl Iterator<Item = ((usize, usize), String)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let length = text[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len() - start);
        rest = start + length;
        let word = text[start..rest].chars().flat_map(char::to_lowercase).take(WORD_MAX_CHARS).collect();
        Some(((start, rest), word))
    })
}

fn step_back(text: &str, from: usize, chars: usize) -> usize {
    text[..from].char_indices().rev().take(chars).last().map_or(from, |(index, _)| index)
}

fn step_forward(text: &str, from: usize, chars: usize) -> usize {
    text[from..].char_indices().nth(chars).map_or(text.len(), |(index, _)| from + index)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_lower_case_runs_of_letters_and_digits() {
        let found: Vec<_> = words("Pod api-7f9c CrashLoop: api.shop.svc Ünïcode").into_iter().collect();
        assert_eq!(found, ["7f9c", "api", "crashloop", "pod", "shop", "svc", "ünïcode"]);
    }

    #[test]
    fn a_query_without_words_is_none() {
        assert_eq!(SearchQuery::parse("  -- !"), None);
    }

    #[test]
    fn every_word_of_a_query_must_be_a_prefix_of_a_word_of_the_text() {
        let matches = |query: &str| SearchQuery::parse(query).unwrap().matches("OOMKilled in checkout-api");
        assert!(matches("oom"));
        assert!(matches("API oomkilled"));
        assert!(!matches("killed"));
        assert!(!matches("oom database"));
    }

    #[test]
    fn a_snippet_shows_the_first_match_with_its_context() {
        let text = format!("{} the needle and another Needle {}", "a".repeat(200), "b".repeat(200));
        let snippet = SearchQuery::parse("needle").unwrap().snippet(&text).unwrap();

        let marked: Vec<_> = snippet.matches.iter().map(|(from, to)| &snippet.text[*from..*to]).collect();
        assert_eq!(marked, ["needle", "Needle"]);
        assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'));
    }

    proptest! {
        #[test]
        fn a_snippet_never_cuts_a_character(text in "\\PC{0,300}", query in "\\PC{1,5}") {
            if let Some(snippet) = SearchQuery::parse(&query).and_then(|query| query.snippet(&text)) {
                for (from, to) in snippet.matches {
                    prop_assert!(snippet.text.get(from..to).is_some());
                }
            }
        }
    }
}
