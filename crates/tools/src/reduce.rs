//! Makes the text of a result small enough to think about, without a model.
//!
//! First what says nothing goes: empty fields, and lines that repeat the one before them. If that is not enough, the
//! beginning, the end and whatever looks like trouble stay, and a note says what was left out and how to read it. Time
//! and memory grow with the text and not faster. Nothing here knows where the whole text is kept.

mod choose;
mod collapse;
mod prune;
mod trouble;

use choose::choose;
use collapse::collapse;
use prune::{Pruned, prune};
use tarsy_domain::{bytes_that_fit, tokens_at_most};

use crate::rows::rows;

/// A text that was made smaller, or did not need to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduced {
    /// It is small enough as it is.
    Unchanged,
    /// What is left of it, with a note at its end.
    Shorter {
        /// Within the budget, but for the note.
        text: String,
        /// The note alone; the text ends with it.
        note: String,
        /// How many lines are missing; without any, it says all that the whole text does.
        left_out: usize,
    },
}

/// Makes a text fit a number of tokens. `id` is what `read_result` finds the whole text by.
pub fn reduce(text: &str, budget_tokens: usize, id: &str) -> Reduced {
    if tokens_at_most(text) <= budget_tokens {
        return Reduced::Unchanged;
    }
    let budget = bytes_that_fit(budget_tokens);
    let pruned = prune(text, budget);
    let pieces = collapse(rows(pruned.text()));
    let (kept, left_out) = choose(&pieces, budget, pruned.numbering());
    let note = note(text, &pruned, left_out, id);
    Reduced::Shorter { text: format!("{kept}{note}"), note, left_out }
}

/// Says what became of the text.
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
