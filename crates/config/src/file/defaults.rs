//! The `defaults` section: what holds where nothing more special does.
//!
//! The built-in defaults behind these, such as 20 iterations, are applied in `resolve`, not here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, SuccessPolicy};

use super::no_effect::NoEffect;
use super::{FallbackProvider, LlmBackend, RetryConfig};
use crate::Period;

/// What holds where an agent, chain or stage does not say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Defaults {
    /// The model provider. Without it: the first that is ready to be used, built-in ones first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// How models are called. Where no strategy is named, a backend means `native-thinking`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
    /// How agents investigate. Without it: `react`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_strategy: Option<IterationStrategy>,
    /// Model calls an agent may make. Without it: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// How long one iteration may take. Without it: 120s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration_timeout: Option<Period>,
    /// Providers to try, in order, when the chosen one fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_providers: Option<Vec<FallbackProvider>>,
    /// How failed model calls are retried. A provider can override each key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryConfig>,
    /// When a stage of several agents counts as successful. Without it: `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_policy: Option<SuccessPolicy>,
    /// Tokens one session may use in total. Without it: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub token_budget: Option<u64>,
    /// The alert type of an alert that does not name one.
    #[schemars(length(min = 1))]
    pub alert_type: String,
    /// The runbook, as text, for alerts that bring none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// What is masked in an alert before it is stored.
    pub alert_masking: AlertMasking,
    /// The model that summarises tool results that are too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarization: Option<SummarizationDefaults>,
    /// The rating of finished sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scoring: Option<NoEffect>,
    /// Agents that direct other agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestrator: Option<NoEffect>,
    /// What agents remember between sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<NoEffect>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            llm_provider: None,
            llm_backend: None,
            iteration_strategy: None,
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

/// What is masked in an alert before it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlertMasking {
    /// Whether alerts are masked.
    pub enabled: bool,
    /// The group of patterns to mask.
    pub pattern_group: String,
}

impl Default for AlertMasking {
    fn default() -> Self {
        Self { enabled: true, pattern_group: "security".to_owned() }
    }
}

/// The model that summarises tool results that are too long.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SummarizationDefaults {
    /// The model provider. Without it: that of the agent whose tool result it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// How the model is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
}
