//! The levels of a configuration, and how a higher one overrides a lower.
//!
//! A `Level` is what one place says about how an agent works; most say little. Levels are always given from
//! the lowest to the highest: defaults, agent, chain, stage, stage agent. For each setting the last level
//! that says something wins.

use tarsy_domain::IterationStrategy;

use crate::Period;
use crate::file::{
    AgentConfig, AgentType, ChainConfig, ChatConfig, Defaults, FallbackProvider, LlmBackend,
    StageAgentConfig, StageConfig, SynthesisConfig,
};

/// What one place says about how an agent works.
#[derive(Debug, Clone, Default)]
pub(super) struct Level<'a> {
    pub(super) strategy: Option<IterationStrategy>,
    pub(super) backend: Option<LlmBackend>,
    pub(super) provider: Option<&'a str>,
    pub(super) fallback_providers: Option<&'a [FallbackProvider]>,
    pub(super) max_iterations: Option<u32>,
    pub(super) iteration_timeout: Option<Period>,
    pub(super) mcp_servers: Option<&'a [String]>,
    reach: Reach,
}

/// Whom a level speaks about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reach {
    /// Everybody below; its strategy is for agents that investigate, not for synthesis or the executive
    /// summary.
    #[default]
    General,
    /// Everybody below, and it has no strategy to name: a chain's backend implies one only where nothing else
    /// does.
    Chain,
    /// This agent.
    Agent,
}

/// What the last level that says something says.
pub(super) fn last<'a, T>(levels: &[Level<'a>], setting: impl Fn(&Level<'a>) -> Option<T>) -> Option<T> {
    levels.iter().rev().find_map(setting)
}

/// How an agent of a type works.
///
/// A level that gives a backend and no strategy means function calling, because that is how files without
/// strategies work.
pub(super) fn strategy(levels: &[Level<'_>], agent_type: AgentType) -> IterationStrategy {
    let investigates = match agent_type {
        AgentType::Investigation | AgentType::Scoring | AgentType::Action => true,
        AgentType::Synthesis | AgentType::ExecSummary => false,
    };
    let says = |level: &Level<'_>| match level.reach {
        Reach::Chain => None,
        Reach::General if !investigates => None,
        Reach::General | Reach::Agent => level.strategy.or(level.backend.map(|_| with_backend(agent_type))),
    };
    let by_backend = || last(levels, |level| level.backend).map(|_| with_backend(agent_type));
    last(levels, says).or_else(by_backend).unwrap_or(match agent_type {
        AgentType::Investigation | AgentType::Scoring | AgentType::Action => IterationStrategy::React,
        AgentType::Synthesis => IterationStrategy::Synthesis,
        AgentType::ExecSummary => IterationStrategy::SingleCall,
    })
}

/// The strategy that a backend alone implies.
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

    /// The same level for an agent that has no use for the tools of a stage.
    pub(super) fn without_servers(self) -> Self {
        Self { mcp_servers: None, ..self }
    }
}

impl<'a> From<&'a Defaults> for Level<'a> {
    fn from(defaults: &'a Defaults) -> Self {
        Self {
            strategy: defaults.iteration_strategy,
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
            backend: None,
            provider: stage.llm_provider.as_deref(),
            fallback_providers: stage.fallback_providers.as_deref(),
            max_iterations: stage.max_iterations,
            iteration_timeout: stage.iteration_timeout,
            mcp_servers: stage.mcp_servers.as_deref(),
            reach: Reach::General,
        }
    }
}

impl<'a> From<&'a StageAgentConfig> for Level<'a> {
    fn from(agent: &'a StageAgentConfig) -> Self {
        Self {
            strategy: agent.iteration_strategy,
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
