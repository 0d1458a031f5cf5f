//! The templates there are: one for each profile, and the parts they share.
//!
//! Each is a file under `templates/` that is built into the program, and can be replaced by one of the same name.

use tarsy_domain::IterationStrategy;

use super::input::{PromptInput, Task};

/// A template that stands in for a built-in one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// Which one: `investigation.md.j2`, `parts/alert.md.j2`.
    pub name: String,
    /// Where it was read, for messages.
    pub path: String,
    /// Its text.
    pub source: String,
}

/// How the names of templates end.
pub(crate) const EXTENSION: &str = ".md.j2";

/// A kind of prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Profile {
    Investigation,
    Stage,
    FinalAnalysis,
    Synthesis,
    Chat,
    ExecutiveSummary,
    ToolSummary,
    ForcedConclusion,
}

/// A template that is built in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
}

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        &[$( BuiltIn { name: $name, source: include_str!(concat!("../../templates/", $name)) } ),+]
    };
}

/// Every built-in template: the profiles, then the parts in the order they are read.
pub(crate) const BUILT_IN: &[BuiltIn] = built_in![
    "investigation.md.j2",
    "stage.md.j2",
    "final-analysis.md.j2",
    "synthesis.md.j2",
    "chat.md.j2",
    "executive-summary.md.j2",
    "tool-summary.md.j2",
    "forced-conclusion.md.j2",
    "parts/system.md.j2",
    "parts/general.md.j2",
    "parts/agent.md.j2",
    "parts/servers.md.j2",
    "parts/loop.md.j2",
    "parts/tools.md.j2",
    "parts/react.md.j2",
    "parts/report.md.j2",
    "parts/alert.md.j2",
    "parts/runbook.md.j2",
    "parts/earlier.md.j2",
];

impl Profile {
    pub(crate) const ALL: [Self; 8] = [
        Self::Investigation,
        Self::Stage,
        Self::FinalAnalysis,
        Self::Synthesis,
        Self::Chat,
        Self::ExecutiveSummary,
        Self::ToolSummary,
        Self::ForcedConclusion,
    ];

    /// The profile of a briefing.
    pub(crate) const fn of(briefing: &PromptInput<'_>) -> Self {
        match briefing.task {
            Task::Chat(_) => Self::Chat,
            Task::Stage(_) => Self::of_strategy(briefing.strategy),
        }
    }

    const fn of_strategy(strategy: IterationStrategy) -> Self {
        match strategy {
            IterationStrategy::React | IterationStrategy::NativeThinking | IterationStrategy::SingleCall => {
                Self::Investigation
            }
            IterationStrategy::ReactStage => Self::Stage,
            IterationStrategy::ReactFinalAnalysis => Self::FinalAnalysis,
            IterationStrategy::Synthesis | IterationStrategy::SynthesisNativeThinking => Self::Synthesis,
        }
    }

    /// The name of its template.
    pub(crate) const fn template(self) -> &'static str {
        match self {
            Self::Investigation => "investigation.md.j2",
            Self::Stage => "stage.md.j2",
            Self::FinalAnalysis => "final-analysis.md.j2",
            Self::Synthesis => "synthesis.md.j2",
            Self::Chat => "chat.md.j2",
            Self::ExecutiveSummary => "executive-summary.md.j2",
            Self::ToolSummary => "tool-summary.md.j2",
            Self::ForcedConclusion => "forced-conclusion.md.j2",
        }
    }

    /// Whether an agent begins with it.
    pub(crate) const fn is_opening(self) -> bool {
        match self {
            Self::Investigation | Self::Stage | Self::FinalAnalysis | Self::Synthesis | Self::Chat => true,
            Self::ExecutiveSummary | Self::ToolSummary | Self::ForcedConclusion => false,
        }
    }

    /// The blocks its template must have.
    pub(crate) const fn blocks(self) -> &'static [&'static str] {
        match self {
            Self::Investigation
            | Self::Stage
            | Self::FinalAnalysis
            | Self::Synthesis
            | Self::Chat
            | Self::ExecutiveSummary
            | Self::ToolSummary => &["system", "user"],
            Self::ForcedConclusion => &["user"],
        }
    }
}
