//! The `defaults` section: settings of the lowest level.
//!
//! The built-in defaults below these, such as 20 iterations, are applied in `resolve`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, PromptProfile, SuccessPolicy};

use super::{FallbackProvider, LlmBackend, MemoryConfig, OrchestratorConfig, RetryConfig, ScoringConfig};
use crate::Period;

/// Settings for agents, chains and stages that do not set their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Defaults {
    /// Model provider. Default: the first provider whose credentials are set, built-in providers first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How models are called. If set without `iteration_strategy`, the strategy is `native-thinking`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
    /// Iteration strategy of agents. Default: `react`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_strategy: Option<IterationStrategy>,
    /// How much the instructions of an agent explain. Default: `compact` if the context window of the model is known and has at most 16,384 tokens, else `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_profile: Option<PromptProfile>,
    /// Maximum number of model calls of an agent. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Time limit of the model call of an iteration, with its retries. Tool calls have their own timeouts. A fallback
    /// provider gets the full time again. Default: 6m, and 20m for a local model, as described at `first_chunk_timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_timeout: Option<Period>,
    /// Providers that are tried, in order, when the selected one fails. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// How failed model calls are retried. A provider can override each key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryConfig>,
    /// When a stage with several agents succeeds. Default: `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_policy: Option<SuccessPolicy>,
    /// Maximum number of tokens of one session. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub token_budget: Option<u64>,
    /// Alert type of alerts that have none.
    #[schemars(length(min = 1))]
    pub alert_type: String,
    /// Text of the runbook for alerts without a runbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// Masking of alerts before they are stored.
    pub alert_masking: AlertMasking,
    /// Model that summarizes long tool results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarization: Option<SummarizationDefaults>,
    /// Scoring of finished sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub scoring: Option<ScoringConfig>,
    /// Limits of agents that direct other agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub orchestrator: Option<OrchestratorConfig>,
    /// Memory of agents across sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub memory: Option<MemoryConfig>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            llm_provider: None,
            llm_backend: None,
            iteration_strategy: None,
            prompt_profile: None,
            max_iterations: None,
            iteration_timeout: None,
            fallback_providers: None,
            retry: None,
            success_policy: None,
            token_budget: None,
            alert_type: "kubernetes".to_owned(),
            runbook: None,
            alert_masking: AlertMasking::default(),
            summarization: None,
            scoring: None,
            orchestrator: None,
            memory: None,
        }
    }
}

/// Masking of alerts before they are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlertMasking {
    /// Enables masking of alerts.
    pub enabled: bool,
    /// Pattern group to apply.
    #[schemars(length(min = 1))]
    pub pattern_group: String,
}

impl Default for AlertMasking {
    fn default() -> Self {
        Self { enabled: true, pattern_group: "security".to_owned() }
    }
}

/// Model that summarizes long tool results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SummarizationDefaults {
    /// Model provider. Default: the provider of the agent that called the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How the model is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
}
