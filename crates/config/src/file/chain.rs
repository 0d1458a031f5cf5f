//! The `agent_chains` section: which alerts a chain takes, and what holds for all of its stages.
//!
//! A stage has a file of its own, `stage`. How levels override each other is in
//! `resolve`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::IterationStrategy;

use super::no_effect::NoEffect;
use super::{FallbackProvider, LlmBackend, StageConfig};
use crate::{ANY_ALERT_TYPE, Period};

/// A chain: the alert types it takes and the stages that investigate them, in order.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainConfig {
    /// The alert types this chain takes. Each belongs to one chain only. `*` is every type that no chain names.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub alert_types: Vec<String>,
    /// What the chain does, for people.
    pub description: Option<String>,
    /// The stages, in the order in which they run.
    #[schemars(length(min = 1))]
    pub stages: Vec<StageConfig>,
    /// Must be `true` where this chain replaces a built-in chain or takes an alert type from one.
    #[serde(default)]
    pub r#override: bool,
    /// What happens to the following stages when a stage fails.
    #[serde(default)]
    pub on_stage_failure: OnStageFailure,
    /// Tokens one session of this chain may use in total.
    #[schemars(range(min = 1))]
    pub token_budget: Option<u64>,
    /// Questions about a finished session.
    pub chat: Option<ChatConfig>,
    /// The model provider of every stage.
    pub llm_provider: Option<String>,
    /// How the models of every stage are called.
    pub llm_backend: Option<LlmBackend>,
    /// The model provider of the executive summary.
    pub executive_summary_provider: Option<String>,
    /// Providers to try, in order, when the chosen one fails. An empty list means none.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// Model calls each agent may make.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// How long one iteration may take.
    pub iteration_timeout: Option<Period>,
    /// MCP servers of every stage, in place of those of its agents.
    pub mcp_servers: Option<Vec<String>>,
    /// The rating of finished sessions.
    pub scoring: Option<NoEffect>,
    /// Agents that agents of this chain may direct.
    pub sub_agents: Option<NoEffect>,
}

impl ChainConfig {
    /// The alert types this chain takes by their names.
    pub fn named_alert_types(&self) -> impl Iterator<Item = &str> {
        self.alert_types.iter().map(String::as_str).filter(|alert_type| *alert_type != ANY_ALERT_TYPE)
    }
}

/// What happens to the following stages when a stage fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnStageFailure {
    /// The failure is recorded and the next stage runs.
    #[default]
    Continue,
    /// The remaining stages are skipped.
    Stop,
}

/// Questions about a finished session.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatConfig {
    /// Whether sessions of this chain can be asked questions.
    pub enabled: bool,
    /// The agent that answers. Without it: `ChatAgent`.
    pub agent: Option<String>,
    /// How the agent works.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How its model is called.
    pub llm_backend: Option<LlmBackend>,
    /// Its model provider.
    pub llm_provider: Option<String>,
    /// MCP servers whose tools it may call. Without it: those of the stages.
    pub mcp_servers: Option<Vec<String>>,
    /// Model calls it may make for one answer.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
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
        }
    }
}
