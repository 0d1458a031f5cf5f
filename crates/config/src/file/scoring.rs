//! Scoring of finished sessions, and memory of agents across sessions.
//!
//! These keys are read and checked, but have no effect yet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LlmBackend;

/// Scoring of finished sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScoringConfig {
    /// Enables scoring.
    pub enabled: bool,
    /// Agent that scores. Default: `ScoringAgent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// How the model is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
    /// Model provider of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// MCP servers of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<String>>,
    /// Maximum number of model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
}

/// Memory of agents across sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// Enables memory.
    pub enabled: bool,
    /// Maximum number of memories in a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_inject: Option<u32>,
    /// Maximum number of memories that are compared with new ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflector_memory_limit: Option<u32>,
    /// Model that computes the similarity of texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<EmbeddingConfig>,
}

/// Model that computes the similarity of texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// API of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<EmbeddingProvider>,
    /// Model name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// Environment variable that holds the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub api_key_env: Option<String>,
    /// Number of dimensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub dimensions: Option<u32>,
    /// Base URL of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub base_url: Option<String>,
}

/// API of an embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingProvider {
    /// Google AI Studio.
    Google,
    /// OpenAI, or a server with its API.
    Openai,
}
