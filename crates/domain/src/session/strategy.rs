//! Iteration strategies and prompt profiles of agents, and success policies of stages.
//!
//! A strategy is a loop with a prompt profile. The `config` crate resolves which one an agent gets; the agent
//! core implements the loops.

use crate::string_enum::string_enum;

string_enum! {
    /// How an agent investigates.
    pub enum IterationStrategy {
        /// Thought, action and observation as text; works with every model.
        React = "react",
        /// ReAct for one stage of a chain: collects data and analyzes it.
        ReactStage = "react-stage",
        /// One call without tools: the final analysis of all earlier stages.
        ReactFinalAnalysis = "react-final-analysis",
        /// The provider's function calling, with visible thinking.
        NativeThinking = "native-thinking",
        /// One call that merges parallel results.
        Synthesis = "synthesis",
        /// Synthesis with native thinking.
        SynthesisNativeThinking = "synthesis-native-thinking",
        /// One call without tools.
        SingleCall = "single-call",
    }
}

/// The agent loop of a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    /// Text in, text out; tools are described in the prompt.
    React,
    /// Tools are passed to the provider with the request.
    FunctionCalling,
    /// One call without tools.
    SingleShot,
}

impl IterationStrategy {
    /// Returns the loop of this strategy.
    pub const fn loop_kind(self) -> LoopKind {
        match self {
            Self::React | Self::ReactStage => LoopKind::React,
            Self::NativeThinking => LoopKind::FunctionCalling,
            Self::ReactFinalAnalysis | Self::Synthesis | Self::SynthesisNativeThinking | Self::SingleCall => {
                LoopKind::SingleShot
            }
        }
    }

    /// Returns whether an agent with this strategy may call tools.
    pub fn uses_tools(self) -> bool {
        self.loop_kind() != LoopKind::SingleShot
    }
}

string_enum! {
    /// How much the instructions of an agent explain.
    #[derive(Default)]
    pub enum PromptProfile {
        /// Complete instructions, and every tool with its parameters and their descriptions.
        #[default]
        Full = "full",
        /// Short instructions and short tool descriptions, for models with a small context window.
        Compact = "compact",
    }
}

string_enum! {
    /// When a stage with several agents succeeds.
    pub enum SuccessPolicy {
        /// At least one agent must succeed.
        Any = "any",
        /// Every agent must succeed.
        All = "all",
    }
}
