//! The status of stages and executions, with the allowed transitions.
//!
//! Both share one set of states. The engine derives the status of a stage from its executions.

use crate::string_enum::string_enum;

string_enum! {
    /// The status of a stage or an execution.
    pub enum WorkStatus {
        /// Not started.
        Pending = "pending",
        /// Running.
        Active = "active",
        /// Ended with a result.
        Completed = "completed",
        /// Ended without a result.
        Failed = "failed",
        /// Exceeded a time limit.
        TimedOut = "timed_out",
        /// Cancelled on request.
        Cancelled = "cancelled",
        /// Never started: its condition was false, or the session ended first.
        Skipped = "skipped",
    }
}

impl WorkStatus {
    /// Returns whether the status is final.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Pending | Self::Active => false,
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled | Self::Skipped => true,
        }
    }

    /// Returns whether `self` may become `next`. Work that never started can be cancelled or skipped, but not completed.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::Active | Self::Cancelled | Self::Skipped),
            Self::Active => matches!(next, Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled),
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled | Self::Skipped => false,
        }
    }

    /// Returns the states from which `self` can be reached, for a compare-and-set in the store.
    pub fn predecessors(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|from| from.may_become(self)).collect()
    }
}

string_enum! {
    /// The purpose of an execution.
    pub enum ExecutionKind {
        /// An agent of a stage.
        Agent = "agent",
        /// The synthesis of a stage's parallel results.
        Synthesis = "synthesis",
        /// The executive summary of the session.
        ExecutiveSummary = "executive_summary",
        /// One reply in the chat about a finished session.
        Chat = "chat",
    }
}

#[cfg(test)]
mod tests {
    use super::WorkStatus::{self, *};

    #[test]
    fn allows_exactly_these_transitions() {
        let moves = |from: WorkStatus| -> Vec<WorkStatus> {
            WorkStatus::ALL.iter().copied().filter(|to| from.may_become(*to)).collect()
        };

        assert_eq!(moves(Pending), [Active, Cancelled, Skipped]);
        assert_eq!(moves(Active), [Completed, Failed, TimedOut, Cancelled]);
        for end in WorkStatus::ALL.iter().filter(|status| status.is_terminal()) {
            assert_eq!(moves(*end), []);
        }
    }

    #[test]
    fn predecessors_are_the_inverse_of_the_transitions() {
        assert_eq!(Active.predecessors(), [Pending]);
        assert_eq!(Completed.predecessors(), [Active]);
        assert_eq!(Cancelled.predecessors(), [Pending, Active]);
        assert_eq!(Pending.predecessors(), []);
    }
}
