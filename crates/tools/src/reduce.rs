//! Shortens the text of a result to a token budget, without a model.
//!
//! First it drops what carries no information: empty fields and repeated lines. If that is not enough, it
//! keeps the beginning, the end and lines that look like problems, and a note says what was omitted and how
//! to read it. Time and memory are linear in the text. This module does not know where the whole text is
//! stored.

mod choose;
mod collapse;
mod problem;
mod prune;

use choose::choose;
use collapse::collapse;
use prune::{Pruned, prune};
use tarsy_domain::{bytes_that_fit, tokens_at_most};

use crate::rows::rows;

/// A shortened text, if shortening was necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduced {
    /// The text fits the budget.
    Unchanged,
    /// The shortened text with a note at its end.
    Shorter {
        /// The text; without the note it is within the budget.
        text: String,
        /// The note, which is also the end of `text`.
        note: String,
        /// Number of omitted lines; 0 if nothing but empty fields and repetitions is missing.
        left_out: usize,
    },
}

/// Shortens a text to a number of tokens. `id` identifies the whole text for `read_result`.
pub fn reduce(text: &str, budget_tokens: usize, id: &str) -> Reduced {
    if tokens_at_most(text) <= budget_tokens {
        return Reduced::Unchanged;
    }
    let budget = bytes_that_fit(budget_tokens);
    let pruned = prune(text, budget);
    let groups = collapse(rows(pruned.text()));
    let (kept, left_out) = choose(&groups, budget, pruned.numbering());
    let note = note(text, &pruned, left_out, id);
    Reduced::Shorter { text: format!("{kept}{note}"), note, left_out }
}

/// Returns the note for the model about what is missing.
fn note(text: &str, pruned: &Pruned<'_>, left_out: usize, id: &str) -> String {
    let tokens = tokens_at_most(text);
    let lines = rows(text).count();
    let how = match (pruned, left_out) {
        (Pruned::Json(_), 0) => "empty fields were dropped and repetitions collapsed",
        (Pruned::Json(_), _) => "empty fields were dropped, repetitions collapsed and parts left out",
        (Pruned::Lines(_) | Pruned::Untouched(_), 0) => "repetitions were collapsed",
        (Pruned::Lines(_) | Pruned::Untouched(_), _) => "repetitions were collapsed and parts left out",
    };
    format!(
        "\n[Shortened: {how}. The whole result has {lines} lines, about {tokens} tokens. To read more of it, call \
         read_result with id {id:?} and either lines (from, to) or a pattern to search for.]"
    )
}

#[cfg(test)]
mod tests;
