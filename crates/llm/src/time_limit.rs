//! The time limit of a model call with its retries.
//!
//! Each model of a fallback list has its own limit: a provider that does not reply in time leaves the full
//! time to the next one.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tokio::time::{Instant, timeout_at};

use crate::partial_reply::PartialReply;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// A model whose calls have a time limit.
pub struct TimeLimited {
    model: Arc<dyn Model>,
    limit: Duration,
}

impl TimeLimited {
    /// Limits the calls of `model`.
    pub fn new(model: Arc<dyn Model>, limit: Duration) -> Self {
        Self { model, limit }
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
                    self.emitted.add(chunk);
                }
                part
            }
            None => {
                self.reply = None;
                let message = format!(
                    "the reply was not complete within the time limit of {} s",
                    self.limit.as_secs_f64()
                );
                let error = ModelError::new(ModelFailureKind::Timeout, message);
                Some(Err(self.emitted.attach_to(error)))
            }
        }
    }
}
