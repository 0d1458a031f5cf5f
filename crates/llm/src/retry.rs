//! Retries: repeats a call that failed for a transient reason, while no part of its reply has been emitted.

use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tokio::time::Instant;
use tracing::warn;

use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// How often and how soon a failed call is retried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Maximum number of attempts, the first one included.
    pub max_attempts: u32,
    /// Pause before the second attempt.
    pub initial_pause: Duration,
    /// Factor by which the pause grows with every attempt.
    pub factor: f32,
    /// Maximum pause. If the provider requests a longer one, the call is not retried.
    pub max_pause: Duration,
    /// Whether a random time of up to the initial pause is added to every pause, so that calls that failed
    /// together are not retried together.
    pub jitter: bool,
    /// Time after the start of the call in which further attempts may start; `None` for no limit.
    pub total_time: Option<Duration>,
    /// Pause after an empty reply, instead of the exponential one.
    pub empty_reply_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            initial_pause: Duration::from_secs(1),
            factor: 2.0,
            max_pause: Duration::from_secs(90),
            jitter: true,
            total_time: None,
            empty_reply_pause: Duration::from_secs(3),
        }
    }
}

/// A model whose transient failures are retried.
pub struct Retrying {
    model: Arc<dyn Model>,
    policy: RetryPolicy,
}

impl Retrying {
    /// Wraps `model`.
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
            started_at: Instant::now(),
            is_emitted: false,
            is_used_up: false,
        };
        stream::unfold(attempts, |mut attempts| async move {
            attempts.next().await.map(|chunk| (chunk, attempts))
        })
        .boxed()
    }
}

/// A call with its retries.
struct Attempts {
    model: Arc<dyn Model>,
    request: ModelRequest,
    policy: RetryPolicy,
    pauses: ExponentialBackoff,
    reply: ChunkStream,
    started_at: Instant,
    /// Whether a part of a reply has been emitted; after that, the call is not retried.
    is_emitted: bool,
    /// Whether all attempts have been made.
    is_used_up: bool,
}

impl Attempts {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            let error = match self.reply.next().await? {
                Ok(chunk) => {
                    self.is_emitted |= chunk.is_part();
                    return Some(Ok(chunk));
                }
                Err(error) => error,
            };
            let Some(pause) = self.pause_after(&error) else {
                let exhausted = error.exhausted || self.is_used_up;
                return Some(Err(error.exhausted(exhausted)));
            };
            warn!(
                llm.provider = self.model.origin().provider,
                error.kind = %error.failure.kind,
                wait_ms = pause.as_millis(),
                "model call failed, retrying: {error}"
            );
            tokio::time::sleep(pause).await;
            self.reply = self.model.stream(self.request.clone());
        }
    }

    /// Returns the pause before the next attempt, or `None` if there is none.
    fn pause_after(&mut self, error: &ModelError) -> Option<Duration> {
        if self.is_emitted || !error.is_transient() {
            return None;
        }
        let Some(backoff) = self.pauses.next() else {
            self.is_used_up = true;
            return None;
        };
        let is_empty_reply = error.failure.kind == ModelFailureKind::EmptyReply;
        let own = if is_empty_reply { self.policy.empty_reply_pause } else { backoff };
        let requested = error.delay().unwrap_or_default();
        let pause = own.max(requested);
        let is_in_time =
            self.policy.total_time.is_none_or(|total| self.started_at.elapsed() + pause <= total);
        self.is_used_up = !is_in_time;
        (requested <= self.policy.max_pause && is_in_time).then_some(pause)
    }
}

fn pauses(policy: RetryPolicy) -> ExponentialBackoff {
    let retries = policy.max_attempts.saturating_sub(1);
    let builder = ExponentialBuilder::default()
        .with_min_delay(policy.initial_pause)
        .with_factor(policy.factor)
        .with_max_delay(policy.max_pause)
        .with_max_times(usize::try_from(retries).unwrap_or(usize::MAX));
    if policy.jitter { builder.with_jitter() } else { builder }.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NativeTools, Tags};

    const POLICY: RetryPolicy = RetryPolicy {
        max_attempts: 3,
        initial_pause: Duration::from_secs(1),
        factor: 3.0,
        max_pause: Duration::from_secs(10),
        jitter: false,
        total_time: None,
        empty_reply_pause: Duration::from_secs(7),
    };

    struct SilentModel;

    impl Model for SilentModel {
        fn origin(&self) -> Origin {
            Origin { provider: "test".to_owned(), model: "silent".to_owned() }
        }

        fn stream(&self, _: ModelRequest) -> ChunkStream {
            stream::empty().boxed()
        }
    }

    /// Returns the pauses in seconds after the same error, until the call is not retried any more.
    fn pauses_after(policy: RetryPolicy, error: &ModelError) -> Vec<u64> {
        let mut attempts = Attempts {
            model: Arc::new(SilentModel),
            request: ModelRequest {
                stop_sequences: &[],
                messages: Vec::new(),
                tools: Arc::new([]),
                native_tools: NativeTools::default(),
                tags: Tags::default(),
            },
            policy,
            pauses: pauses(policy),
            reply: stream::empty().boxed(),
            started_at: Instant::now(),
            is_emitted: false,
            is_used_up: false,
        };
        std::iter::from_fn(|| attempts.pause_after(error)).map(|pause| pause.as_secs()).collect()
    }

    #[test]
    fn pauses_grow_by_the_factor_up_to_the_number_of_attempts() {
        let overloaded = ModelError::new(ModelFailureKind::Overloaded, "Too much.");
        assert_eq!(pauses_after(POLICY, &overloaded), [1, 3]);
        let more = RetryPolicy { max_attempts: 5, ..POLICY };
        assert_eq!(pauses_after(more, &overloaded), [1, 3, 9, 10]);
        let single = RetryPolicy { max_attempts: 1, ..POLICY };
        assert_eq!(pauses_after(single, &overloaded), [0_u64; 0]);
        let empty = ModelError::new(ModelFailureKind::EmptyReply, "Nothing.");
        assert_eq!(pauses_after(POLICY, &empty), [7, 7]);
    }

    #[test]
    fn long_requested_pauses_and_the_total_time_end_retries() {
        let error = |seconds| {
            let limited = ModelError::new(ModelFailureKind::RateLimit, "Slow down.");
            limited.retry_after(Some(Duration::from_secs(seconds)))
        };
        assert_eq!(pauses_after(POLICY, &error(10)), [10, 10]);
        assert_eq!(pauses_after(POLICY, &error(11)), [0_u64; 0]);
        let brief = RetryPolicy { total_time: Some(Duration::from_secs(2)), ..POLICY };
        assert_eq!(pauses_after(brief, &error(0)), [1]);
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        let invalid = ModelError::new(ModelFailureKind::InvalidRequest, "No.");
        assert_eq!(pauses_after(POLICY, &invalid), [0_u64; 0]);
    }
}
