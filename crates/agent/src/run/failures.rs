//! Counts consecutive failures of model calls and tools, until a call of the same kind succeeds.

use std::time::Duration;

use tarsy_domain::{ModelFailure, ModelFailureKind};

/// Number of consecutive timeouts that end a run.
const TIMEOUTS_TO_END: u32 = 2;
/// Number of consecutive empty replies that end a run.
const EMPTY_REPLIES_TO_END: u32 = 3;
/// Pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// Longest pause, unless the provider requests a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The current streak of failures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FailureStreak {
    model: ModelFailures,
    /// Number of consecutive turns in which every tool timed out. It is independent of the model: a reply in
    /// time does not show that a tool has recovered.
    tool_timeouts: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ModelFailures {
    failures: u32,
    timeouts: u32,
    empty_replies: u32,
    /// Message of the last call, if it failed.
    last: Option<String>,
    /// The pause that the provider requested after the last call.
    requested_pause: Option<Duration>,
}

impl FailureStreak {
    /// Counts a failed model call.
    pub(super) fn failed(&mut self, failure: &ModelFailure) {
        let timed_out = failure.kind == ModelFailureKind::Timeout;
        self.model = ModelFailures {
            failures: self.model.failures.saturating_add(1),
            timeouts: if timed_out { self.model.timeouts + 1 } else { 0 },
            empty_replies: 0,
            last: Some(failure.message.clone()),
            requested_pause: failure.retry_after_ms.map(Duration::from_millis),
        };
    }

    /// Notes that the pause before the last call is over, although that call failed for a reason that needs none.
    pub(super) fn waited(&mut self) {
        self.model.requested_pause = None;
    }

    /// Counts an empty reply.
    pub(super) fn replied_nothing(&mut self) {
        self.model.timeouts = 0;
        self.model.empty_replies += 1;
        self.model.requested_pause = None;
        self.model.last = Some("the reply was empty".to_owned());
    }

    /// Resets the failures of the model after a reply with content.
    pub(super) fn replied(&mut self) {
        self.model = ModelFailures::default();
    }

    /// Counts a finished turn; the tools of one turn count as at most one timeout.
    pub(super) fn acted(&mut self, only_timeouts: bool) {
        self.tool_timeouts = if only_timeouts { self.tool_timeouts + 1 } else { 0 };
    }

    /// Returns whether the run must end because of timeouts.
    pub(super) fn too_many_timeouts(&self) -> bool {
        self.model.timeouts.max(self.tool_timeouts) >= TIMEOUTS_TO_END
    }

    /// Returns whether the run must end because of empty replies.
    pub(super) fn too_many_empty_replies(&self) -> bool {
        self.model.empty_replies >= EMPTY_REPLIES_TO_END
    }

    /// Returns the message of the last model call, if it failed.
    pub(super) fn last_failure(&self) -> Option<&str> {
        self.model.last.as_deref()
    }

    /// Returns the number of consecutive failed model calls.
    pub(super) fn failed_calls(&self) -> u32 {
        self.model.failures
    }

    /// Returns the pause before the next call: it doubles with each failure, and is at least what the
    /// provider requests.
    pub(super) fn pause(&self) -> Duration {
        let Some(doublings) = self.model.failures.checked_sub(1) else { return Duration::ZERO };
        let factor = 1u32.checked_shl(doublings).unwrap_or(u32::MAX);
        let pause = FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE);
        pause.max(self.model.requested_pause.unwrap_or_default())
    }
}
