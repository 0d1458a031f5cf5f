//! The error of a model call, with what a caller needs to decide about a retry.

use std::time::Duration;

use tarsy_domain::{ModelFailure, ModelFailureKind, TokenUsage};

/// Why a stream of chunks ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct ModelError {
    /// The failure, as it is recorded.
    pub failure: ModelFailure,
    /// Whether the call has been retried already, here or by a model service, or cannot succeed now: retries
    /// on both sides would multiply.
    pub exhausted: bool,
}

impl ModelError {
    /// Returns an error with a message for people.
    pub fn new(kind: ModelFailureKind, message: impl Into<String>) -> Self {
        let failure = ModelFailure {
            retry_after_ms: None,
            kind,
            message: message.into(),
            partial_text: String::new(),
            usage: TokenUsage::default(),
        };
        Self { failure, exhausted: false }
    }

    /// Sets the delay before the next attempt, rounded up to a millisecond.
    #[must_use]
    pub fn retry_after(mut self, delay: Option<Duration>) -> Self {
        let millis =
            |delay: Duration| u64::try_from(delay.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        self.failure.retry_after_ms = delay.map(millis);
        self
    }

    /// Returns the delay that the provider requests before the next attempt.
    pub fn delay(&self) -> Option<Duration> {
        self.failure.retry_after_ms.map(Duration::from_millis)
    }

    /// Sets whether the call has been retried already.
    #[must_use]
    pub fn exhausted(self, exhausted: bool) -> Self {
        Self { exhausted, ..self }
    }

    /// Returns whether a retry of the same request may succeed.
    pub fn is_transient(&self) -> bool {
        !self.exhausted
            && match self.failure.kind {
                ModelFailureKind::RateLimit
                | ModelFailureKind::Overloaded
                | ModelFailureKind::Timeout
                | ModelFailureKind::Network
                | ModelFailureKind::EmptyReply => true,
                ModelFailureKind::Credentials
                | ModelFailureKind::InvalidRequest
                | ModelFailureKind::ContextTooLong
                | ModelFailureKind::ContentFiltered
                | ModelFailureKind::Repetition
                | ModelFailureKind::ProviderBug => false,
            }
    }
}

/// Returns the error for a response that violates the provider's own format.
pub(crate) fn provider_bug(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelFailureKind::ProviderBug, message)
}
