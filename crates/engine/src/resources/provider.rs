//! Builds the model of a provider's section: settings from its keys, API keys from the environment.
//!
//! Building a model sends no request.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsy_config::file::{LlmBackend, ProviderConfig, ProviderType, ResolvedRetry};
use tarsy_config::{Config, Environment};
use tarsy_domain::Secret;
use tarsy_llm::{
    BreakerModel, CassetteError, CircuitBreaker, GrpcModel, GrpcSettings, InvalidServiceAddress, Model,
    ModelSetupError, Origin, RemoteModel, RepetitionGuard, ReplayModel, ReplayPace, RetryPolicy, Retrying,
    Settings, StopSequenceGuard, Thinking, Timeouts, Vendor,
};
use thiserror::Error;
use url::Url;

/// Why a provider cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The provider is not configured.
    #[error("there is no provider `{provider}`; there are: {}", known.join(", "))]
    Unknown {
        /// The requested name.
        provider: String,
        /// The configured names.
        known: Vec<String>,
    },
    /// Environment variables or configuration keys are missing.
    #[error("provider `{provider}` cannot be used without {}", missing.join(" and "))]
    Missing {
        /// Its name.
        provider: String,
        /// Names of what is missing.
        missing: Vec<String>,
    },
    /// A value is invalid.
    #[error("provider `{provider}`")]
    Invalid {
        /// Its name.
        provider: String,
        /// The cause.
        source: InvalidProvider,
    },
}

