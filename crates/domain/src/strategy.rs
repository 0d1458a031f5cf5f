//! How an agent works: its iteration strategy, and how a stage judges several agents.
//!
//! A strategy names a loop and a prompt profile. Which one an agent gets is resolved in `config`; what the
//! loops do is in the agent core.

use crate::string_enum::string_enum;

string_enum! {
    /// The way an agent investigates.
    pub enum IterationStrategy {
        /// Thought, action, observation as text; works with every model.
        React = "react",
        /// ReAct that collects and analyses for one stage of a chain.
        ReactStage = "react-stage",
        /// One call, no tools: the final analysis over all earlier stages.
        ReactFinalAnalysis = "react-final-analysis",
        /// The model's own function calling, with its thinking shown.
        NativeThinking = "native-thinking",
        /// One call that merges parallel results.
        Synthesis = "synthesis",
        /// Synthesis by a model that thinks natively.
        SynthesisNativeThinking = "synthesis-native-thinking",
        /// One plain call without tools.
        SingleCall = "single-call",
    }
}

/// The three loops that the strategies share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    /// Text in, text out, tools described in the prompt.
    React,
    /// Tools bound to the model call.
    FunctionCalling,
    /// One call, no tools.
    SingleShot,
}

impl IterationStrategy {
    /// The loop this strategy runs.
    pub const fn loop_kind(self) -> LoopKind {
        match self {
            Self::React | Self::ReactStage => LoopKind::React,
            Self::NativeThinking => LoopKind::FunctionCalling,
            Self::ReactFinalAnalysis | Self::Synthesis | Self::SynthesisNativeThinking | Self::SingleCall => {
                LoopKind::SingleShot
            }
        }
    }

    /// Whether an agent with this strategy may call tools.
    pub fn uses_tools(self) -> bool {
        self.loop_kind() != LoopKind::SingleShot
    }
}

string_enum! {
    /// When a stage of several agents counts as successful.
    pub enum SuccessPolicy {
        /// One success is enough.
        Any = "any",
        /// Every agent must succeed.
        All = "all",
    }
}
