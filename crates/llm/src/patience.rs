//! How long an answer is waited for.
//!
//! Before a reply begins, vendors say that they work on it: OpenAI once, Anthropic every few seconds; so may a model
//! service. None of that is a reply, so until its first part the whole wait counts, whatever arrives. After it only the silence counts.

use tarsy_domain::ModelFailureKind;
use tokio::time::{Instant, timeout_at};

use crate::{ModelError, Timeouts};

/// The patience with one answer.
pub(crate) struct Patience {
    timeouts: Timeouts,
    sent: Instant,
    /// When something arrived last, once the reply has begun.
    heard: Option<Instant>,
}

/// What came to its end.
#[derive(Clone, Copy)]
enum Limit {
    FirstChunk,
    Stall,
    Total,
}

impl Patience {
    /// A request is being sent.
    pub(crate) fn begin(timeouts: Timeouts) -> Self {
        Self { timeouts, sent: Instant::now(), heard: None }
    }

    /// A part of the reply has arrived, or anything at all after one.
    pub(crate) fn renew(&mut self) {
        self.heard = Some(Instant::now());
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.heard.is_some()
    }

    /// Waits for what comes next.
    pub(crate) async fn wait<T>(&self, next: impl Future<Output = T>) -> Result<T, ModelError> {
        let (deadline, limit) = self.deadline();
        // A server that never pauses would always be heard before the clock is looked at. Silence is another matter:
        // what has arrived while nobody asked for it was in time.
        let is_over = Instant::now() >= deadline;
        match limit {
            Limit::FirstChunk | Limit::Total if is_over => Err(self.exhausted(limit)),
            Limit::FirstChunk | Limit::Total | Limit::Stall => {
                timeout_at(deadline, next).await.map_err(|_| self.exhausted(limit))
            }
        }
    }

    fn deadline(&self) -> (Instant, Limit) {
        let end = self.sent + self.timeouts.total;
        let (next, limit) = match self.heard {
            None => (self.sent + self.timeouts.first_chunk, Limit::FirstChunk),
            Some(heard) => (heard + self.timeouts.stall, Limit::Stall),
        };
        if end < next { (end, Limit::Total) } else { (next, limit) }
    }

    fn exhausted(&self, limit: Limit) -> ModelError {
        let Timeouts { first_chunk, stall, total, .. } = self.timeouts;
        let message = match limit {
            Limit::FirstChunk => format!("no reply began within {} s", first_chunk.as_secs_f64()),
            Limit::Stall => format!("the reply paused for more than {} s", stall.as_secs_f64()),
            Limit::Total => format!("the reply took longer than {} s", total.as_secs_f64()),
        };
        ModelError::new(ModelFailureKind::Timeout, message)
    }
}
