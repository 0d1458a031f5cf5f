//! The models of a configuration, each built once and kept with its open connections.
//!
//! `provider` converts a provider's section to a model. Nothing here calls a model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use tarsy_config::file::{LlmBackend, ProviderConfig, ProviderType};
use tarsy_config::{Config, Environment, Period, ResolvedAgent, default_iteration_timeout};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{
    BreakerPolicy, Chunk, ChunkStream, CircuitBreaker, Fallback, Model, ModelError, ModelRequest, Origin,
    TimeLimited,
};
use tracing::warn;

use crate::SetupError;
use crate::resources::provider::ModelBuilder;

/// Maximum number of cached models. Callers may name models freely, so the number has to be bounded.
const MAX_MODELS: usize = 64;

/// The models of a configuration.
pub struct Models {
    config: Arc<Config>,
    environment: Arc<Environment>,
    /// The lock is held while a model is built, so that each is built once.
    cache: Mutex<HashMap<ModelKey, Arc<dyn Model>>>,
    /// The breakers of all providers, which outlive cached models.
    breakers: HashMap<String, Arc<CircuitBreaker>>,
}

/// Identifies a cached model.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ModelKey {
    provider: String,
    model: String,
    /// Set for model services only; other providers do not distinguish backends.
    backend: Option<LlmBackend>,
}

impl Models {
    /// Creates the models of a configuration; `environment` contains the API keys.
    pub fn new(config: Arc<Config>, environment: Arc<Environment>) -> Self {
        let breaker = |(name, provider): (&String, &ProviderConfig)| {
            let retry = config.retry_of(provider);
            let policy = BreakerPolicy {
                failures: retry.breaker_failures,
                pause: retry.breaker_pause,
                ..BreakerPolicy::default()
            };
            (name.clone(), Arc::new(CircuitBreaker::new(name, policy)))
        };
        let breakers = config.providers().iter().map(breaker).collect();
        Self { config, environment, cache: Mutex::default(), breakers }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the model of a provider, with retries, and without a time limit of the whole call.
    pub fn model(&self, provider: &str) -> Result<Arc<dyn Model>, SetupError> {
        let model = self.provider(provider)?.model.as_deref().unwrap_or_default();
        self.named_model(provider, model)
    }

    /// Like [`Models::model`], with another model name than the configured one.
    pub fn named_model(&self, provider: &str, model: &str) -> Result<Arc<dyn Model>, SetupError> {
        self.selected_model(provider, Some(model), LlmBackend::Langchain)
    }

    /// Returns a model of a provider. `model` replaces the configured name. `backend` is how a model service
    /// calls it; other providers have no backend.
    pub fn selected_model(
        &self,
        provider: &str,
        model: Option<&str>,
        backend: LlmBackend,
    ) -> Result<Arc<dyn Model>, SetupError> {
        let section = self.provider(provider)?;
        let model = model.or(section.model.as_deref()).unwrap_or_default();
        let origin = Origin { provider: provider.to_owned(), model: model.to_owned() };
        let backend = Some(backend).filter(|_| section.r#type == ProviderType::Grpc);
        let key = ModelKey { provider: origin.provider.clone(), model: origin.model.clone(), backend };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(&key) {
            return Ok(Arc::clone(known));
        }
        let builder = ModelBuilder {
            config: &self.config,
            provider: section,
            environment: &self.environment,
            backend,
            breaker: self.breakers.get(provider),
        };
        let new = builder.build(origin)?;
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
        // The name comes from the chain snapshot: a later change of the file does not affect the session.
        let first = self.selected_model(&agent.llm_provider, agent.model.as_deref(), agent.llm_backend);
        let first = first.map(|model| self.limited(agent, &agent.llm_provider, model));
        let others = agent.fallback_providers.iter().map(|other| {
            let made = self.selected_model(&other.provider, None, other.backend.unwrap_or(agent.llm_backend));
            let provider = other.provider.as_str();
            (provider, made.map(|model| self.limited(agent, provider, model)))
        });
        let others: Vec<_> = others.collect();
        if first.is_err() && others.iter().all(|(_, made)| made.is_err()) {
            return first;
        }
        let first = or_unavailable(&agent.llm_provider, first);
        let others: Vec<_> =
            others.into_iter().map(|(provider, made)| or_unavailable(provider, made)).collect();
        Ok(if others.is_empty() { first } else { Arc::new(Fallback::new(first, others)) })
    }

    /// Limits the calls of an agent. Each provider has the configured limit, or its own default.
    fn limited(&self, agent: &ResolvedAgent, provider: &str, model: Arc<dyn Model>) -> Arc<dyn Model> {
        let limit = self.call_limit(agent, provider).duration();
        Arc::new(TimeLimited::new(model, limit).with_breaker(self.breakers.get(provider).cloned()))
    }

    /// Returns the time limit of a model call of an agent.
    pub(crate) fn call_limit(&self, agent: &ResolvedAgent, provider: &str) -> Period {
        let default_of = |provider: &str| default_iteration_timeout(self.config.providers().get(provider));
        if agent.iteration_timeout == default_of(&agent.llm_provider) {
            return default_of(provider);
        }
        agent.iteration_timeout
    }

    /// Like [`Models::chain`]; if no provider can be set up, every call of the model fails with the reason.
    pub fn chain_or_unavailable(&self, agent: &ResolvedAgent) -> Arc<dyn Model> {
        or_unavailable(&agent.llm_provider, self.chain(agent))
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
        stream::iter([Ok(Chunk::From(self.origin())), Err(error)]).boxed()
    }
}
