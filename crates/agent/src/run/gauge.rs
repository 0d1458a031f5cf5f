//! An estimate of how many tokens a conversation has, corrected by what the provider counts.
//!
//! There is no public tokenizer for most models. Bytes per token differ by kind of text (logs and JSON have
//! about two, prose three to four), and the remaining error is mostly the model's, so it is learnt.

use tarsy_domain::{Message, Role};

/// Roles, separators and the like.
const TOKENS_PER_MESSAGE: u64 = 4;
/// Counts are kept in parts of a thousand.
const WHOLE: u64 = 1000;
/// A provider that counts more or less than this times our estimate counts something else.
const LEAST_SCALE: u64 = WHOLE / 4;
const GREATEST_SCALE: u64 = WHOLE * 4;

/// A running estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gauge {
    estimate: u64,
    scale: u64,
}

impl Default for Gauge {
    fn default() -> Self {
        Self { estimate: 0, scale: WHOLE }
    }
}

impl Gauge {
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
        self.estimate += prose(text);
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
    let content = if is_result(message) { message.content.len() as u64 / 2 } else { prose(&message.content) };
    let calls: u64 = message.tool_calls.iter().map(|call| prose(&call.name) + prose(&call.arguments)).sum();
    let state = message.provider_state.as_deref().map_or(0, prose);
    TOKENS_PER_MESSAGE + content + calls + state
}

fn is_result(message: &Message) -> bool {
    message.role == Role::Tool || message.content.starts_with(super::OBSERVATION)
}

/// Seven bytes are two tokens.
fn prose(text: &str) -> u64 {
    text.len() as u64 * 2 / 7
}
