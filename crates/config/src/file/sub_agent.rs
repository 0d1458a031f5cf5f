//! Sub-agents: the agents that an orchestrator can direct, and its limits.
//!
//! These keys are read and checked, but have no effect yet.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::LlmBackend;
use crate::Period;

/// An agent that another agent can direct. A string is short for an entry with this `name`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubAgentConfig {
    /// Name of the agent.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Model provider of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How the model is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_backend: Option<LlmBackend>,
    /// Maximum number of model calls of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// MCP servers whose tools the agent can call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<String>>,
    /// Skills the agent can load, in addition to its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)))]
    pub skills: Option<Vec<String>>,
    /// Skills the agent always has, in addition to its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)))]
    pub required_skills: Option<Vec<String>>,
}

/// Limits of an agent that directs other agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrchestratorConfig {
    /// Maximum number of agents that run at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_concurrent_agents: Option<u32>,
    /// Timeout of one agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_timeout: Option<Period>,
    /// Maximum running time of all agents together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget: Option<Period>,
}

/// Returns the schema of a list of sub-agents, each of them a name or a mapping.
pub(super) fn sub_agents(generator: &mut SchemaGenerator) -> Schema {
    let entry = generator.subschema_for::<SubAgentConfig>();
    json_schema!({
        "type": ["array", "null"],
        "items": { "anyOf": [entry, { "type": "string", "minLength": 1 }] },
        "x-no-effect": true
    })
}
