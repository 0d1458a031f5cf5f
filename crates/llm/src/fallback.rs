//! Asks the next model of a list when one cannot answer, and says so.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tracing::warn;

use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// A model with others behind it.
pub struct Fallback {
    first: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
}

impl Fallback {
    /// Asks `first`, and then the others in order.
    pub fn new(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>) -> Self {
        Self { first, others }
    }
}

impl Model for Fallback {
    fn origin(&self) -> Origin {
        self.first.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let line = Line {
            reply: self.first.stream(request.clone()),
            origin: self.first.origin(),
            request,
            others: self.others.iter().cloned().collect(),
            given_out: false,
        };
        stream::unfold(line, |mut line| async move { line.next().await.map(|chunk| (chunk, line)) }).boxed()
    }
}

/// A request that goes down the line.
struct Line {
    request: ModelRequest,
    /// Who is being asked.
    origin: Origin,
    reply: ChunkStream,
    others: VecDeque<Arc<dyn Model>>,
    given_out: bool,
}

impl Line {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let error = match self.reply.next().await? {
            Ok(chunk) => {
                self.given_out |= chunk.is_part();
                return Some(Ok(chunk));
            }
            Err(error) => error,
        };
        if self.given_out || !another_may_answer(error.failure.kind) {
            return Some(Err(error));
        }
        let Some(next) = self.others.pop_front() else { return Some(Err(error)) };
        let failed = std::mem::replace(&mut self.origin, next.origin());
        warn!(
            llm.provider = failed.provider,
            llm.fallback = self.origin.provider,
            "model call failed: {error}"
        );
        self.reply = next.stream(self.request.clone());
        Some(Ok(Chunk::Fallback { failed, failure: error.failure }))
    }
}

/// A conversation that is too long, and a reply that was withheld, are no fault of the provider.
fn another_may_answer(kind: ModelFailureKind) -> bool {
    match kind {
        ModelFailureKind::RateLimit
        | ModelFailureKind::Overloaded
        | ModelFailureKind::Timeout
        | ModelFailureKind::Network
        | ModelFailureKind::Credentials
        | ModelFailureKind::InvalidRequest
        | ModelFailureKind::EmptyReply
        | ModelFailureKind::Repetition
        | ModelFailureKind::ProviderBug => true,
        ModelFailureKind::ContextTooLong | ModelFailureKind::ContentFiltered => false,
    }
}
