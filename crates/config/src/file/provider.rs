//! The `llm_providers` section: which models there are and which variables hold their credentials.
//!
//! Credentials themselves never stand in a file: a provider names the environment variables that hold them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::Secret;

use super::{NativeToolsConfig, RetryConfig};
use crate::{Environment, Period};

/// A model and how to reach it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// Whose interface it speaks.
    pub r#type: ProviderType,
    /// The name of the model, as its vendor spells it.
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// The environment variable that holds the API key. Without it: the vendor's usual one.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub api_key_env: Option<String>,
    /// `vertexai`: the variable that holds the path of the credentials file. Where it is not set, the metadata server of
    /// a machine at Google is asked.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub credentials_env: Option<String>,
    /// `vertexai`: the variable that holds the project.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub project_env: Option<String>,
    /// `vertexai`: the variable that holds the location.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub location_env: Option<String>,
    /// Where the interface is served, when it is not the vendor's usual place.
    #[schemars(length(min = 1), extend("format" = "http-address", "x-alias" = ["address"]))]
    pub base_url: Option<Secret>,
    /// `replay`: the file of recorded replies that are given again, as seen from the configuration directory.
    #[schemars(length(min = 1))]
    pub cassette: Option<String>,
    /// How freely the model writes. Without it: the vendor's default.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Whether the server's certificate is checked.
    #[serde(default = "yes")]
    pub verify_ssl: bool,
    /// A tool result longer than this is cut before the model sees it.
    #[schemars(range(min = 1))]
    pub max_tool_result_tokens: Option<u32>,
    /// Tokens the model may write in one reply.
    #[schemars(range(min = 1))]
    pub max_output_tokens: Option<u32>,
    /// Tokens the model can read and write in one call.
    #[schemars(range(min = 1))]
    pub context_window: Option<u32>,
    /// How much the model thinks before it answers, for models that can be told.
    pub thinking: Option<ThinkingConfig>,
    /// How long the first part of a reply may take to come.
    #[serde(default = "first_chunk_timeout")]
    pub first_chunk_timeout: Period,
    /// How long a reply may pause after that.
    #[serde(default = "stall_timeout")]
    pub stall_timeout: Period,
    /// How failed calls are retried. Keys that are not set come from `defaults.retry`.
    pub retry: Option<RetryConfig>,
    /// Tools of the model's vendor that agents may use.
    pub native_tools: Option<NativeToolsConfig>,
}

/// Whose interface a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderType {
    /// Google AI Studio.
    Google,
    /// OpenAI.
    Openai,
    /// Anthropic.
    Anthropic,
    /// xAI.
    Xai,
    /// Google Vertex AI.
    Vertexai,
    /// Any server that speaks OpenAI's chat completions, such as vLLM or Ollama; needs `base_url`.
    OpenaiCompatible,
    /// A model service that speaks `llm.v1` over gRPC; needs `base_url`.
    Grpc,
    /// The recorded answers of a session; needs `cassette`.
    Replay,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThinkingConfig {
    /// How hard it thinks. Without it: the vendor's default.
    pub level: Option<ThinkingLevelConfig>,
    /// Tokens it may think with, for models that take a number.
    pub budget_tokens: Option<u32>,
}

/// How hard a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ThinkingLevel")]
pub enum ThinkingLevelConfig {
    /// Not at all, where that can be chosen.
    Off,
    /// A little.
    Low,
    /// Enough for most.
    Medium,
    /// As much as it takes.
    High,
}

impl ProviderType {
    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Xai => "xai",
            Self::Vertexai => "vertexai",
            Self::OpenaiCompatible => "openai-compatible",
            Self::Grpc => "grpc",
            Self::Replay => "replay",
        }
    }

    /// Where this vendor's API key is usually kept; `None` if it needs none.
    const fn usual_api_key_env(self) -> Option<&'static str> {
        match self {
            Self::Google => Some("GOOGLE_API_KEY"),
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Xai => Some("XAI_API_KEY"),
            Self::Vertexai | Self::OpenaiCompatible | Self::Grpc | Self::Replay => None,
        }
    }
}

impl ProviderConfig {
    /// The environment variable that holds the API key, if this provider uses one.
    pub fn api_key_env(&self) -> Option<&str> {
        self.api_key_env.as_deref().or(self.r#type.usual_api_key_env())
    }

    /// Every environment variable that must be set before this provider can be used.
    pub fn needed_variables(&self) -> Vec<&str> {
        match self.r#type {
            // Without a credentials file the metadata server of a machine at Google is asked.
            ProviderType::Vertexai => vec![
                self.project_env.as_deref().unwrap_or("GOOGLE_CLOUD_PROJECT"),
                self.location_env.as_deref().unwrap_or("GOOGLE_CLOUD_LOCATION"),
            ],
            ProviderType::Google
            | ProviderType::Openai
            | ProviderType::Anthropic
            | ProviderType::Xai
            | ProviderType::OpenaiCompatible
            | ProviderType::Grpc
            | ProviderType::Replay => self.api_key_env().into_iter().collect(),
        }
    }

    /// What is still missing before this provider can be used: environment variables, or keys of its own.
    pub fn missing(&self, environment: &Environment) -> Vec<String> {
        let variables = self.needed_variables().into_iter().filter(|name| !environment.has(name));
        let keys = self.needed_keys().into_iter().filter(|(_, present)| !present).map(|(name, _)| name);
        variables.chain(keys).map(str::to_owned).collect()
    }

    /// The keys that this type of provider cannot do without, and whether they are there.
    pub(crate) fn needed_keys(&self) -> Vec<(&'static str, bool)> {
        let model = ("model", self.model.is_some());
        let base_url = ("base_url", self.base_url.is_some());
        match self.r#type {
            ProviderType::Google
            | ProviderType::Openai
            | ProviderType::Anthropic
            | ProviderType::Xai
            | ProviderType::Vertexai => vec![model],
            ProviderType::OpenaiCompatible => vec![model, base_url],
            ProviderType::Grpc => vec![base_url],
            ProviderType::Replay => vec![("cassette", self.cassette.is_some())],
        }
    }
}

fn yes() -> bool {
    true
}

fn first_chunk_timeout() -> Period {
    Period::from_secs(120)
}

fn stall_timeout() -> Period {
    Period::from_secs(60)
}
