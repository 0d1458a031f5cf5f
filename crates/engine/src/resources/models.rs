//! The models of a configuration, each built once and kept with its open connections.
//!
//! `provider` converts a provider's section to a model. Nothing here calls a model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use tarsy_config::file::ProviderConfig;
use tarsy_config::{Config, Environment, ResolvedAgent};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{ChunkStream, Fallback, Model, ModelError, ModelRequest, Origin};
use tracing::warn;

use crate::SetupError;
use crate::resources::provider::build_model;

/// Maximum number of cached models. Callers may name models freely, so the number has to be bounded.
const MAX_MODELS: usize = 64;

/// The models of a configuration.
pub struct Models {
    config: Arc<Config>,
    environment: Arc<Environment>,
    /// Models by provider and name. The lock is held while one is built, so that each is built once.
    cache: Mutex<HashMap<(String, String), Arc<dyn Model>>>,
}

impl Models {
    /// Creates the models of a configuration; `environment` contains the API keys.
    pub fn new(config: Arc<Config>, environment: Arc<Environment>) -> Self {
        Self { config, environment, cache: Mutex::default() }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the model of a provider, with retries and limits.
    pub fn model(&self, provider: &str) -> Result<Arc<dyn Model>, SetupError> {
        let model = self.provider(provider)?.model.as_deref().unwrap_or_default();
        self.named_model(provider, model)
    }

    /// Like [`Models::model`], with another model name than the configured one.
    pub fn named_model(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, SetupError> {
        let origin = Origin { provider: provider.to_owned(), model: model.to_owned() };
        let key = (origin.provider.clone(), origin.model.clone());
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(&key) {
            return Ok(Arc::clone(known));
        }
        let provider = self.provider(provider)?;
        let new = build_model(&self.config, provider, origin, &self.environment)?;
        if cache.len() >= MAX_MODELS {
            // Requests in flight keep their models alive.
            cache.clear();
        }
        cache.insert(key, Arc::clone(&new));
        Ok(new)
    }

    /// Returns the model of an agent with its fallbacks, in order.
    ///
    /// A provider that cannot be set up fails when it is called, with the reason in the stream, so that the
    /// next one is used. Returns an error only if none can be set up.
    pub fn chain(&self, agent: &ResolvedAgent) -> Result<Arc<dyn Model>, SetupError> {
        let first = match &agent.model {
            // The name comes from the chain snapshot: a later change of the file does not affect the session.
            Some(model) => self.named_model(&agent.llm_provider, model),
            None => self.model(&agent.llm_provider),
        };
        let others = agent.fallback_providers.iter().map(|other| other.provider.as_str());
        let others: Vec<_> = others.map(|provider| (provider, self.model(provider))).collect();
        if first.is_err() && others.iter().all(|(_, made)| made.is_err()) {
            return first;
        }
        let first = or_unavailable(&agent.llm_provider, first);
        let others: Vec<_> =
            others.into_iter().map(|(provider, made)| or_unavailable(provider, made)).collect();
        Ok(if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) })
    }

    fn provider(&self, name: &str) -> Result<&ProviderConfig, SetupError> {
        self.config.providers().get(name).ok_or_else(|| SetupError::Unknown {
            provider: name.to_owned(),
            known: self.config.providers().keys().cloned().collect(),
        })
    }
}

fn or_unavailable(provider: &str, made: Result<Arc<dyn Model>, SetupError>) -> Arc<dyn Model> {
    made.unwrap_or_else(|error| Arc::new(UnavailableModel::new(provider, &error)))
}

/// A model that cannot be set up: every call fails with the reason.
struct UnavailableModel {
    origin: Origin,
    reason: String,
}

impl UnavailableModel {
    fn new(provider: &str, error: &SetupError) -> Self {
        let reason = error.in_full();
        warn!(llm.provider = provider, reason, "cannot set up a provider of an agent");
        Self { origin: Origin { provider: provider.to_owned(), model: String::new() }, reason }
    }
}

impl Model for UnavailableModel {
    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    fn stream(&self, _: ModelRequest) -> ChunkStream {
        let error = ModelError::new(ModelFailureKind::Credentials, self.reason.clone());
        stream::iter([Err(error)]).boxed()
    }
}
