//! Model calls that went wrong, counted until one goes right.

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
pub(super) struct Trouble {
    failures: u32,
    timeouts: u32,
    empty_replies: u32,
    /// Why the last model call gave nothing, if it did.
    pub(super) last: Option<String>,
}

impl Trouble {
    /// A model call failed.
    pub(super) fn failed(&mut self, failure: &ModelFailure) {
        self.failures += 1;
        self.empty_replies = 0;
        self.timeouts = if failure.kind == ModelFailureKind::Timeout { self.timeouts + 1 } else { 0 };
        self.last = Some(failure.message.clone());
    }

    /// A reply held nothing.
    pub(super) fn replied_nothing(&mut self) {
        self.timeouts = 0;
        self.empty_replies += 1;
        self.last = Some("the reply was empty".to_owned());
    }

    /// A reply held something.
    pub(super) fn replied(&mut self) {
        *self = Self::default();
    }

    /// Every tool that was asked for ran out of time. It is one timeout, however many tools there were.
    pub(super) fn tools_timed_out(&mut self) {
        self.timeouts += 1;
    }

    /// Whether it is useless to go on waiting.
    pub(super) fn too_many_timeouts(&self) -> bool {
        self.timeouts >= TIMEOUTS_TO_END
    }

    /// Whether it is useless to go on asking.
    pub(super) fn too_many_empty_replies(&self) -> bool {
        self.empty_replies >= EMPTY_REPLIES_TO_END
    }

    /// How long to wait before the next call: twice as long after each failure.
    pub(super) fn pause(&self) -> Duration {
        match self.failures.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => {
                FIRST_PAUSE.saturating_mul(1u32.checked_shl(doublings).unwrap_or(u32::MAX)).min(LONGEST_PAUSE)
            }
        }
    }
}
