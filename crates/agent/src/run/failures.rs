//! Calls that went wrong, counted until one of their kind goes right.

use std::time::Duration;

use tarsy_domain::{ModelFailure, ModelFailureKind};

/// Timeouts in a row that end a run.
const TIMEOUTS_TO_END: u32 = 2;
/// Empty replies in a row that end a run: the first, and two more after asking again.
const EMPTY_REPLIES_TO_END: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What has gone wrong in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FailureStreak {
    model: ModelFailures,
    /// Turns in a row in which every tool ran out of time. Tools and the model are counted apart: a reply that
    /// comes in time says nothing about a tool that does not.
    tool_timeouts: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ModelFailures {
    failures: u32,
    timeouts: u32,
    empty_replies: u32,
    /// Why the last call gave nothing, if it did.
    last: Option<String>,
}

impl FailureStreak {
    /// A model call failed.
    pub(super) fn failed(&mut self, failure: &ModelFailure) {
        let timed_out = failure.kind == ModelFailureKind::Timeout;
        self.model = ModelFailures {
            failures: self.model.failures.saturating_add(1),
            timeouts: if timed_out { self.model.timeouts + 1 } else { 0 },
            empty_replies: 0,
            last: Some(failure.message.clone()),
        };
    }

    /// A reply held nothing.
    pub(super) fn replied_nothing(&mut self) {
        self.model.timeouts = 0;
        self.model.empty_replies += 1;
        self.model.last = Some("the reply was empty".to_owned());
    }

    /// A reply held something.
    pub(super) fn replied(&mut self) {
        self.model = ModelFailures::default();
    }

    /// A turn's tools came to their end; however many there were, they are one timeout at most.
    pub(super) fn acted(&mut self, only_timeouts: bool) {
        self.tool_timeouts = if only_timeouts { self.tool_timeouts + 1 } else { 0 };
    }

    /// Whether it is useless to go on waiting.
    pub(super) fn too_many_timeouts(&self) -> bool {
        self.model.timeouts.max(self.tool_timeouts) >= TIMEOUTS_TO_END
    }

    /// Whether it is useless to go on asking.
    pub(super) fn too_many_empty_replies(&self) -> bool {
        self.model.empty_replies >= EMPTY_REPLIES_TO_END
    }

    /// Why the last model call gave nothing, if it did.
    pub(super) fn last_failure(&self) -> Option<&str> {
        self.model.last.as_deref()
    }

    /// How long to wait before the next call: twice as long after each failure.
    pub(super) fn pause(&self) -> Duration {
        match self.model.failures.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => {
                FIRST_PAUSE.saturating_mul(1u32.checked_shl(doublings).unwrap_or(u32::MAX)).min(LONGEST_PAUSE)
            }
        }
    }
}
