//! A model behind the breaker of its provider.
//!
//! Only failures that mean that the provider is down count: no connection, a timeout, an error of the server.
//! Any other response shows that it works.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;

use super::{CallPermit, CircuitBreaker};
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// A model behind the breaker of its provider.
pub struct BreakerModel {
    model: Arc<dyn Model>,
    breaker: Arc<CircuitBreaker>,
}

impl BreakerModel {
    /// Wraps `model`.
    pub fn new(model: Arc<dyn Model>, breaker: Arc<CircuitBreaker>) -> Self {
        Self { model, breaker }
    }
}

impl Model for BreakerModel {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let (model, breaker) = (Arc::clone(&self.model), Arc::clone(&self.breaker));
        // Admitted when the call is made, not when the stream is created.
        let admitted = stream::once(async move {
            match breaker.admit() {
                Ok(permit) => {
                    let call =
                        GuardedCall { reply: model.stream(request), permit: Some(permit), is_sent: false };
                    stream::unfold(call, |mut call| async move { call.next().await.map(|part| (part, call)) })
                        .boxed()
                }
                Err(error) => stream::iter([Err(error)]).boxed(),
            }
        });
        admitted.flatten().boxed()
    }
}

/// A call that was admitted.
struct GuardedCall {
    reply: ChunkStream,
    /// Present until the outcome is known.
    permit: Option<CallPermit>,
    /// Whether the request was sent; an error before that says nothing about the provider.
    is_sent: bool,
}

impl GuardedCall {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let part = self.reply.next().await;
        let error = match part {
            Some(Ok(chunk)) => {
                self.is_sent = true;
                if chunk.is_part() {
                    self.responded();
                }
                return Some(Ok(chunk));
            }
            Some(Err(error)) => error,
            None => {
                self.responded();
                return None;
            }
        };
        if !means_down(error.failure.kind) {
            if self.is_sent {
                self.responded();
            }
            return Some(Err(error));
        }
        let wait = self.permit.take().and_then(|permit| permit.failed(&error));
        Some(Err(match wait {
            Some(wait) => {
                let requested = error.delay().unwrap_or_default();
                error.retry_after(Some(wait.max(requested))).exhausted(true)
            }
            None => error,
        }))
    }

    fn responded(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.succeeded();
        }
    }
}

/// Returns whether a failure means that the provider is down.
fn means_down(kind: ModelFailureKind) -> bool {
    match kind {
        ModelFailureKind::Overloaded | ModelFailureKind::Timeout | ModelFailureKind::Network => true,
        ModelFailureKind::RateLimit
        | ModelFailureKind::Credentials
        | ModelFailureKind::InvalidRequest
        | ModelFailureKind::ContextTooLong
        | ModelFailureKind::ContentFiltered
        | ModelFailureKind::EmptyReply
        | ModelFailureKind::Repetition
        | ModelFailureKind::ProviderBug => false,
    }
}