/// What is invalid in a provider's section.
#[derive(Debug, Error)]
pub enum InvalidProvider {
    /// `base_url` is not a URL.
    #[error("base_url is not a valid URL")]
    Address(#[from] url::ParseError),
    /// The provider type has no default URL, and the section has none.
    #[error("base_url is missing")]
    NoAddress,
    /// The credentials file cannot be read.
    #[error("reading the credentials in {path}")]
    Credentials {
        /// The file.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The address of the model service is invalid.
    #[error(transparent)]
    Service(#[from] InvalidServiceAddress),
    /// The cassette cannot be opened.
    #[error(transparent)]
    Cassette(#[from] CassetteError),
    /// The HTTP client cannot be built.
    #[error(transparent)]
    Client(#[from] ModelSetupError),
}

impl SetupError {
    /// Returns the error with all its causes in one line.
    pub fn in_full(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(next) = cause {
            text = format!("{text}: {next}");
            cause = next.source();
        }
        text
    }
}

fn retry_policy(retry: ResolvedRetry) -> RetryPolicy {
    RetryPolicy {
        max_attempts: retry.max_attempts,
        initial_pause: retry.initial_pause,
        max_pause: retry.max_pause,
        total_time: retry.total_time,
        ..RetryPolicy::default()
    }
}

/// Builds the model of one provider.
pub(crate) struct ModelBuilder<'a> {
    pub(crate) config: &'a Config,
    pub(crate) provider: &'a ProviderConfig,
    pub(crate) environment: &'a Environment,
    /// How a model service calls the model.
    pub(crate) backend: Option<LlmBackend>,
    /// The breaker of the provider, shared by all its models.
    pub(crate) breaker: Option<&'a Arc<CircuitBreaker>>,
}

impl ModelBuilder<'_> {
    /// Builds the model, with the provider's breaker and retries.
    pub(crate) fn build(&self, origin: Origin) -> Result<Arc<dyn Model>, SetupError> {
        let name = origin.provider.clone();
        let missing = self.provider.missing(self.environment);
        if !missing.is_empty() {
            return Err(SetupError::Missing { provider: name, missing });
        }
        let model =
            self.bare_model(origin).map_err(|source| SetupError::Invalid { provider: name, source })?;
        if self.provider.r#type == ProviderType::Replay {
            // Without breaker and retries: a recorded failure has to be visible.
            return Ok(model);
        }
        let mut model: Arc<dyn Model> =
            Arc::new(RepetitionGuard::new(Arc::new(StopSequenceGuard::new(model))));
        if let Some(breaker) = self.breaker {
            model = Arc::new(BreakerModel::new(model, Arc::clone(breaker)));
        }
        Ok(Arc::new(Retrying::new(model, retry_policy(self.config.retry_of(self.provider)))))
    }

    fn bare_model(&self, origin: Origin) -> Result<Arc<dyn Model>, InvalidProvider> {
        let vendor = match self.provider.r#type {
            ProviderType::Google => Vendor::Google,
            ProviderType::Openai => Vendor::OpenAi,
            ProviderType::Anthropic => Vendor::Anthropic,
            ProviderType::Xai => Vendor::Xai,
            ProviderType::OpenaiCompatible => Vendor::OpenAiCompatible,
            ProviderType::Vertexai => return self.vertex_model(origin),
            ProviderType::Grpc => return self.grpc_model(&origin),
            ProviderType::Replay => {
                let cassette = PathBuf::from(self.provider.cassette.as_deref().unwrap_or_default());
                return Ok(Arc::new(ReplayModel::open(&origin.provider, &cassette, ReplayPace::Recorded)?));
            }
        };
        Ok(vendor.model(self.settings(&vendor, origin)?)?)
    }

    /// Builds a model of Vertex AI. Its API key is the content of the credentials file whose path is in a
    /// variable.
    fn vertex_model(&self, origin: Origin) -> Result<Arc<dyn Model>, InvalidProvider> {
        let vendor = Vendor::Vertex {
            project: self.variable(self.provider.project_env()).to_owned(),
            location: self.variable(self.provider.location_env()).to_owned(),
        };
        let path = self.variable(self.provider.credentials_env());
        let credentials =
            if path.is_empty() { self.metadata_server_credentials() } else { read_credentials(path)? };
        let settings = self.settings(&vendor, origin)?;
        Ok(vendor.model(Settings { api_key: Some(Secret::new(credentials)), ..settings })?)
    }

    /// Builds a model of a model service. Its model name is `provider/model`; both parts are optional.
    fn grpc_model(&self, origin: &Origin) -> Result<Arc<dyn Model>, InvalidProvider> {
        let (remote, model) = origin.model.split_once('/').unwrap_or(("", &origin.model));
        let settings = GrpcSettings {
            origin: Origin { provider: origin.provider.clone(), model: model.to_owned() },
            address: self.provider.base_url.clone().unwrap_or_else(|| Secret::new("")),
            remote: self.remote_model(remote),
            timeouts: self.timeouts(),
        };
        Ok(Arc::new(GrpcModel::new(settings)?))
    }

    /// Returns what is sent to a model service. It gets the values of project and location, and only the names
    /// of variables with credentials, which it reads from its own environment.
    fn remote_model(&self, provider: &str) -> RemoteModel {
        let is_google = matches!(provider, "" | "google" | "vertexai");
        // The backend of an agent may come from its strategy or from another provider of its list.
        let backend = self.backend.filter(|backend| is_google || *backend == LlmBackend::Langchain);
        RemoteModel {
            provider: provider.to_owned(),
            api_key_env: self.provider.api_key_env.clone().unwrap_or_default(),
            credentials_env: self.provider.credentials_env().unwrap_or_default().to_owned(),
            base_url: self.provider.remote_base_url.clone(),
            project: self.variable(self.provider.project_env()).to_owned(),
            location: self.variable(self.provider.location_env()).to_owned(),
            backend: backend.unwrap_or(LlmBackend::Langchain).as_str().to_owned(),
        }
    }

    fn settings(&self, vendor: &Vendor, origin: Origin) -> Result<Settings, InvalidProvider> {
        let base_url = match &self.provider.base_url {
            Some(url) => Url::parse(url.expose())?,
            None => vendor.default_base_url().ok_or(InvalidProvider::NoAddress)?,
        };
        let api_key = self.provider.api_key_env().and_then(|variable| self.environment.get(variable));
        Ok(Settings {
            origin,
            base_url,
            api_key: api_key.filter(|key| !key.is_empty()).map(Secret::new),
            temperature: self.provider.temperature,
            max_output_tokens: self.provider.max_output_tokens,
            thinking: self.thinking(),
            timeouts: self.timeouts(),
            models: self.config.model_catalog().clone(),
            verify_tls: self.provider.verify_ssl,
        })
    }

    /// Returns credentials that refer to the metadata server of Google Cloud, which needs no file.
    fn metadata_server_credentials(&self) -> String {
        let host = self.environment.get("GCE_METADATA_HOST").unwrap_or("metadata.google.internal");
        serde_json::json!({ "type": "metadata_server", "host": host }).to_string()
    }

    /// Returns the value of a variable; empty if it is not set.
    fn variable(&self, name: Option<&str>) -> &str {
        name.and_then(|name| self.environment.get(name)).unwrap_or_default()
    }

    fn timeouts(&self) -> Timeouts {
        Timeouts {
            first_chunk: self.provider.first_chunk_timeout().duration(),
            stall: self.provider.stall_timeout().duration(),
            total: self.provider.reply_timeout().duration(),
            ..Timeouts::default()
        }
    }

    fn thinking(&self) -> Thinking {
        let Some(thinking) = &self.provider.thinking else { return Thinking::default() };
        Thinking { level: thinking.level, budget_tokens: thinking.budget_tokens }
    }
}

fn read_credentials(path: &str) -> Result<String, InvalidProvider> {
    fs::read_to_string(Path::new(path))
        .map_err(|source| InvalidProvider::Credentials { path: path.to_owned(), source })
}
