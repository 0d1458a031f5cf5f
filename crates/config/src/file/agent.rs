//! The `agents` section: instructions, tools and limits of each agent.
//!
//! Chains define when an agent runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, PromptProfile};

use super::ProviderConfig;
use super::sub_agent::OrchestratorConfig;
use crate::Period;

/// An agent: its instructions, tools and limits.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// Purpose of the agent. Omit it, or leave it empty, for an agent that investigates.
    pub r#type: AgentType,
    /// Description of the agent, shown to people only.
    pub description: Option<String>,
    /// MCP servers whose tools the agent can call.
    pub mcp_servers: Option<Vec<String>>,
    /// Instructions for the agent, added to the general ones.
    pub custom_instructions: Option<String>,
    /// Iteration strategy of the agent.
    pub iteration_strategy: Option<IterationStrategy>,
    /// How much the instructions of the agent explain.
    pub prompt_profile: Option<PromptProfile>,
    /// How the model is called. If set without `iteration_strategy`, the strategy is `native-thinking`.
    pub llm_backend: Option<LlmBackend>,
    /// Maximum number of model calls of one run.
    #[schemars(range(min = 1))]
    pub max_iterations: Option<u32>,
    /// Time limit of the model call of an iteration, with its retries. Tool calls have their own timeouts.
    pub iteration_timeout: Option<Period>,
    /// Whether an agent that reaches `max_iterations` must conclude without tools instead of failing. Default: `true`.
    pub force_conclusion_at_max_iterations: Option<bool>,
    /// Vendor-hosted tools that the agent can use. They override those of the provider.
    pub native_tools: Option<NativeToolsConfig>,
    /// Limits of an agent that directs other agents.
    #[schemars(extend("x-no-effect" = true))]
    pub orchestrator: Option<OrchestratorConfig>,
    /// Skills the agent can load.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub skills: Option<Vec<String>>,
    /// Skills the agent always has.
    #[schemars(inner(length(min = 1)), extend("x-no-effect" = true))]
    pub required_skills: Option<Vec<String>>,
}

/// Returns the name of an agent without the prefix `ConfigurableAgent:`, which older configurations use.
pub fn agent_name(reference: &str) -> &str {
    reference.strip_prefix("ConfigurableAgent:").unwrap_or(reference)
}

/// The purpose of an agent.
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
    /// Changes the investigated system. Not supported yet: such an agent is rejected, because it would run its tools
    /// without approval.
    #[serde(rename = "action")]
    Action,
}

impl AgentType {
    /// Returns the value as written in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Investigation => "",
            Self::Synthesis => "synthesis",
            Self::ExecSummary => "exec_summary",
            Self::Scoring => "scoring",
            Self::Action => "action",
        }
    }

    /// Returns the strategies that an agent of this type can take over from its stage; `None` for all.
    pub(crate) const fn stage_strategies(self) -> Option<&'static [IterationStrategy]> {
        match self {
            Self::Investigation | Self::Scoring | Self::Action => None,
            Self::Synthesis => {
                Some(&[IterationStrategy::Synthesis, IterationStrategy::SynthesisNativeThinking])
            }
            Self::ExecSummary => Some(&[IterationStrategy::SingleCall]),
        }
    }
}

/// How a model service of type `grpc` calls a model. Other provider types always use the vendor's own API. Default:
/// `google-native` for the strategies `native-thinking` and `synthesis-native-thinking` with a Google model, else
/// `langchain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LlmBackend {
    /// The API that every provider supports.
    Langchain,
    /// Google's native API, with its vendor-hosted tools and thinking.
    GoogleNative,
}

impl LlmBackend {
    /// Returns the backend that a strategy implies for a provider.
    pub(crate) fn implied(strategy: IterationStrategy, provider: Option<&ProviderConfig>) -> Self {
        match strategy {
            IterationStrategy::NativeThinking | IterationStrategy::SynthesisNativeThinking
                if provider.is_some_and(ProviderConfig::is_google) =>
            {
                Self::GoogleNative
            }
            IterationStrategy::NativeThinking
            | IterationStrategy::SynthesisNativeThinking
            | IterationStrategy::React
            | IterationStrategy::ReactStage
            | IterationStrategy::ReactFinalAnalysis
            | IterationStrategy::Synthesis
            | IterationStrategy::SingleCall => Self::Langchain,
        }
    }

    /// Returns the value as written in a file and in the `llm.v1` protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Langchain => "langchain",
            Self::GoogleNative => "google-native",
        }
    }
}

/// A provider that is tried when the selected one fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FallbackProvider {
    /// Name of the model provider.
    pub provider: String,
    /// How its model is called. Default: as the selected provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<LlmBackend>,
}

/// Tools that the model's vendor hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NativeToolsConfig {
    /// Web search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub google_search: Option<bool>,
    /// Code execution in the vendor's sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<bool>,
    /// Reading of web pages that the prompt links to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_context: Option<bool>,
}
