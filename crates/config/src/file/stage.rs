//! A stage of a chain: its agents, its condition and its settings.
//!
//! A rule, not the schema, checks that exactly one of `agent` and `agents` is set: editors report a violated
//! `oneOf` poorly.

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_domain::{IterationStrategy, PromptProfile, SuccessPolicy};

use super::sub_agent::sub_agents;
use super::{AgentType, FallbackProvider, LlmBackend, OrchestratorConfig, SubAgentConfig};
use crate::Period;

/// A stage: one agent, or several in parallel.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageConfig {
    /// Name of the stage, unique in its chain.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Agent of a stage with a single agent.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// Agents that run in parallel, each with its own settings.
    #[schemars(length(min = 1))]
    pub agents: Option<Vec<StageAgentConfig>>,
    /// Number of parallel runs of `agent`, or of the only entry of `agents`. 0 means 1.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: Option<u32>,
    /// Condition under which the stage runs, e.g. `stages.triage.status == "completed" and severity == "critical"`.
    #[schemars(extend("format" = "condition"))]
    pub when: Option<String>,
    /// Timeout of the stage.
    pub timeout: Option<Period>,
    /// When a stage with several agents succeeds.
    #[schemars(extend("x-alias" = ["failure_policy"]))]
    pub success_policy: Option<SuccessPolicy>,
    /// Iteration strategy of the agents of this stage.
    pub iteration_strategy: Option<IterationStrategy>,
    /// Model provider of this stage.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// Maximum number of model calls of each agent.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Time limit of the model call of an iteration, with its retries. Tool calls have their own timeouts.
    pub iteration_timeout: Option<Period>,
    /// MCP servers of this stage. Replaces the servers of its agents.
    pub mcp_servers: Option<Vec<String>>,
    /// Providers that are tried, in order, when the selected one fails. An empty list disables fallback.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// Agent that merges the results of parallel agents.
    pub synthesis: Option<SynthesisConfig>,
    /// Agents that agents of this stage can direct.
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgentConfig>>,
    /// Skills agents of this stage can load, in addition to their own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub skills: Option<Vec<String>>,
    /// Skills agents of this stage always have, in addition to their own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub required_skills: Option<Vec<String>>,
}

/// One of several agents of a stage.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageAgentConfig {
    /// Name of the agent.
    pub name: String,
    /// Purpose of the agent in this stage.
    pub r#type: Option<AgentType>,
    /// Model provider of the agent.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How the model is called.
    pub llm_backend: Option<LlmBackend>,
    /// Iteration strategy of the agent.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How much the instructions of the agent explain.
    pub prompt_profile: Option<PromptProfile>,
    /// Maximum number of model calls of the agent.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Time limit of the model call of an iteration, with its retries. Tool calls have their own timeouts.
    pub iteration_timeout: Option<Period>,
    /// MCP servers whose tools the agent can call.
    pub mcp_servers: Option<Vec<String>>,
    /// Providers that are tried, in order, when the selected one fails. An empty list disables fallback.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// Agents that the agent can direct.
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgentConfig>>,
    /// Limits of an agent that directs other agents.
    #[schemars(extend("x-no-effect" = true))]
    pub orchestrator: Option<OrchestratorConfig>,
    /// Skills the agent can load, in addition to its own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub skills: Option<Vec<String>>,
    /// Skills the agent always has, in addition to its own.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub required_skills: Option<Vec<String>>,
}

impl StageAgentConfig {
    /// Returns an agent without settings, as in `agent: name`.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            r#type: None,
            llm_provider: None,
            llm_backend: None,
            iteration_strategy: None,
            prompt_profile: None,
            max_iterations: None,
            iteration_timeout: None,
            mcp_servers: None,
            fallback_providers: None,
            sub_agents: None,
            orchestrator: None,
            skills: None,
            required_skills: None,
        }
    }
}

/// Agent that merges the results of parallel agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SynthesisConfig {
    /// Agent that merges the results. Default: `SynthesisAgent`.
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// Iteration strategy of the agent.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How the model is called.
    pub llm_backend: Option<LlmBackend>,
    /// Model provider of the agent.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
}
