//! The `llm_providers` section: models, their endpoints and the variables that hold their credentials.
//!
//! Credentials are never part of a file: a provider names the environment variables that hold them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::{Secret, ThinkingLevel};

use super::{NativeToolsConfig, RetryConfig};
use crate::{Environment, Period};

/// A model and its endpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// API of the provider.
    pub r#type: ProviderType,
    /// Model name, as the vendor spells it.
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// Environment variable that holds the API key. Default: the usual variable of the vendor, such as `OPENAI_API_KEY`.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub api_key_env: Option<String>,
    /// `vertexai` and `grpc`: environment variable that holds the path of the credentials file. If the variable is not set, the
    /// metadata server of Google Cloud is used. A service of type `grpc` reads its own variable. Default for `vertexai`:
    /// `GOOGLE_APPLICATION_CREDENTIALS`.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub credentials_env: Option<String>,
    /// `vertexai` and `grpc`: environment variable that holds the project. Default for `vertexai`: `GOOGLE_CLOUD_PROJECT`.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub project_env: Option<String>,
    /// `vertexai` and `grpc`: environment variable that holds the location. Default for `vertexai`:
    /// `GOOGLE_CLOUD_LOCATION`.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub location_env: Option<String>,
    /// Base URL of the API, or the address of a service of type `grpc`. Default: the public endpoint of the vendor.
    #[schemars(length(min = 1), extend("format" = "http-address", "x-alias" = ["address"]))]
    pub base_url: Option<Secret>,
    /// `grpc`: base URL of the vendor's API, which the service calls. Default: decided by the service.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub remote_base_url: Option<Secret>,
    /// `replay`: cassette file with recorded replies, relative to the configuration directory.
    #[schemars(length(min = 1))]
    pub cassette: Option<String>,
    /// Sampling temperature. Default: the vendor's default.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Whether the TLS certificate of the server is verified.
    #[serde(default = "yes")]
    pub verify_ssl: bool,
    /// Number of tokens above which a tool result is truncated before it is sent to the model.
    #[schemars(range(min = 1))]
    pub max_tool_result_tokens: Option<u32>,
    /// Maximum number of tokens of one reply.
    #[schemars(range(min = 1))]
    pub max_output_tokens: Option<u32>,
    /// Context window of the model in tokens. Default: the value of the model catalog, if it knows the model.
    #[schemars(range(min = 1))]
    pub context_window: Option<u32>,
    /// Thinking of the model, for models with adjustable thinking.
    pub thinking: Option<ThinkingConfig>,
    /// Timeout for the first chunk of a reply, while the connection lives. Default: 5m, and 10m for a local model, which
    /// may need minutes to process a long prompt. A model is local if its type is `openai-compatible` or the host of
    /// `base_url` is a loopback, private or link-local address, has no dot, or ends in `.local`, `.internal`, `.lan` or
    /// `.localhost`.
    pub first_chunk_timeout: Option<Period>,
    /// Timeout for each further chunk. Default: 60s, and 5m for a local model.
    pub stall_timeout: Option<Period>,
    /// How failed calls are retried. Keys that are not set come from `defaults.retry`.
    pub retry: Option<RetryConfig>,
    /// Vendor-hosted tools that agents can use.
    pub native_tools: Option<NativeToolsConfig>,
}

/// API of a provider.
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
    /// Any server with OpenAI's chat completions API, such as vLLM or Ollama. Requires `base_url`.
    OpenaiCompatible,
    /// A model service with the gRPC API `llm.v1`. Requires `base_url`.
    Grpc,
    /// The recorded replies of a session. Requires `cassette`.
    Replay,
}

/// Thinking of a model before it replies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThinkingConfig {
    /// Thinking level. Default: the vendor's default.
    pub level: Option<ThinkingLevel>,
    /// Maximum number of thinking tokens, for models that accept a number.
    pub budget_tokens: Option<u32>,
}

impl ProviderType {
    /// Returns the value as written in a file.
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

    /// Returns the variable that usually holds the API key of this vendor; `None` if it needs no key.
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
    /// Returns the environment variable that holds the API key, if this provider uses one.
    pub fn api_key_env(&self) -> Option<&str> {
        self.api_key_env.as_deref().or(self.r#type.usual_api_key_env())
    }

    /// Returns the variable that holds the path of Google credentials, if this provider uses one.
    pub fn credentials_env(&self) -> Option<&str> {
        self.credentials_env.as_deref().or(self.vertex_variable("GOOGLE_APPLICATION_CREDENTIALS"))
    }

    /// Returns the variable that holds the Google Cloud project, if this provider uses one.
    pub fn project_env(&self) -> Option<&str> {
        self.project_env.as_deref().or(self.vertex_variable("GOOGLE_CLOUD_PROJECT"))
    }

    /// Returns the variable that holds the Google Cloud location, if this provider uses one.
    pub fn location_env(&self) -> Option<&str> {
        self.location_env.as_deref().or(self.vertex_variable("GOOGLE_CLOUD_LOCATION"))
    }

    /// Returns a default variable of Vertex AI, whose models may be called by a service.
    fn vertex_variable(&self, name: &'static str) -> Option<&'static str> {
        let is_vertex = self.r#type == ProviderType::Vertexai || self.remote_provider() == "vertexai";
        is_vertex.then_some(name)
    }

    /// Returns whether the model may be one of Google.
    pub(crate) fn is_google(&self) -> bool {
        match self.r#type {
            ProviderType::Google | ProviderType::Vertexai => true,
            ProviderType::Grpc => matches!(self.remote_provider(), "" | "google" | "vertexai"),
            ProviderType::Openai
            | ProviderType::Anthropic
            | ProviderType::Xai
            | ProviderType::OpenaiCompatible
            | ProviderType::Replay => false,
        }
    }

    /// Returns the provider that a service of type `grpc` is asked for: the part of `model` before the slash.
    fn remote_provider(&self) -> &str {
        let model = self.model.as_deref().filter(|_| self.r#type == ProviderType::Grpc);
        model.and_then(|model| model.split_once('/')).map_or("", |(provider, _)| provider)
    }

    /// Returns the environment variables that must be set before this provider can be used.
    pub fn needed_variables(&self) -> Vec<&str> {
        match self.r#type {
            // Without a credentials file, the metadata server of Google Cloud is used.
            ProviderType::Vertexai => self.project_env().into_iter().chain(self.location_env()).collect(),
            ProviderType::Google
            | ProviderType::Openai
            | ProviderType::Anthropic
            | ProviderType::Xai
            | ProviderType::OpenaiCompatible
            | ProviderType::Grpc
            | ProviderType::Replay => self.api_key_env().into_iter().collect(),
        }
    }

    /// Returns the environment variables and keys that are missing before this provider can be used.
    pub fn missing(&self, environment: &Environment) -> Vec<String> {
        let variables = self.needed_variables().into_iter().filter(|name| !environment.has(name));
        let keys = self.needed_keys().into_iter().filter(|(_, present)| !present).map(|(name, _)| name);
        variables.chain(keys).map(str::to_owned).collect()
    }

    /// Returns the keys that this provider type requires, and whether each is set.
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
