//! The time limit of a model call with its retries.
//!
//! Each model of a fallback list has its own limit: a provider that does not reply in time leaves the full
//! time to the next one. A call that ends here without any response counts as a failure of the provider.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tokio::time::{Instant, timeout_at};

use crate::partial_reply::PartialReply;
use crate::{Chunk, ChunkStream, CircuitBreaker, Model, ModelError, ModelRequest, Origin};

/// A model whose calls have a time limit.
pub struct TimeLimited {
    model: Arc<dyn Model>,
    limit: Duration,
    breaker: Option<Arc<CircuitBreaker>>,
}

impl TimeLimited {
    /// Limits the calls of `model`.
    pub fn new(model: Arc<dyn Model>, limit: Duration) -> Self {
        Self { model, limit, breaker: None }
    }

    /// Reports calls without any response to the breaker of the provider.
    #[must_use]
    pub fn with_breaker(self, breaker: Option<Arc<CircuitBreaker>>) -> Self {
        Self { breaker, ..self }
    }
}

impl Model for TimeLimited {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let call = LimitedCall {
            reply: Some(self.model.stream(request)),
            limit: self.limit,
            deadline: None,
            breaker: self.breaker.clone(),
            has_started: false,
            emitted: PartialReply::default(),
        };
        stream::unfold(call, |mut call| async move { call.next().await.map(|part| (part, call)) }).boxed()
    }
}

struct LimitedCall {
    /// `None` after the end.
    reply: Option<ChunkStream>,
    limit: Duration,
    /// Set when the call is made.
    deadline: Option<Instant>,
    breaker: Option<Arc<CircuitBreaker>>,
    /// Whether a part of the reply has arrived.
    has_started: bool,
    emitted: PartialReply,
}

impl LimitedCall {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let reply = self.reply.as_mut()?;
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + self.limit);
        // `timeout_at` polls the stream before the clock, so a stream that never pauses would never time out.
        let part =
            if Instant::now() >= deadline { None } else { timeout_at(deadline, reply.next()).await.ok() };
        match part {
            Some(part) => {
                if let Some(Ok(chunk)) = &part {
                    self.has_started |= chunk.is_part();
                    self.emitted.add(chunk);
                }
                part
            }
            None => {
                // Dropped first: a call that probes the provider ends before its failure is counted.
                self.reply = None;
                Some(Err(self.exceeded()))
            }
        }
    }

    fn exceeded(&mut self) -> ModelError {
        let message =
            format!("the reply was not complete within the time limit of {} s", self.limit.as_secs_f64());
        let error = ModelError::new(ModelFailureKind::Timeout, message);
        if let Some(breaker) = self.breaker.as_ref().filter(|_| !self.has_started) {
            breaker.timed_out(&error);
        }
        self.emitted.attach_to(error)
    }
}
