//! The status of a session, with the allowed transitions.
//!
//! The store enforces the transitions with a compare-and-set.

pub(crate) mod alert_fields;
pub(crate) mod condition;
pub(crate) mod firing;
pub(crate) mod mcp_selection;
pub(crate) mod strategy;
pub(crate) mod timeline;
pub(crate) mod work;

use crate::string_enum::string_enum;

string_enum! {
    /// The status of a session.
    pub enum SessionStatus {
        /// Queued: waiting for a worker.
        Pending = "pending",
        /// Claimed by a worker. The worker may have died; its lease then expires.
        InProgress = "in_progress",
        /// Cancellation was requested and the worker has not stopped yet.
        Cancelling = "cancelling",
        /// Every stage that ran succeeded.
        Completed = "completed",
        /// The session has a result, but at least one stage failed.
        CompletedWithErrors = "completed_with_errors",
        /// No stage succeeded, or the session could not be resumed.
        Failed = "failed",
        /// The session exceeded its time limit.
        TimedOut = "timed_out",
        /// The session was cancelled on request.
        Cancelled = "cancelled",
    }
}

impl SessionStatus {
    /// Returns whether the status is final.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Pending | Self::InProgress | Self::Cancelling => false,
            Self::Completed | Self::CompletedWithErrors | Self::Failed | Self::TimedOut | Self::Cancelled => {
                true
            }
        }
    }

    /// Returns whether a session may move from `self` to `next`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::InProgress | Self::Cancelled),
            Self::InProgress => matches!(next, Self::Cancelling) || next.is_terminal(),
            Self::Cancelling => next.is_terminal(),
            Self::Completed | Self::CompletedWithErrors | Self::Failed | Self::TimedOut | Self::Cancelled => {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SessionStatus::{self, *};

    #[test]
    fn allows_exactly_these_transitions() {
        let moves = |from: SessionStatus| -> Vec<SessionStatus> {
            SessionStatus::ALL.iter().copied().filter(|to| from.may_become(*to)).collect()
        };
        let ends = [Completed, CompletedWithErrors, Failed, TimedOut, Cancelled];

        assert_eq!(moves(Pending), [InProgress, Cancelled]);
        assert_eq!(moves(InProgress), [&[Cancelling][..], &ends].concat());
        assert_eq!(moves(Cancelling), ends);
        for end in ends {
            assert_eq!(moves(end), []);
        }
    }

    #[test]
    fn an_unknown_status_is_reported_with_the_known_ones() {
        let error = "done".parse::<SessionStatus>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown SessionStatus `done`, expected one of: pending, in_progress, cancelling, completed, \
             completed_with_errors, failed, timed_out, cancelled"
        );
    }
}
