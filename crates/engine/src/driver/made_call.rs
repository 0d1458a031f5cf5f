//! A model call as it is recorded, whatever it was made for.

use std::time::Duration;

use tarsy_domain::{InteractionId, ModelFailure, ModelReply, Timestamp};
use tarsy_llm::Origin;
use tarsy_store::LlmCall;

/// A call that was made.
pub(super) struct MadeCall<'a> {
    pub(super) kind: &'a str,
    pub(super) iteration: u32,
    /// Who answered, or should have.
    pub(super) origin: Origin,
    pub(super) started_at: Timestamp,
    pub(super) duration: Duration,
    /// What was sent, as JSON text.
    pub(super) request: String,
    pub(super) answer: Result<&'a ModelReply, &'a ModelFailure>,
}

impl MadeCall<'_> {
    pub(super) fn record(self) -> LlmCall {
        let (usage, response) = match self.answer {
            Ok(reply) => (reply.usage, serde_json::to_string(reply)),
            Err(failure) => (failure.usage, serde_json::to_string(failure)),
        };
        let failure = self.answer.err();
        LlmCall {
            interaction_id: InteractionId::new(),
            kind: self.kind.to_owned(),
            iteration: u64::from(self.iteration),
            provider: self.origin.provider,
            model: self.origin.model,
            started_at: self.started_at,
            duration_ms: millis(self.duration),
            usage,
            request: self.request,
            response: response.ok(),
            error_kind: failure.map(|failure| failure.kind.to_string()),
            error_message: failure.map(|failure| failure.message.clone()),
        }
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
