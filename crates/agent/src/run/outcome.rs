//! How a run ended.

use tarsy_domain::ModelFailureKind;

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// There is an analysis.
    Completed {
        /// Its text.
        analysis: String,
        /// What made the agent conclude.
        conclusion: ConclusionCause,
    },
    /// There is none.
    Failed {
        /// Why, for people.
        error: String,
        /// Why, for programs.
        cause: FailureCause,
        /// The last thing the model had to say, if it said anything.
        partial: Option<String>,
    },
}

/// What made an agent conclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConclusionCause {
    /// It had its answer.
    Reached,
    /// Its iterations were used up, and it was asked for the best it could say.
    Forced,
    /// Its tokens were used up; the text is the last it said, and is labelled so.
    BudgetSpent,
}

impl ConclusionCause {
    /// The word for it in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Forced => "forced",
            Self::BudgetSpent => "budget_spent",
        }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCause {
    /// Two calls in a row got no answer in time.
    Timeouts,
    /// The iterations were used up, and no conclusion came of it.
    IterationLimit,
    /// The tokens were used up before anything was said.
    BudgetSpent,
    /// The model's provider failed, and asking again cannot help.
    Model(ModelFailureKind),
}
