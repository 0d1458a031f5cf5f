//! Fallback: calls the next model of a list when one fails, and reports the failure.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tracing::warn;

use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// A model with fallbacks.
pub struct Fallback {
    first: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
}

impl Fallback {
    /// Calls `first`, then the others in order.
    pub fn new(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>) -> Self {
        Self { first, others }
    }
}

impl Model for Fallback {
    fn origin(&self) -> Origin {
        self.first.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let reply = FallbackStream {
            reply: self.first.stream(request.clone()),
            origin: self.first.origin(),
            request,
            others: self.others.iter().cloned().collect(),
            is_emitted: false,
        };
        stream::unfold(reply, |mut reply| async move { reply.next().await.map(|chunk| (chunk, reply)) })
            .boxed()
    }
}

/// A request that is passed from one model to the next.
struct FallbackStream {
    request: ModelRequest,
    /// The model that is being called.
    origin: Origin,
    reply: ChunkStream,
    others: VecDeque<Arc<dyn Model>>,
    /// Whether a part of the reply has been emitted; after that, no other model is called.
    is_emitted: bool,
}

impl FallbackStream {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let error = match self.reply.next().await? {
            Ok(chunk) => {
                self.is_emitted |= chunk.is_part();
                return Some(Ok(chunk));
            }
            Err(error) => error,
        };
        if self.is_emitted || !another_model_may_succeed(error.failure.kind) {
            return Some(Err(error));
        }
        let Some(next) = self.others.pop_front() else { return Some(Err(error)) };
        let failed = std::mem::replace(&mut self.origin, next.origin());
        warn!(
            llm.provider = failed.provider,
            llm.fallback = self.origin.provider,
            %error,
            "model call failed"
        );
        self.reply = next.stream(self.request.clone());
        Some(Ok(Chunk::Fallback { failed, failure: error.failure }))
    }
}

/// Returns whether another model may succeed. A conversation that is too long and filtered content are not
/// the fault of the provider.
fn another_model_may_succeed(kind: ModelFailureKind) -> bool {
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
