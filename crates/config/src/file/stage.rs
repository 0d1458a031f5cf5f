//! A stage of a chain: who works on it, side by side, and when.
//!
//! That exactly one of `agent` and `agents` is written is a rule, because a schema that says so reads
//! badly in an editor.

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_domain::{IterationStrategy, SuccessPolicy};

use super::{AgentType, FallbackProvider, LlmBackend};
use crate::Period;

/// A stage: one agent or several at once.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageConfig {
    /// The name of the stage, unique in its chain.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The agent, for a stage with one.
    pub agent: Option<String>,
    /// The agents that work at the same time, each with its own settings.
    #[schemars(length(min = 1))]
    pub agents: Option<Vec<StageAgentConfig>>,
    /// How many times `agent` works at the same time.
    #[schemars(range(min = 1, max = 100))]
    pub replicas: Option<u32>,
    /// The stage runs only if this holds, e.g. `stages.triage.status == "completed" and severity ==
    /// "critical"`.
    #[schemars(extend("format" = "condition"))]
    pub when: Option<String>,
    /// How long the whole stage may take.
    pub timeout: Option<Period>,
    /// When a stage of several agents counts as successful.
    #[schemars(extend("x-alias" = ["failure_policy"]))]
    pub success_policy: Option<SuccessPolicy>,
    /// How the agents of this stage work.
    pub iteration_strategy: Option<IterationStrategy>,
    /// The model provider of this stage.
    pub llm_provider: Option<String>,
    /// Model calls each agent may make.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// How long one iteration may take.
    pub iteration_timeout: Option<Period>,
    /// MCP servers of this stage, in place of those of its agents.
    pub mcp_servers: Option<Vec<String>>,
    /// Providers to try, in order, when the chosen one fails. An empty list means none.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// Who merges the results when several agents work.
    pub synthesis: Option<SynthesisConfig>,
}

/// One of several agents of a stage.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageAgentConfig {
    /// The name of the agent.
    pub name: String,
    /// What the agent is for here.
    pub r#type: Option<AgentType>,
    /// Its model provider.
    pub llm_provider: Option<String>,
    /// How its model is called.
    pub llm_backend: Option<LlmBackend>,
    /// How it works.
    pub iteration_strategy: Option<IterationStrategy>,
    /// Model calls it may make.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// How long one iteration may take.
    pub iteration_timeout: Option<Period>,
    /// MCP servers whose tools it may call.
    pub mcp_servers: Option<Vec<String>>,
    /// Providers to try, in order, when the chosen one fails. An empty list means none.
    pub fallback_providers: Option<Vec<FallbackProvider>>,
}

impl StageAgentConfig {
    /// An agent without settings of its own, as `agent: name` means it.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            r#type: None,
            llm_provider: None,
            llm_backend: None,
            iteration_strategy: None,
            max_iterations: None,
            iteration_timeout: None,
            mcp_servers: None,
            fallback_providers: None,
        }
    }
}

/// Who merges the results when several agents work.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SynthesisConfig {
    /// The agent that merges. Without it: `SynthesisAgent`.
    pub agent: Option<String>,
    /// How it works.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How its model is called.
    pub llm_backend: Option<LlmBackend>,
    /// Its model provider.
    pub llm_provider: Option<String>,
}
