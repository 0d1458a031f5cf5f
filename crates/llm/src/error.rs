//! A model call that failed, with what a caller needs to decide whether to try again.

use std::time::Duration;

use tarsy_domain::{ModelFailure, ModelFailureKind, TokenUsage};

/// Why a stream of chunks ended before its time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct ModelError {
    /// What happened, as it is recorded.
    pub failure: ModelFailure,
    /// How long the provider asks to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// Whether further attempts have been made already, by the service that tells of the failure: attempts on both
    /// sides would multiply.
    pub exhausted: bool,
}

impl ModelError {
    /// A failure of a kind, in words for people.
    pub fn new(kind: ModelFailureKind, message: impl Into<String>) -> Self {
        let failure = ModelFailure {
            kind,
            message: message.into(),
            partial_text: String::new(),
            usage: TokenUsage::default(),
        };
        Self { failure, retry_after: None, exhausted: false }
    }

    /// The same failure, to be tried again no sooner than this.
    #[must_use]
    pub fn retry_after(self, retry_after: Option<Duration>) -> Self {
        Self { retry_after, ..self }
    }

    /// The same failure, with whether attempts enough have been made.
    #[must_use]
    pub fn exhausted(self, exhausted: bool) -> Self {
        Self { exhausted, ..self }
    }

    /// Whether the same request may succeed a little later, and nobody has tried that yet.
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

/// An answer that breaks the provider's own rules.
pub(crate) fn provider_bug(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelFailureKind::ProviderBug, message)
}
