//! Tries again what may go better a little later, as long as nothing of a reply has been given out.

use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tracing::warn;

use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// How often and how soon to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts after the first.
    pub retries: usize,
    /// The pause before the second attempt; it doubles, with some chance in it.
    pub first_pause: Duration,
    /// The pause after an empty reply.
    pub empty_reply_pause: Duration,
    /// A provider that asks for a longer pause than this gets no further attempt.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 3,
            first_pause: Duration::from_secs(1),
            empty_reply_pause: Duration::from_secs(3),
            longest_pause: Duration::from_secs(90),
        }
    }
}

/// A model that is asked again when it fails for a reason that passes.
pub struct Retrying {
    model: Arc<dyn Model>,
    policy: RetryPolicy,
}

impl Retrying {
    /// Asks `model` as often as `policy` says.
    pub fn new(model: Arc<dyn Model>, policy: RetryPolicy) -> Self {
        Self { model, policy }
    }
}

impl Model for Retrying {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let attempts = Attempts {
            reply: self.model.stream(request.clone()),
            model: Arc::clone(&self.model),
            request,
            policy: self.policy,
            pauses: pauses(self.policy),
            given_out: false,
        };
        stream::unfold(attempts, |mut attempts| async move {
            attempts.next().await.map(|chunk| (chunk, attempts))
        })
        .boxed()
    }
}

/// A request that may be sent several times.
struct Attempts {
    model: Arc<dyn Model>,
    request: ModelRequest,
    policy: RetryPolicy,
    pauses: ExponentialBackoff,
    reply: ChunkStream,
    /// Whether somebody has seen a part of a reply: from then on there is no way back.
    given_out: bool,
}

impl Attempts {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            let error = match self.reply.next().await? {
                Ok(chunk) => {
                    self.given_out |= chunk.is_part();
                    return Some(Ok(chunk));
                }
                Err(error) => error,
            };
            let Some(pause) = self.pause_after(&error) else { return Some(Err(error)) };
            warn!(
                llm.provider = self.model.origin().provider,
                error.kind = %error.failure.kind,
                wait_ms = pause.as_millis(),
                "model call failed, trying again: {error}"
            );
            tokio::time::sleep(pause).await;
            self.reply = self.model.stream(self.request.clone());
        }
    }

    /// How long to wait before the next attempt, if there is one.
    fn pause_after(&mut self, error: &ModelError) -> Option<Duration> {
        if self.given_out || !error.is_transient() {
            return None;
        }
        let own = self.pauses.next()?;
        let own = if error.failure.kind == ModelFailureKind::EmptyReply {
            self.policy.empty_reply_pause
        } else {
            own
        };
        let asked = error.retry_after.unwrap_or_default();
        (asked <= self.policy.longest_pause).then(|| own.max(asked))
    }
}

fn pauses(policy: RetryPolicy) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(policy.first_pause)
        .with_max_delay(policy.longest_pause)
        .with_max_times(policy.retries)
        .with_jitter()
        .build()
}
