//! A session's status and its legal moves.
//!
//! The store turns each move into a compare-and-set; this file says which moves there are. It does not know
//! who makes them or when.

use crate::string_enum::string_enum;

string_enum! {
    /// Where an investigation stands.
    pub enum SessionStatus {
        /// Accepted and waiting for a worker.
        Pending = "pending",
        /// A worker holds it, or held it and died: the lease tells.
        InProgress = "in_progress",
        /// Somebody asked to stop it and its worker has not yet done so.
        Cancelling = "cancelling",
        /// Every stage that ran succeeded.
        Completed = "completed",
        /// It has a result, and at least one stage failed on the way.
        CompletedWithErrors = "completed_with_errors",
        /// No stage succeeded, or the session could not be gone on with.
        Failed = "failed",
        /// The session's time ran out.
        TimedOut = "timed_out",
        /// It was stopped on request.
        Cancelled = "cancelled",
    }
}

impl SessionStatus {
    /// Whether the session has ended; an ended session never moves again.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Pending | Self::InProgress | Self::Cancelling => false,
            Self::Completed | Self::CompletedWithErrors | Self::Failed | Self::TimedOut | Self::Cancelled => {
                true
            }
        }
    }

    /// Whether `self` may become `next`.
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
    fn the_legal_moves_are_exactly_these() {
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
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "done".parse::<SessionStatus>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown SessionStatus `done`, expected one of: pending, in_progress, cancelling, completed, \
             completed_with_errors, failed, timed_out, cancelled"
        );
    }
}
