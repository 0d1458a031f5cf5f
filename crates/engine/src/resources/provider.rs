//! A model out of a provider's section: its words become settings, its variables become keys.
//!
//! Nothing is sent while a model is made.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsy_config::Environment;
use tarsy_config::file::{ProviderConfig, ProviderType, ThinkingLevelConfig};
use tarsy_domain::Secret;
use tarsy_llm::{
    BadAddress, Bounded, CassetteError, ConnectError, GrpcModel, GrpcSettings, Model, Origin,
    ReplayModel, ReplayPace, RetryPolicy, Retrying, Settings, Thinking, ThinkingLevel, Timeouts, Vendor,
};
use thiserror::Error;
use url::Url;

/// Why a provider has no model for us.
#[derive(Debug, Error)]
pub enum SetupError {
    /// No such provider is configured.
    #[error("there is no provider `{provider}`; there are: {}", known.join(", "))]
    Unknown {
        /// The name that was asked for.
        provider: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Variables or keys of the configuration are missing.
    #[error("provider `{provider}` cannot be used without {}", missing.join(" and "))]
    Missing {
        /// Its name.
        provider: String,
        /// What is missing.
        missing: Vec<String>,
    },
    /// Everything is there, and something is wrong with it.
    #[error("provider `{provider}`")]
    Unfit {
        /// Its name.
        provider: String,
        /// What is wrong.
        source: Unfit,
    },
}

/// What is wrong with a provider.
#[derive(Debug, Error)]
pub enum Unfit {
    /// Its address is none.
    #[error("base_url is not an address")]
    Address(#[from] url::ParseError),
    /// Its type has no usual place, and the configuration names none.
    #[error("it has no base_url")]
    NoAddress,
    /// The file that its variable names cannot be read.
    #[error("reading the credentials in {path}")]
    Credentials {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The model service's address is none.
    #[error(transparent)]
    Service(#[from] BadAddress),
    /// Its cassette cannot be played.
    #[error(transparent)]
    Cassette(#[from] CassetteError),
    /// The client cannot be set up.
    #[error(transparent)]
    Client(#[from] ConnectError),
}

impl SetupError {
    /// The error with all its causes, for where only a text can go.
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

/// The model of a provider, which is retried and watched over.
pub(crate) fn make_model(
    provider: &ProviderConfig,
    origin: Origin,
    environment: &Environment,
) -> Result<Arc<dyn Model>, SetupError> {
    let name = origin.provider.clone();
    let missing = provider.missing(environment);
    if !missing.is_empty() {
        return Err(SetupError::Missing { provider: name, missing });
    }
    let making = Making { provider, environment };
    let model = making.bare_model(origin).map_err(|source| SetupError::Unfit { provider: name, source })?;
    if provider.r#type == ProviderType::Replay {
        // A recorded failure is to be seen, and seen once.
        return Ok(model);
    }
    let watched: Arc<dyn Model> = Arc::new(Bounded::new(model));
    Ok(Arc::new(Retrying::new(watched, RetryPolicy::default())))
}

/// What a model is made from.
struct Making<'a> {
    provider: &'a ProviderConfig,
    environment: &'a Environment,
}

impl Making<'_> {
    fn bare_model(&self, origin: Origin) -> Result<Arc<dyn Model>, Unfit> {
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

    /// The key for Vertex AI is the text of the credentials file that a variable names.
    fn vertex_model(&self, origin: Origin) -> Result<Arc<dyn Model>, Unfit> {
        let vendor = Vendor::Vertex {
            project: self.variable(self.provider.project_env.as_deref(), "GOOGLE_CLOUD_PROJECT").to_owned(),
            location: self
                .variable(self.provider.location_env.as_deref(), "GOOGLE_CLOUD_LOCATION")
                .to_owned(),
        };
        let path = self.variable(self.provider.credentials_env.as_deref(), "GOOGLE_APPLICATION_CREDENTIALS");
        let credentials = if path.is_empty() { self.of_this_machine() } else { read_credentials(path)? };
        let settings = self.settings(&vendor, origin)?;
        Ok(vendor.model(Settings { api_key: Some(Secret::new(credentials)), ..settings })?)
    }

    /// A model service is asked for `provider/model`, or for whatever it offers.
    fn grpc_model(&self, origin: &Origin) -> Result<Arc<dyn Model>, Unfit> {
        let (remote, model) = origin.model.split_once('/').unwrap_or(("", &origin.model));
        let settings = GrpcSettings {
            provider: remote.to_owned(),
            origin: Origin { provider: origin.provider.clone(), model: model.to_owned() },
            address: self.provider.base_url.clone().unwrap_or_else(|| Secret::new("")),
            api_key_env: self.provider.api_key_env.clone().unwrap_or_default(),
            timeouts: self.timeouts(),
        };
        Ok(Arc::new(GrpcModel::new(settings)?))
    }

    fn settings(&self, vendor: &Vendor, origin: Origin) -> Result<Settings, Unfit> {
        let base_url = match &self.provider.base_url {
            Some(url) => Url::parse(url.expose())?,
            None => vendor.usual_base_url().ok_or(Unfit::NoAddress)?,
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
            verify_tls: self.provider.verify_ssl,
        })
    }

    /// What stands for the identity of a machine at Google, which needs no file.
    fn of_this_machine(&self) -> String {
        let host = self.environment.get("GCE_METADATA_HOST").unwrap_or("metadata.google.internal");
        serde_json::json!({ "type": "metadata_server", "host": host }).to_string()
    }

    /// What a provider's own key of the configuration names, or else the usual variable.
    fn variable(&self, named: Option<&str>, usual: &str) -> &str {
        self.environment.get(named.unwrap_or(usual)).unwrap_or_default()
    }

    fn timeouts(&self) -> Timeouts {
        Timeouts {
            first_chunk: self.provider.first_chunk_timeout.duration(),
            stall: self.provider.stall_timeout.duration(),
            ..Timeouts::default()
        }
    }

    fn thinking(&self) -> Thinking {
        let Some(thinking) = &self.provider.thinking else { return Thinking::default() };
        let level = thinking.level.map(|level| match level {
            ThinkingLevelConfig::Off => ThinkingLevel::Off,
            ThinkingLevelConfig::Low => ThinkingLevel::Low,
            ThinkingLevelConfig::Medium => ThinkingLevel::Medium,
            ThinkingLevelConfig::High => ThinkingLevel::High,
        });
        Thinking { level, budget_tokens: thinking.budget_tokens }
    }
}

fn read_credentials(path: &str) -> Result<String, Unfit> {
    fs::read_to_string(Path::new(path)).map_err(|source| Unfit::Credentials { path: path.to_owned(), source })
}
