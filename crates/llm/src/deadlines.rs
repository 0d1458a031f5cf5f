//! The deadlines of one model call.
//!
//! Before a reply starts, vendors and model services send keep-alive events: OpenAI once, Anthropic every few
//! seconds. They are not part of the reply: the first-chunk timeout starts with the request and ends with the
//! first part. After that, every event restarts the stall timeout, keep-alive events included. The total
//! timeout applies throughout.

use tarsy_domain::ModelFailureKind;
use tokio::time::{Instant, timeout_at};

use crate::{ModelError, Timeouts};

/// The deadlines of one call.
pub(crate) struct CallDeadlines {
    timeouts: Timeouts,
    sent_at: Instant,
    /// When the last event arrived, once the reply has started.
    last_event_at: Option<Instant>,
}

/// The timeout that a deadline belongs to.
#[derive(Clone, Copy)]
enum DeadlineKind {
    FirstChunk,
    Stall,
    Total,
}

impl CallDeadlines {
    /// Starts the clock; call it when the request is sent.
    pub(crate) fn start(timeouts: Timeouts) -> Self {
        Self { timeouts, sent_at: Instant::now(), last_event_at: None }
    }

    /// Records that a part of the reply has arrived, or any event after one.
    pub(crate) fn renew(&mut self) {
        self.last_event_at = Some(Instant::now());
    }

    /// Returns whether the reply has started.
    pub(crate) fn has_started(&self) -> bool {
        self.last_event_at.is_some()
    }

    /// Waits for `next` until the next deadline.
    pub(crate) async fn wait<T>(&self, next: impl Future<Output = T>) -> Result<T, ModelError> {
        let (deadline, kind) = self.next_deadline();
        // `timeout_at` polls the future before the clock, so a server that never pauses would never time out.
        // A stall is different: an event that arrived while the caller did not poll arrived in time.
        let is_over = Instant::now() >= deadline;
        match kind {
            DeadlineKind::FirstChunk | DeadlineKind::Total if is_over => Err(self.exceeded(kind)),
            DeadlineKind::FirstChunk | DeadlineKind::Total | DeadlineKind::Stall => {
                timeout_at(deadline, next).await.map_err(|_| self.exceeded(kind))
            }
        }
    }

    fn next_deadline(&self) -> (Instant, DeadlineKind) {
        let end = self.sent_at + self.timeouts.total;
        let (next, kind) = match self.last_event_at {
            None => (self.sent_at + self.timeouts.first_chunk, DeadlineKind::FirstChunk),
            Some(last) => (last + self.timeouts.stall, DeadlineKind::Stall),
        };
        if end < next { (end, DeadlineKind::Total) } else { (next, kind) }
    }

    fn exceeded(&self, kind: DeadlineKind) -> ModelError {
        let Timeouts { first_chunk, stall, total, .. } = self.timeouts;
        let message = match kind {
            DeadlineKind::FirstChunk => format!("no reply began within {} s", first_chunk.as_secs_f64()),
            DeadlineKind::Stall => format!("the reply paused for more than {} s", stall.as_secs_f64()),
            DeadlineKind::Total => format!("the reply took longer than {} s", total.as_secs_f64()),
        };
        ModelError::new(ModelFailureKind::Timeout, message)
    }
}
