//! The outcome of a run.

use tarsy_domain::ModelFailureKind;

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run ended with an analysis.
    Completed {
        /// Text of the analysis.
        analysis: String,
        /// Why the agent concluded.
        conclusion: ConclusionCause,
    },
    /// The run ended without an analysis.
    Failed {
        /// Error message for people.
        error: String,
        /// Cause for programs.
        cause: FailureCause,
        /// Last text of the model.
        partial: Option<String>,
    },
}

/// Why an agent concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConclusionCause {
    /// The agent reached its conclusion.
    Reached,
    /// The iteration limit was reached, or the agent learned nothing new for several turns, and the agent was forced to
    /// conclude.
    Forced,
    /// The token budget was used up; the analysis is the last text of the model, labeled as partial.
    BudgetSpent,
    /// The output limit of the model was reached; the analysis is incomplete and says so in its last line.
    CutOff,
}

impl ConclusionCause {
    /// Returns the value that is recorded.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Forced => "forced",
            Self::BudgetSpent => "budget_spent",
            Self::CutOff => "cut_off",
        }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCause {
    /// Two consecutive calls timed out.
    Timeouts,
    /// The iteration limit was reached without a conclusion.
    IterationLimit,
    /// The token budget was used up before the model wrote any text.
    BudgetSpent,
    /// The provider failed, and a retry would not succeed or did not succeed.
    Model(ModelFailureKind),
}
