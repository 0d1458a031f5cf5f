//! Full-text search, as far as it is the same on every engine: which words a text holds, which words a query
//! asks for, and the excerpt that shows a match.
//!
//! Splitting text into words here, not in the database, is what makes two engines find the same sessions.
//! Ranking is not done: a list of sessions is ordered by time.

use std::collections::BTreeSet;

use serde::Serialize;

/// Longer words (hashes, base64) are indexed and searched by their beginning.
const WORD_MAX_CHARS: usize = 64;
/// Only the beginning of a text is indexed: a tool result of megabytes is found by its first part.
const INDEXED_MAX_BYTES: usize = 64 * 1024;
/// Words beyond this number would narrow nothing down that the first ones did not.
const QUERY_MAX_WORDS: usize = 16;
/// How much text an excerpt shows on each side of its first match.
const SNIPPET_CHARS_AROUND: usize = 60;

/// The distinct words of `text`: runs of letters and digits, lower-cased.
pub fn words(text: &str) -> BTreeSet<String> {
    let indexed = &text[..text.floor_char_boundary(INDEXED_MAX_BYTES)];
    word_spans(indexed).map(|(_, word)| word).collect()
}

/// What a person typed into the search box, as words that must all be present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    words: Vec<String>,
}

/// An excerpt of a text with its matches marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The excerpt; an ellipsis stands where text was left out.
    pub text: String,
    /// Byte ranges of the matches inside `text`.
    pub matches: Vec<(usize, usize)>,
}

impl SearchQuery {
    /// Reads a query; `None` if it holds no word at all.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        for (_, word) in word_spans(text) {
            if !words.contains(&word) && words.len() < QUERY_MAX_WORDS {
                words.push(word);
            }
        }
        (!words.is_empty()).then_some(Self { words })
    }

    /// The words, each of which must begin a word of a matching text.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether every word of the query begins a word of `text`.
    pub fn matches(&self, text: &str) -> bool {
        let words = words(text);
        self.words.iter().all(|wanted| {
            words.range(wanted.clone()..).next().is_some_and(|found| found.starts_with(wanted.as_str()))
        })
    }

    /// The first place in `text` that holds a word of the query, with its surroundings.
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

/// Every word of `text` with its byte range, in order.
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
    fn a_text_is_its_lower_cased_runs_of_letters_and_digits() {
        let found: Vec<_> = words("Pod api-7f9c CrashLoop: api.shop.svc Ünïcode").into_iter().collect();
        assert_eq!(found, ["7f9c", "api", "crashloop", "pod", "shop", "svc", "ünïcode"]);
    }

    #[test]
    fn a_query_without_words_is_none() {
        assert_eq!(SearchQuery::parse("  -- !"), None);
    }

    #[test]
    fn every_word_of_a_query_must_begin_a_word_of_the_text() {
        let matches = |query: &str| SearchQuery::parse(query).unwrap().matches("OOMKilled in checkout-api");
        assert!(matches("oom"));
        assert!(matches("API oomkilled"));
        assert!(!matches("killed"));
        assert!(!matches("oom database"));
    }

    #[test]
    fn a_snippet_shows_the_first_match_in_its_surroundings() {
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
