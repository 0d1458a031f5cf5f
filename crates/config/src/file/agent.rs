//! The `agents` section: who investigates, with which tools and instructions.
//!
//! It does not say when an agent works; chains do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::IterationStrategy;

use super::no_effect::NoEffect;
use crate::Period;

/// An agent: instructions, tools, and how it works.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// What the agent is for. Leave it out, or empty, for an agent that investigates.
    pub r#type: AgentType,
    /// What the agent does, for people.
    pub description: Option<String>,
    /// MCP servers whose tools the agent may call.
    pub mcp_servers: Option<Vec<String>>,
    /// Instructions that the agent gets besides the general ones.
    pub custom_instructions: Option<String>,
    /// How the agent works.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How its model is called. Where only this is given, the strategy is `native-thinking`.
    pub llm_backend: Option<LlmBackend>,
    /// Model calls the agent may make.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// How long one iteration may take.
    pub iteration_timeout: Option<Period>,
    /// Whether an agent that used up its iterations is asked for a conclusion, and does not fail. Without it:
    /// it is asked.
    pub force_conclusion_at_max_iterations: Option<bool>,
    /// Tools of the model's vendor that the agent may use; these win over the provider's.
    pub native_tools: Option<NativeToolsConfig>,
    /// How the agent directs other agents.
    pub orchestrator: Option<NoEffect>,
    /// Skills the agent may load.
    pub skills: Option<NoEffect>,
    /// Skills the agent always has.
    pub required_skills: Option<NoEffect>,
}

/// The name of an agent's definition, without the prefix that marks agents of a file in older configurations.
pub fn agent_name(reference: &str) -> &str {
    reference.strip_prefix("ConfigurableAgent:").unwrap_or(reference)
}

/// What an agent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum AgentType {
    /// Investigates an alert.
    #[default]
    #[serde(rename = "")]
    Investigation,
    /// Merges the results of parallel agents.
    #[serde(rename = "synthesis")]
    Synthesis,
    /// Writes the executive summary.
    #[serde(rename = "exec_summary")]
    ExecSummary,
    /// Rates a finished session.
    #[serde(rename = "scoring")]
    #[schemars(extend("x-no-effect" = true))]
    Scoring,
    /// Acts on what was found.
    #[serde(rename = "action")]
    #[schemars(extend("x-no-effect" = true))]
    Action,
}

/// How models are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LlmBackend {
    /// The way that works with every provider.
    Langchain,
    /// Google's own interface, with its native tools and thoughts.
    GoogleNative,
}

/// A provider to try when the chosen one fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FallbackProvider {
    /// The name of the model provider.
    pub provider: String,
    /// How it is called. Without it: as the chosen one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<LlmBackend>,
}

/// Tools that a model's vendor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NativeToolsConfig {
    /// Search the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub google_search: Option<bool>,
    /// Run code in the vendor's sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<bool>,
    /// Read web pages that the prompt names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_context: Option<bool>,
}
