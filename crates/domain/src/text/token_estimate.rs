//! Estimates of how many tokens a text has. Most vendors publish no tokenizer.
//!
//! Bytes per token depend on the kind of text: dense text (logs, JSON, identifiers) has two to three, prose
//! three to five. The use of an estimate determines in which direction it may be wrong, so there are bounds
//! in both directions and a best estimate for each kind. The counts of a provider are more accurate; the
//! agent core calibrates its estimate with them.

/// Bytes per token of dense text, at the low end.
const DENSE_BYTES_PER_TOKEN: usize = 2;
/// Bytes per token of prose, at the high end: a text with a given number of tokens is not longer than this
/// estimate.
const PROSE_MAX_BYTES_PER_TOKEN: usize = 6;

/// Returns an upper bound for the tokens of any text. Used where a text must fit a budget.
pub fn tokens_at_most(text: &str) -> usize {
    text.len().div_ceil(DENSE_BYTES_PER_TOKEN)
}

/// Returns how many bytes certainly fit into a budget of `tokens`: the inverse of [`tokens_at_most`].
pub fn bytes_that_fit(tokens: usize) -> usize {
    tokens.saturating_mul(DENSE_BYTES_PER_TOKEN)
}

/// Returns an upper bound for the bytes of prose with `tokens` tokens. The text of a model that respects a
/// limit of `tokens` does not exceed it.
pub fn prose_bytes_at_most(tokens: usize) -> usize {
    tokens.saturating_mul(PROSE_MAX_BYTES_PER_TOKEN)
}

/// Returns the expected number of tokens of a tool result: logs, JSON and the like.
pub fn dense_tokens(text: &str) -> u64 {
    text.len() as u64 / DENSE_BYTES_PER_TOKEN as u64
}

/// Returns the expected number of tokens of prose: two for every seven bytes.
pub fn prose_tokens(text: &str) -> u64 {
    prose_tokens_in(text.len())
}

/// Returns the expected number of tokens of prose with this many bytes.
pub fn prose_tokens_in(bytes: usize) -> u64 {
    bytes as u64 * 2 / 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_enclose_the_estimates() {
        let text = "seven b";
        assert_eq!((prose_tokens(text), dense_tokens(text), tokens_at_most(text)), (2, 3, 4));
        assert!(tokens_at_most(&text[..bytes_that_fit(3)]) <= 3);
        assert!(prose_bytes_at_most(2) >= text.len());
        assert_eq!(bytes_that_fit(usize::MAX), usize::MAX);
    }
}
