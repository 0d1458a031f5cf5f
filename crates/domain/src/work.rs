//! The status of a piece of work inside a session: a stage, or one agent's execution in it.
//!
//! Both share one set of states, because a stage is nothing but its executions seen together. How the
//! executions' states make the stage's is the engine's rule, not this file's.

use crate::string_enum::string_enum;

string_enum! {
    /// Where a stage or an execution stands.
    pub enum WorkStatus {
        /// Not begun.
        Pending = "pending",
        /// At work.
        Active = "active",
        /// Ended with a result.
        Completed = "completed",
        /// Ended without a result.
        Failed = "failed",
        /// Ended by a time limit.
        TimedOut = "timed_out",
        /// Ended on request.
        Cancelled = "cancelled",
        /// Never begun: its condition did not hold, or the session ended before its turn came.
        Skipped = "skipped",
    }
}

impl WorkStatus {
    /// Whether the work has ended; ended work never moves again.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Pending | Self::Active => false,
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled | Self::Skipped => true,
        }
    }

    /// Whether `self` may become `next`. Work that never began can be cancelled or skipped, not completed.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::Active | Self::Cancelled | Self::Skipped),
            Self::Active => matches!(next, Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled),
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled | Self::Skipped => false,
        }
    }

    /// The states from which work may become `self`, for a store's compare-and-set.
    pub fn predecessors(self) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|from| from.may_become(self)).collect()
    }
}

string_enum! {
    /// What an execution is for.
    pub enum ExecutionKind {
        /// An agent of a stage.
        Agent = "agent",
        /// The synthesis of a stage's parallel results.
        Synthesis = "synthesis",
        /// The executive summary of the session.
        ExecutiveSummary = "executive_summary",
        /// One answer in the chat after the end.
        Chat = "chat",
    }
}

#[cfg(test)]
mod tests {
    use super::WorkStatus::{self, *};

    #[test]
    fn the_legal_moves_are_exactly_these() {
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
    fn predecessors_are_the_moves_read_backwards() {
        assert_eq!(Active.predecessors(), [Pending]);
        assert_eq!(Completed.predecessors(), [Active]);
        assert_eq!(Cancelled.predecessors(), [Pending, Active]);
        assert_eq!(Pending.predecessors(), []);
    }
}
