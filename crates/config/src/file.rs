//! The format of a configuration file: one type per section, one field per key.
//!
//! These types are the single source of the format. Editors validate against their JSON Schema, the reader
//! walks it, and editors show their doc comments as help. The types contain the values of a file and the
//! defaults of single keys; references and levels are resolved elsewhere.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_domain::ModelEntry;

pub use access::{AccessConfig, AccessProxy, RoleGroups};
pub use agent::{AgentConfig, AgentType, FallbackProvider, LlmBackend, NativeToolsConfig, agent_name};
pub use chain::{ChainConfig, ChatConfig, OnStageFailure};
pub use database::DatabaseConfig;
pub use defaults::{AlertMasking, Defaults, SummarizationDefaults};
pub use mcp_server::{
    CustomPatternConfig, DataMasking, IsolationConfig, McpServerConfig, Summarization, ToolFilterConfig,
    TransportConfig, TransportType,
};
pub use office::{CostEstimationConfig, HolidayConfig, ModelRateConfig, PromotionConfig, SlackConfig};
pub use provider::{ProviderConfig, ProviderType, ThinkingConfig};
pub use queue::QueueConfig;
pub use retry::{ResolvedRetry, RetryConfig};
pub use scoring::{EmbeddingConfig, EmbeddingProvider, MemoryConfig, ScoringConfig};
pub use stage::{StageAgentConfig, StageConfig, SynthesisConfig};
pub use sub_agent::{OrchestratorConfig, SubAgentConfig};
pub use system::{
    Alertmanager, Github, Retention, RunbooksConfig, SystemConfig, WebhookProof, WebhooksConfig,
};

mod access;
mod agent;
mod chain;
mod database;
mod defaults;
mod mcp_server;
mod office;
mod provider;
mod provider_timeouts;
mod queue;
mod retry;
mod scoring;
mod stage;
mod sub_agent;
mod system;

/// A TARSy configuration file.
///
/// Every section is optional. Values can refer to environment variables, also those in the file `.env` of the same
/// directory, as `${VAR}`, `${VAR:-default}` or `{{.VAR}}`. Top-level keys that start with `x-` are ignored and can hold YAML anchors. The file
/// `llm-providers.yaml` has the same format, with the section `llm_providers` only.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "TARSy configuration", extend("patternProperties" = { "^x-": true }))]
pub struct ConfigFile {
    /// Server-wide settings: URLs, access control, runbooks, retention.
    pub system: SystemConfig,
    /// Concurrency, timeouts and leases of investigations.
    pub queue: QueueConfig,
    /// Settings for agents, chains and stages that do not set their own.
    pub defaults: Defaults,
    /// MCP servers by id. Agents call their tools.
    pub mcp_servers: BTreeMap<String, McpServerConfig>,
    /// Agents by name. An entry with the name of a built-in agent replaces it completely.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Chains by id: the alert types they handle and their stages.
    pub agent_chains: BTreeMap<String, ChainConfig>,
    /// Model providers by name. They can also be defined in a separate file, `llm-providers.yaml`.
    pub llm_providers: BTreeMap<String, ProviderConfig>,
    /// Properties of models by name pattern, such as `gemini-*flash* 3..3.7`. They extend and override the built-in model
    /// table: where several patterns match, the one with the most literal text applies first, key by key.
    pub models: BTreeMap<String, ModelEntry>,
}

/// The file `llm-providers.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("patternProperties" = { "^x-": true }))]
pub struct ProvidersFile {
    /// Model providers by name.
    pub llm_providers: BTreeMap<String, ProviderConfig>,
}
