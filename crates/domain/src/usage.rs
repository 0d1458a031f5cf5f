//! Tokens that model calls consumed.
//!
//! Counts as the providers report them, added up; no prices, no estimates.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Token counts of one call, or summed over many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenUsage {
    /// Tokens sent to the model, cached ones included.
    pub input_tokens: u64,
    /// Tokens the model wrote, thinking included.
    pub output_tokens: u64,
    /// The part of the output that was thinking.
    pub thinking_tokens: u64,
    /// The part of the input that came from the provider's cache.
    pub cached_tokens: u64,
}

impl TokenUsage {
    /// Input and output together.
    pub const fn total_tokens(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.thinking_tokens = self.thinking_tokens.saturating_add(other.thinking_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
    }
}
