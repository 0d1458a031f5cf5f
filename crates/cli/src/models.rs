//! Models out of the configuration: its words become settings, its variables become keys.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use tarsy_config::file::{Provider, ProviderType, ThinkingLevel as ConfiguredLevel};
use tarsy_config::{Config, Environment};
use tarsy_domain::Secret;
use tarsy_llm::{
    Bounded, GrpcModel, GrpcSettings, Model, Origin, Pace, ReplayModel, RetryPolicy, Retrying, Settings,
    Thinking, ThinkingLevel, Timeouts, Vendor,
};
use url::Url;

/// The models of a configuration.
pub(crate) struct Models<'a> {
    pub(crate) config: &'a Config,
    pub(crate) environment: &'a Environment,
}

impl Models<'_> {
    /// The model of a provider, which is retried and watched over.
    pub(crate) fn model(&self, name: &str) -> anyhow::Result<Arc<dyn Model>> {
        let provider = self.provider(name)?;
        self.model_called(name, provider.model.as_deref().unwrap_or_default())
    }

    /// A model of a provider by another name than the configured one.
    pub(crate) fn model_called(&self, name: &str, model: &str) -> anyhow::Result<Arc<dyn Model>> {
        let provider = self.provider(name)?;
        let missing = provider.missing(self.environment);
        if !missing.is_empty() {
            bail!("provider `{name}` cannot be used without {}", missing.join(" and "));
        }
        let origin = Origin { provider: name.to_owned(), model: model.to_owned() };
        let model = self.bare_model(provider, origin).with_context(|| format!("provider `{name}`"))?;
        if provider.r#type == ProviderType::Replay {
            // A recorded failure is to be seen, and seen once.
            return Ok(model);
        }
        let watched: Arc<dyn Model> = Arc::new(Bounded::new(model));
        Ok(Arc::new(Retrying::new(watched, RetryPolicy::default())))
    }

    fn provider(&self, name: &str) -> anyhow::Result<&Provider> {
        self.config.providers().get(name).ok_or_else(|| {
            let known: Vec<&str> = self.config.providers().keys().map(String::as_str).collect();
            anyhow!("there is no provider `{name}`; there are: {}", known.join(", "))
        })
    }

    fn bare_model(&self, provider: &Provider, origin: Origin) -> anyhow::Result<Arc<dyn Model>> {
        let vendor = match provider.r#type {
            ProviderType::Google => Vendor::Google,
            ProviderType::Openai => Vendor::OpenAi,
            ProviderType::Anthropic => Vendor::Anthropic,
            ProviderType::Xai => Vendor::Xai,
            ProviderType::OpenaiCompatible => Vendor::OpenAiCompatible,
            ProviderType::Vertexai => return self.vertex_model(provider, origin),
            ProviderType::Grpc => return grpc_model(provider, &origin),
            ProviderType::Replay => {
                let cassette = PathBuf::from(provider.cassette.as_deref().unwrap_or_default());
                return Ok(Arc::new(ReplayModel::open(&origin.provider, &cassette, Pace::Recorded)?));
            }
        };
        Ok(vendor.model(self.settings(provider, &vendor, origin)?)?)
    }

    /// The key for Vertex AI is the text of the credentials file that a variable names.
    fn vertex_model(&self, provider: &Provider, origin: Origin) -> anyhow::Result<Arc<dyn Model>> {
        let value =
            |named: &Option<String>, usual| variable(self.environment, named.as_deref(), usual).to_owned();
        let vendor = Vendor::Vertex {
            project: value(&provider.project_env, "GOOGLE_CLOUD_PROJECT"),
            location: value(&provider.location_env, "GOOGLE_CLOUD_LOCATION"),
        };
        let path = value(&provider.credentials_env, "GOOGLE_APPLICATION_CREDENTIALS");
        let credentials = match path.as_str() {
            "" => self.of_this_machine(),
            path => fs::read_to_string(path).with_context(|| format!("reading the credentials in {path}"))?,
        };
        let settings = self.settings(provider, &vendor, origin)?;
        Ok(vendor.model(Settings { api_key: Some(Secret::new(credentials)), ..settings })?)
    }

    /// What stands for the identity of a machine at Google, which needs no file.
    fn of_this_machine(&self) -> String {
        let host = self.environment.get("GCE_METADATA_HOST").unwrap_or("metadata.google.internal");
        serde_json::json!({ "type": "metadata_server", "host": host }).to_string()
    }

    fn settings(&self, provider: &Provider, vendor: &Vendor, origin: Origin) -> anyhow::Result<Settings> {
        let base_url = match &provider.base_url {
            Some(url) => Url::parse(url.expose()).context("base_url is not an address")?,
            None => vendor.usual_base_url().context("it has no base_url")?,
        };
        let api_key = provider.api_key_env().and_then(|variable| self.environment.get(variable));
        Ok(Settings {
            origin,
            base_url,
            api_key: api_key.filter(|key| !key.is_empty()).map(Secret::new),
            temperature: provider.temperature,
            max_output_tokens: provider.max_output_tokens,
            thinking: thinking(provider),
            timeouts: timeouts(provider),
            verify_tls: provider.verify_ssl,
        })
    }
}

/// What a provider's own key of the configuration names, or else the usual variable.
fn variable<'a>(environment: &'a Environment, named: Option<&str>, usual: &str) -> &'a str {
    environment.get(named.unwrap_or(usual)).unwrap_or_default()
}

/// A model service is asked for `provider/model`, or for whatever it offers.
fn grpc_model(provider: &Provider, origin: &Origin) -> anyhow::Result<Arc<dyn Model>> {
    let (remote, model) = origin.model.split_once('/').unwrap_or(("", &origin.model));
    let settings = GrpcSettings {
        provider: remote.to_owned(),
        origin: Origin { provider: origin.provider.clone(), model: model.to_owned() },
        address: provider.base_url.clone().unwrap_or_else(|| Secret::new("")),
        api_key_env: provider.api_key_env.clone().unwrap_or_default(),
        timeouts: timeouts(provider),
    };
    Ok(Arc::new(GrpcModel::new(settings)?))
}

fn timeouts(provider: &Provider) -> Timeouts {
    Timeouts {
        first_chunk: provider.first_chunk_timeout.duration(),
        stall: provider.stall_timeout.duration(),
        ..Timeouts::default()
    }
}

fn thinking(provider: &Provider) -> Thinking {
    let Some(thinking) = &provider.thinking else { return Thinking::default() };
    let level = thinking.level.map(|level| match level {
        ConfiguredLevel::Off => ThinkingLevel::Off,
        ConfiguredLevel::Low => ThinkingLevel::Low,
        ConfiguredLevel::Medium => ThinkingLevel::Medium,
        ConfiguredLevel::High => ThinkingLevel::High,
    });
    Thinking { level, budget_tokens: thinking.budget_tokens }
}
