//! The levels of a configuration and their precedence.
//!
//! A `Level` contains the settings of an agent from one part of the configuration; most are not set. Levels
//! are ordered from the lowest to the highest: defaults, agent, chain, stage, stage agent. The highest level
//! that sets a value wins.

use tarsy_domain::{IterationStrategy, PromptProfile};

use crate::Period;
use crate::file::{
    AgentConfig, AgentType, ChainConfig, ChatConfig, Defaults, FallbackProvider, LlmBackend,
    StageAgentConfig, StageConfig, SynthesisConfig,
};

/// The settings of an agent from one level.
#[derive(Debug, Clone, Default)]
pub(super) struct Level<'a> {
    pub(super) strategy: Option<IterationStrategy>,
    pub(super) prompt_profile: Option<PromptProfile>,
    pub(super) backend: Option<LlmBackend>,
    pub(super) provider: Option<&'a str>,
    pub(super) fallback_providers: Option<&'a [FallbackProvider]>,
    pub(super) max_iterations: Option<u32>,
    pub(super) iteration_timeout: Option<Period>,
    pub(super) mcp_servers: Option<&'a [String]>,
    reach: Reach,
}

/// The agents that a level applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reach {
    /// All agents below. Its strategy applies to agents that investigate, not to synthesis and executive
    /// summary.
    #[default]
    General,
    /// All agents of a stage. Its strategy applies to the types of agents that can use it.
    Stage,
    /// All agents below. A chain has no strategy, and its backend implies one only if no other level does.
    Chain,
    /// One agent.
    Agent,
}

/// Returns a setting of the highest level that sets it.
pub(super) fn highest<'a, T>(levels: &[Level<'a>], setting: impl Fn(&Level<'a>) -> Option<T>) -> Option<T> {
    levels.iter().rev().find_map(setting)
}

/// Returns the iteration strategy of an agent.
///
/// A level with a backend and without a strategy implies function calling, because files that set only a
/// backend expect it.
pub(super) fn strategy(levels: &[Level<'_>], agent_type: AgentType) -> IterationStrategy {
    let investigates = match agent_type {
        AgentType::Investigation | AgentType::Scoring | AgentType::Action => true,
        AgentType::Synthesis | AgentType::ExecSummary => false,
    };
    let strategy_of = |level: &Level<'_>| match level.reach {
        Reach::Chain => None,
        Reach::General if !investigates => None,
        Reach::Stage => level.strategy.filter(|strategy| {
            agent_type.stage_strategies().is_none_or(|supported| supported.contains(strategy))
        }),
        Reach::General | Reach::Agent => level.strategy.or(level.backend.map(|_| with_backend(agent_type))),
    };
    let by_backend = || highest(levels, |level| level.backend).map(|_| with_backend(agent_type));
    highest(levels, strategy_of).or_else(by_backend).unwrap_or(match agent_type {
        AgentType::Investigation | AgentType::Scoring | AgentType::Action => IterationStrategy::React,
        AgentType::Synthesis => IterationStrategy::Synthesis,
        AgentType::ExecSummary => IterationStrategy::SingleCall,
    })
}

/// Returns the strategy that a backend implies.
fn with_backend(agent_type: AgentType) -> IterationStrategy {
    match agent_type {
        AgentType::Investigation | AgentType::Scoring | AgentType::Action => {
            IterationStrategy::NativeThinking
        }
        AgentType::Synthesis => IterationStrategy::SynthesisNativeThinking,
        AgentType::ExecSummary => IterationStrategy::SingleCall,
    }
}

impl<'a> Level<'a> {
    pub(super) fn of_servers(servers: &'a [String]) -> Self {
        Self { mcp_servers: Some(servers).filter(|servers| !servers.is_empty()), ..Self::default() }
    }

    pub(super) fn of_provider(provider: Option<&'a str>) -> Self {
        Self { provider, ..Self::default() }
    }

    /// Returns the level without servers, for an agent that does not use the tools of a stage.
    pub(super) fn without_servers(self) -> Self {
        Self { mcp_servers: None, ..self }
    }
}

impl<'a> From<&'a Defaults> for Level<'a> {
    fn from(defaults: &'a Defaults) -> Self {
        Self {
            strategy: defaults.iteration_strategy,
            prompt_profile: defaults.prompt_profile,
            backend: defaults.llm_backend,
            provider: defaults.llm_provider.as_deref(),
            fallback_providers: defaults.fallback_providers.as_deref(),
            max_iterations: defaults.max_iterations,
            iteration_timeout: defaults.iteration_timeout,
            mcp_servers: None,
            reach: Reach::General,
        }
    }
}

impl<'a> From<&'a AgentConfig> for Level<'a> {
    fn from(agent: &'a AgentConfig) -> Self {
        Self {
            strategy: agent.iteration_strategy,
            prompt_profile: agent.prompt_profile,
            backend: agent.llm_backend,
            provider: None,
            fallback_providers: None,
            max_iterations: agent.max_iterations,
            iteration_timeout: agent.iteration_timeout,
            mcp_servers: agent.mcp_servers.as_deref(),
            reach: Reach::Agent,
        }
    }
}

impl<'a> From<&'a ChainConfig> for Level<'a> {
    fn from(chain: &'a ChainConfig) -> Self {
        Self {
            strategy: None,
            prompt_profile: None,
            backend: chain.llm_backend,
            provider: chain.llm_provider.as_deref(),
            fallback_providers: chain.fallback_providers.as_deref(),
            max_iterations: chain.max_iterations,
            iteration_timeout: chain.iteration_timeout,
            mcp_servers: chain.mcp_servers.as_deref(),
            reach: Reach::Chain,
        }
    }
}

impl<'a> From<&'a StageConfig> for Level<'a> {
    fn from(stage: &'a StageConfig) -> Self {
        Self {
            strategy: stage.iteration_strategy,
            prompt_profile: None,
            backend: None,
            provider: stage.llm_provider.as_deref(),
            fallback_providers: stage.fallback_providers.as_deref(),
            max_iterations: stage.max_iterations,
            iteration_timeout: stage.iteration_timeout,
            mcp_servers: stage.mcp_servers.as_deref(),
            reach: Reach::Stage,
        }
    }
}

impl<'a> From<&'a StageAgentConfig> for Level<'a> {
    fn from(agent: &'a StageAgentConfig) -> Self {
        Self {
            strategy: agent.iteration_strategy,
            prompt_profile: agent.prompt_profile,
            backend: agent.llm_backend,
            provider: agent.llm_provider.as_deref(),
            fallback_providers: agent.fallback_providers.as_deref(),
            max_iterations: agent.max_iterations,
            iteration_timeout: agent.iteration_timeout,
            mcp_servers: agent.mcp_servers.as_deref(),
            reach: Reach::Agent,
        }
    }
}

impl<'a> From<&'a SynthesisConfig> for Level<'a> {
    fn from(synthesis: &'a SynthesisConfig) -> Self {
        Self {
            strategy: synthesis.iteration_strategy,
            backend: synthesis.llm_backend,
            provider: synthesis.llm_provider.as_deref(),
            reach: Reach::Agent,
            ..Self::default()
        }
    }
}

impl<'a> From<&'a ChatConfig> for Level<'a> {
    fn from(chat: &'a ChatConfig) -> Self {
        Self {
            strategy: chat.iteration_strategy,
            backend: chat.llm_backend,
            provider: chat.llm_provider.as_deref(),
            max_iterations: chat.max_iterations,
            mcp_servers: chat.mcp_servers.as_deref(),
            reach: Reach::Agent,
            ..Self::default()
        }
    }
}
