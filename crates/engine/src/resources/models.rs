//! The models of a configuration, each made once and kept with its open connections.
//!
//! How the words of a provider become a model is in `provider`. Nothing here asks a model anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use tarsy_config::file::ProviderConfig;
use tarsy_config::{Config, Environment, ResolvedAgent};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{ChunkStream, Fallback, Model, ModelError, ModelRequest, Origin};
use tracing::warn;

use crate::SetupError;
use crate::resources::provider::make_model;

/// How many models are kept. Whoever may name models freely could otherwise fill the memory with them.
const MOST_MODELS: usize = 64;

/// The models of a configuration.
pub struct Models {
    config: Arc<Config>,
    environment: Arc<Environment>,
    /// The models that were asked for, by provider and name. The lock is held while one is made, so that it is made once.
    made: Mutex<HashMap<(String, String), Arc<dyn Model>>>,
}

impl Models {
    /// The models of this configuration, with the keys of this environment.
    pub fn new(config: Arc<Config>, environment: Arc<Environment>) -> Self {
        Self { config, environment, made: Mutex::default() }
    }

    /// The configuration they come from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The variables their keys come from.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The model of a provider, which is retried and watched over.
    pub fn model(&self, provider: &str) -> Result<Arc<dyn Model>, SetupError> {
        let model = self.provider(provider)?.model.as_deref().unwrap_or_default();
        self.model_called(provider, model)
    }

    /// A model of a provider by another name than the configured one.
    pub fn model_called(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, SetupError> {
        let origin = Origin { provider: provider.to_owned(), model: model.to_owned() };
        let key = (origin.provider.clone(), origin.model.clone());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(&key) {
            return Ok(Arc::clone(known));
        }
        let new = make_model(self.provider(provider)?, origin, &self.environment)?;
        if made.len() >= MOST_MODELS {
            // Those in use are kept by their requests.
            made.clear();
        }
        made.insert(key, Arc::clone(&new));
        Ok(new)
    }

    /// The model of an agent, with its fallbacks behind it in order.
    ///
    /// A provider that cannot be set up is passed over when its turn comes, with its reason in the stream, as if it
    /// had failed. Only if none can be set up is there no model.
    pub fn chain(&self, agent: &ResolvedAgent) -> Result<Arc<dyn Model>, SetupError> {
        let first = match &agent.model {
            // The name is that of the session's snapshot: a later change of the file does not change a session.
            Some(model) => self.model_called(&agent.llm_provider, model),
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
    made.unwrap_or_else(|error| Arc::new(Unavailable::new(provider, &error)))
}

/// Stands for a model that cannot be set up: it fails at once, and says why.
struct Unavailable {
    origin: Origin,
    reason: String,
}

impl Unavailable {
    fn new(provider: &str, error: &SetupError) -> Self {
        let reason = error.in_full();
        warn!(llm.provider = provider, reason, "a provider of an agent cannot be used");
        Self { origin: Origin { provider: provider.to_owned(), model: String::new() }, reason }
    }
}

impl Model for Unavailable {
    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    fn stream(&self, _: ModelRequest) -> ChunkStream {
        let error = ModelError::new(ModelFailureKind::Credentials, self.reason.clone());
        stream::iter([Err(error)]).boxed()
    }
}
