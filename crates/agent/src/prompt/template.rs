//! The built-in templates: one per profile, and the parts they share.
//!
//! Each is a file under `templates/` that is embedded in the binary and can be overridden by a file of the
//! same name.

use tarsy_domain::IterationStrategy;

use super::input::{PromptInput, Task};

/// A template: built in, or an override of a built-in one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// Name, such as `investigation.md.j2` or `parts/alert.md.j2`.
    pub name: String,
    /// Path of the file, for messages.
    pub path: String,
    /// Text of the template.
    pub source: String,
}

/// Extension of template names.
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

/// An embedded template.
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

/// All built-in templates: the profiles, then the parts in the order of their use.
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
    "parts/stage-report.md.j2",
    "parts/alert.md.j2",
    "parts/runbook.md.j2",
    "parts/earlier.md.j2",
    "parts/first-move.md.j2",
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

    /// Returns the profile of an input.
    pub(crate) const fn of(input: &PromptInput<'_>) -> Self {
        match input.task {
            Task::Chat(_) => Self::Chat,
            Task::Stage(_) => Self::of_strategy(input.strategy),
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

    /// Returns the name of its template.
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

    /// Returns whether it opens the conversation of an agent.
    pub(crate) const fn is_opening(self) -> bool {
        match self {
            Self::Investigation | Self::Stage | Self::FinalAnalysis | Self::Synthesis | Self::Chat => true,
            Self::ExecutiveSummary | Self::ToolSummary | Self::ForcedConclusion => false,
        }
    }

    /// Returns the blocks that its template must have.
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
