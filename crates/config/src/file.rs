//! What may stand in a configuration file: one type for each section, one field for each key.
//!
//! These types are the single source of the file format. Their JSON Schema is what editors check against and
//! what the reader walks, and their doc comments are the help an editor shows. They hold what was written and
//! the defaults of single keys; they do not look anything up, and nothing is resolved here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

pub use access::{AccessConfig, AccessProxy, RoleGroups};
pub use agent::{AgentConfig, AgentType, FallbackProvider, LlmBackend, NativeToolsConfig, agent_name};
pub use chain::{ChainConfig, ChatConfig, OnStageFailure};
pub use database::DatabaseConfig;
pub use defaults::{AlertMasking, Defaults, SummarizationDefaults};
pub use mcp_server::{
    CustomPatternConfig, DataMasking, IsolationConfig, McpServerConfig, Summarization, ToolFilterConfig,
    TransportConfig, TransportType,
};
pub use provider::{ProviderConfig, ProviderType, ThinkingConfig, ThinkingLevelConfig};
pub use queue::QueueConfig;
pub use retry::{ResolvedRetry, RetryConfig};
pub use stage::{StageAgentConfig, StageConfig, SynthesisConfig};
pub use system::{
    Alertmanager, Github, Retention, RunbooksConfig, SystemConfig, WebhookProof, WebhooksConfig,
};

mod access;
mod agent;
mod chain;
mod database;
mod defaults;
mod mcp_server;
mod no_effect;
mod provider;
mod queue;
mod retry;
mod stage;
mod system;

/// A TARSy configuration file.
///
/// Everything has a default, so every section may be left out. Values may refer to the environment as
/// `${VAR}`, `${VAR:-default}` or `{{.VAR}}`. Top-level keys that begin with `x-` are ignored, which makes
/// them a place for YAML anchors. The file `llm-providers.yaml` is one with the section `llm_providers` alone.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "TARSy configuration", extend("patternProperties" = { "^x-": true }))]
pub struct ConfigFile {
    /// The system around the investigations: addresses, runbooks, how long things are kept.
    pub system: SystemConfig,
    /// How many investigations run at once, how long they may take, and how workers share them.
    pub queue: QueueConfig,
    /// What holds where an agent, chain or stage does not say otherwise.
    pub defaults: Defaults,
    /// MCP servers, whose tools agents may call, by id.
    pub mcp_servers: BTreeMap<String, McpServerConfig>,
    /// Agents by name. A built-in agent may be redefined, as a whole.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Chains by id: which alerts they take and the stages that investigate them.
    pub agent_chains: BTreeMap<String, ChainConfig>,
    /// Model providers by name. They may also stand in a file of their own, `llm-providers.yaml`.
    pub llm_providers: BTreeMap<String, ProviderConfig>,
}

/// A file of model providers, `llm-providers.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("patternProperties" = { "^x-": true }))]
pub struct ProvidersFile {
    /// Model providers by name.
    pub llm_providers: BTreeMap<String, ProviderConfig>,
}
