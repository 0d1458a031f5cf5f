//! The estimated number of tokens of a conversation, calibrated with the counts of the provider.
//!
//! The uncalibrated estimate comes from the token estimates in `tarsy_domain`. Its error depends mostly on
//! the model, so it is multiplied by a scale that is derived from the counts of the provider.

use tarsy_domain::{Message, Role, ToolCall, dense_tokens, prose_tokens};

/// Overhead of a message: role and separators.
const TOKENS_PER_MESSAGE: u64 = 4;
/// The scale is kept in thousandths.
const WHOLE: u64 = 1000;
/// Limits of the scale. A token count that leads to a scale outside of them does not measure this
/// conversation.
const LEAST_SCALE: u64 = WHOLE / 4;
const GREATEST_SCALE: u64 = WHOLE * 4;

/// The estimated size of a conversation.
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
    /// Returns the calibrated estimate.
    pub(super) fn tokens(&self) -> u64 {
        self.estimate.saturating_mul(self.scale) / WHOLE
    }

    /// Adds a message.
    pub(super) fn add(&mut self, message: &Message) {
        self.estimate += estimate(message);
    }

    /// Adds a text that is sent with the messages.
    pub(super) fn add_text(&mut self, text: &str) {
        self.estimate += prose_tokens(text);
    }

    /// Removes a message.
    pub(super) fn remove(&mut self, message: &Message) {
        self.estimate = self.estimate.saturating_sub(estimate(message));
    }

    /// Sets the scale from the token count of the provider for the current content. Zero means that it
    /// reports none.
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
