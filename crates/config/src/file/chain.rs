//! The `agent_chains` section: the alert types of a chain and the settings of all its stages.
//!
//! Stages are in `stage`. `resolve` defines how settings of different levels override each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::IterationStrategy;

use super::sub_agent::sub_agents;
use super::{FallbackProvider, LlmBackend, ScoringConfig, StageConfig, SubAgentConfig};
use crate::{ANY_ALERT_TYPE, Period};

/// A chain: the alert types it handles and the stages that investigate them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainConfig {
    /// Alert types that this chain handles. An alert type can belong to one chain only. `*` matches every type that no chain lists.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub alert_types: Vec<String>,
    /// Description of the chain, shown to people only.
    pub description: Option<String>,
    /// Stages, in the order in which they run.
    #[schemars(length(min = 1))]
    pub stages: Vec<StageConfig>,
    /// Must be `true` if this chain replaces a built-in chain or takes over an alert type of one.
    #[serde(default)]
    pub r#override: bool,
    /// Whether the remaining stages run after a stage fails.
    #[serde(default)]
    pub on_stage_failure: OnStageFailure,
    /// Maximum number of tokens of one session. Default: `defaults.token_budget`.
    #[schemars(range(min = 1))]
    pub token_budget: Option<u64>,
    /// Chat about a finished session.
    pub chat: Option<ChatConfig>,
    /// Model provider of all stages.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How the models of all stages are called.
    pub llm_backend: Option<LlmBackend>,
    /// Model provider of the executive summary.
    #[schemars(length(min = 1))]
    pub executive_summary_provider: Option<String>,
    /// Providers that are tried, in order, when the selected one fails. An empty list disables fallback.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// Maximum number of model calls of each agent.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Time limit of the model call of an iteration, with its retries. Tool calls have their own timeouts.
    pub iteration_timeout: Option<Period>,
    /// MCP servers of all stages. Replaces the servers of their agents.
    pub mcp_servers: Option<Vec<String>>,
    /// Scoring of finished sessions.
    #[schemars(extend("x-no-effect" = true))]
    pub scoring: Option<ScoringConfig>,
    /// Agents that agents of this chain can direct.
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgentConfig>>,
    /// Skills agents of this chain can load, in addition to their own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub skills: Option<Vec<String>>,
    /// Skills agents of this chain always have, in addition to their own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub required_skills: Option<Vec<String>>,
}

impl ChainConfig {
    /// Returns the alert types that this chain lists by name, without `*`.
    pub fn named_alert_types(&self) -> impl Iterator<Item = &str> {
        self.alert_types.iter().map(String::as_str).filter(|alert_type| *alert_type != ANY_ALERT_TYPE)
    }
}

/// What happens after a stage fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnStageFailure {
    /// Records the failure and runs the next stage.
    #[default]
    Continue,
    /// Skips the remaining stages.
    Stop,
}

/// Chat about a finished session.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatConfig {
    /// Enables chat for sessions of this chain.
    pub enabled: bool,
    /// Agent that replies. Default: `ChatAgent`.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// Iteration strategy of the agent.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How the model is called.
    pub llm_backend: Option<LlmBackend>,
    /// Model provider of the agent.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// MCP servers whose tools the agent can call. Default: the servers of all stages.
    pub mcp_servers: Option<Vec<String>>,
    /// Maximum number of model calls for one reply.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Agents that the agent can direct.
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgentConfig>>,
    /// Skills the agent can load, in addition to its own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub skills: Option<Vec<String>>,
    /// Skills the agent always has, in addition to its own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub required_skills: Option<Vec<String>>,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            agent: None,
            iteration_strategy: None,
            llm_backend: None,
            llm_provider: None,
            mcp_servers: None,
            max_iterations: None,
            sub_agents: None,
            skills: None,
            required_skills: None,
        }
    }
}
