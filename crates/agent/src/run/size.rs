//! An estimate of how many tokens a conversation has, corrected by what the provider counts.
//!
//! The estimate before correction is that of `tarsy_domain::token_estimate`; its remaining error is mostly the
//! model's, so it is learned.

use tarsy_domain::{Message, Role, ToolCall, dense_tokens, prose_tokens};

/// Roles, separators and the like.
const TOKENS_PER_MESSAGE: u64 = 4;
/// Counts are kept in parts of a thousand.
const WHOLE: u64 = 1000;
/// A provider that counts more or less than this times our estimate counts something else.
const LEAST_SCALE: u64 = WHOLE / 4;
const GREATEST_SCALE: u64 = WHOLE * 4;

/// A running estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConversationSize {
    estimate: u64,
    scale: u64,
}

impl Default for ConversationSize {
    fn default() -> Self {
        Self { estimate: 0, scale: WHOLE }
    }
}

impl ConversationSize {
    /// Tokens, by the best that is known.
    pub(super) fn tokens(&self) -> u64 {
        self.estimate.saturating_mul(self.scale) / WHOLE
    }

    /// A message is there.
    pub(super) fn add(&mut self, message: &Message) {
        self.estimate += estimate(message);
    }

    /// A text that is sent beside the messages is there.
    pub(super) fn add_text(&mut self, text: &str) {
        self.estimate += prose_tokens(text);
    }

    /// A message is there no more.
    pub(super) fn remove(&mut self, message: &Message) {
        self.estimate = self.estimate.saturating_sub(estimate(message));
    }

    /// The provider says how many tokens the present text has; some say nothing.
    pub(super) fn calibrate(&mut self, tokens: u64) {
        if tokens > 0 && self.estimate > 0 {
            self.scale = (tokens.saturating_mul(WHOLE) / self.estimate).clamp(LEAST_SCALE, GREATEST_SCALE);
        }
    }
}

fn estimate(message: &Message) -> u64 {
    let count = if is_result(message) { dense_tokens } else { prose_tokens };
    let call_tokens = |call: &ToolCall| prose_tokens(&call.name) + prose_tokens(&call.arguments);
    let calls: u64 = message.tool_calls.iter().map(call_tokens).sum();
    let state = message.provider_state.as_deref().map_or(0, prose_tokens);
    TOKENS_PER_MESSAGE + count(&message.content) + calls + state
}

fn is_result(message: &Message) -> bool {
    message.role == Role::Tool || message.content.starts_with(super::OBSERVATION)
}
