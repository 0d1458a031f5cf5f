//! A model call as it is recorded, whatever it was made for.

use std::time::Duration;

use tarsy_domain::{InteractionId, LlmCallKind, LlmErrorKind, ModelFailure, ModelReply, Timestamp};
use tarsy_llm::Origin;
use tarsy_store::LlmCall;

use crate::stop::StopCause;

/// A call that was made.
pub(super) struct MadeCall<'a> {
    pub(super) kind: LlmCallKind,
    pub(super) iteration: u32,
    /// Who answered, or should have.
    pub(super) origin: Origin,
    pub(super) started_at: Timestamp,
    pub(super) duration: Duration,
    /// What was sent, as JSON text.
    pub(super) request: String,
    pub(super) answer: Answer<'a>,
}

/// What came of a call.
pub(super) enum Answer<'a> {
    Reply(&'a ModelReply),
    Failure(&'a ModelFailure),
    /// The work was stopped while it was under way; this much of the reply had come.
    Stopped(StopCause, &'a ModelReply),
}

impl MadeCall<'_> {
    pub(super) fn record(self, interaction_id: InteractionId) -> LlmCall {
        let (usage, response, error) = match self.answer {
            Answer::Reply(reply) => (reply.usage, serde_json::to_string(reply), None),
            Answer::Failure(failure) => {
                let error = (LlmErrorKind::from(failure.kind), failure.message.clone());
                (failure.usage, serde_json::to_string(failure), Some(error))
            }
            Answer::Stopped(cause, heard) => {
                let error = (LlmErrorKind::Stopped, cause.message().to_owned());
                (heard.usage, serde_json::to_string(heard), Some(error))
            }
        };
        let (error_kind, error_message) = error.unzip();
        LlmCall {
            interaction_id,
            kind: self.kind,
            iteration: u64::from(self.iteration),
            provider: self.origin.provider,
            model: self.origin.model,
            started_at: self.started_at,
            duration_ms: millis(self.duration),
            usage,
            request: self.request,
            response: response.ok(),
            error_kind,
            error_message,
        }
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
