//! The configuration of a running system: validated, complete and immutable.
//!
//! It is created by [`Config::load`] only, so its users need no further validation: every name in it refers
//! to an existing entry. It does not reload itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use tarsy_domain::{ModelCatalog, ModelEntry};
use thiserror::Error;

use crate::Environment;
use crate::builtin::PROVIDER_ORDER;
use crate::file::{
    AgentConfig, ChainConfig, ConfigFile, Defaults, McpServerConfig, ProviderConfig, QueueConfig,
    ResolvedRetry, SystemConfig,
};
use crate::resolve::{ResolvedAgent, ResolvedChain, resolve};
use crate::suggest::instead;
use crate::templates::TemplateFile;
use crate::view::Shown;

/// The alert type of a chain that handles every type that no chain lists by name.
pub const ANY_ALERT_TYPE: &str = "*";

/// The configuration of a running system.
#[derive(Clone)]
pub struct Config {
    file: ConfigFile,
    origins: Origins,
    /// The variables and keys that each provider lacks before it can be used.
    missing: BTreeMap<String, Vec<String>>,
    pub(crate) shown: Shown,
    templates: Vec<TemplateFile>,
    model_catalog: ModelCatalog,
    environment: Environment,
}

/// The names that files define; all others are built in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    pub(crate) agents: BTreeSet<String>,
    pub(crate) mcp_servers: BTreeSet<String>,
    pub(crate) chains: BTreeSet<String>,
    pub(crate) providers: BTreeSet<String>,
}

/// The error for an alert type that no chain handles.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no chain handles the alert type `{alert_type}`{}", instead(alert_type, known.iter().map(String::as_str)))]
pub struct UnknownAlertType {
    /// The requested alert type.
    pub alert_type: String,
    /// The alert types that chains handle, sorted.
    pub known: Vec<String>,
}

/// The error for an MCP server that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown MCP server `{name}`{}", instead(name, known.iter().map(String::as_str)))]
pub struct UnknownMcpServer {
    /// The requested name.
    pub name: String,
    /// The configured MCP servers, sorted.
    pub known: Vec<String>,
}

impl Config {
    /// Resolves the paths of cassettes and of the folder with runbooks, which are relative to the configuration
    /// directory.
    pub(crate) fn resolve_paths_in(&mut self, directory: &Path) {
        if let Some(folder) = self.file.system.runbooks.repo_url.as_mut().filter(|url| url.starts_with('.')) {
            *folder = directory.join(&*folder).display().to_string();
        }
        for cassette in self.file.llm_providers.values_mut().filter_map(|provider| provider.cassette.as_mut())
        {
            *cassette = directory.join(&*cassette).display().to_string();
        }
    }

    pub(crate) fn new(
        (file, origins): (ConfigFile, Origins),
        environment: &Environment,
        shown: Shown,
        templates: Vec<TemplateFile>,
    ) -> Self {
        let missing = file.llm_providers.iter().map(|(name, provider)| {
            // If a key refers to a variable, the variable is what is missing.
            let variable = |key: String| match shown.variable("llm_providers", name, &key) {
                Some(variable) => variable.to_owned(),
                None => key,
            };
            (name.clone(), provider.missing(environment).into_iter().map(variable).collect())
        });
        let missing = missing.collect();
        // The rules have validated the patterns.
        let model_catalog = ModelCatalog::with_overrides(file.models.clone()).unwrap_or_default();
        let environment = environment.clone();
        Self { file, origins, missing, shown, templates, model_catalog, environment }
    }

    /// Returns the environment with which the configuration was loaded, with the variables of its `.env` file.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the server-wide settings.
    pub fn system(&self) -> &SystemConfig {
        &self.file.system
    }

    /// Returns the settings of the queue.
    pub fn queue(&self) -> &QueueConfig {
        &self.file.queue
    }

    /// Returns the section `defaults`, the lowest level of settings.
    pub fn defaults(&self) -> &Defaults {
        &self.file.defaults
    }

    /// Returns all agents by name.
    pub fn agents(&self) -> &BTreeMap<String, AgentConfig> {
        &self.file.agents
    }

    /// Returns all MCP servers by id.
    pub fn mcp_servers(&self) -> &BTreeMap<String, McpServerConfig> {
        &self.file.mcp_servers
    }

    /// Returns the MCP server with a name.
    pub fn mcp_server(&self, name: &str) -> Result<&McpServerConfig, UnknownMcpServer> {
        let servers = &self.file.mcp_servers;
        let unknown = || UnknownMcpServer { name: name.to_owned(), known: servers.keys().cloned().collect() };
        servers.get(name).ok_or_else(unknown)
    }

    /// Returns all chains by id, unresolved. See [`Config::resolved_chain`].
    pub fn chains(&self) -> &BTreeMap<String, ChainConfig> {
        &self.file.agent_chains
    }

    /// Returns all model providers by name.
    pub fn providers(&self) -> &BTreeMap<String, ProviderConfig> {
        &self.file.llm_providers
    }

    /// Returns the entries of the section `models` by name pattern.
    pub(crate) fn models(&self) -> &BTreeMap<String, ModelEntry> {
        &self.file.models
    }

    /// Returns the built-in model table, extended by the section `models`.
    pub fn model_catalog(&self) -> &ModelCatalog {
        &self.model_catalog
    }

    /// Returns the context window in tokens of a provider's model: as configured, or from the model catalog.
    pub fn context_window(&self, provider: &str) -> Option<u32> {
        let provider = self.file.llm_providers.get(provider)?;
        let known = |model: &str| self.model_catalog.lookup(model).context_window;
        provider.context_window.or_else(|| known(provider.model.as_deref()?))
    }

    /// Returns the context window in tokens of an agent's model: as configured for its provider, or from the
    /// model catalog. The name of the model is that of the chain snapshot, if it has one.
    pub fn agent_context_window(&self, agent: &ResolvedAgent) -> Option<u32> {
        let provider = self.file.llm_providers.get(&agent.llm_provider);
        let configured = provider.and_then(|provider| provider.context_window);
        let known = |model: &str| self.model_catalog.lookup(model).context_window;
        let of_model = || agent.model.as_deref().and_then(known);
        configured.or_else(of_model).or_else(|| self.context_window(&agent.llm_provider))
    }

    /// Returns the retry settings of a provider: its own, then those of `defaults`, then the built-in ones.
    pub fn retry_of(&self, provider: &ProviderConfig) -> ResolvedRetry {
        let defaults = self.file.defaults.retry.unwrap_or_default();
        provider.retry.unwrap_or_default().or(defaults).resolve()
    }

    /// Returns the prompt templates of the configuration directory, sorted by name. They are not validated.
    pub fn templates(&self) -> &[TemplateFile] {
        &self.templates
    }

    /// Returns a chain with all settings resolved, ready to be stored with a session.
    pub fn resolved_chain(&self, id: &str) -> Option<ResolvedChain> {
        let (id, chain) = self.file.agent_chains.get_key_value(id)?;
        Some(resolve(self, id, chain))
    }

    /// Returns the chain that handles an alert type, with all settings resolved.
    pub fn chain_for_alert_type(&self, alert_type: &str) -> Result<ResolvedChain, UnknownAlertType> {
        let handler = |wanted: &str| {
            let handles = |chain: &ChainConfig| chain.alert_types.iter().any(|handled| handled == wanted);
            self.file.agent_chains.iter().find(|(_, chain)| handles(chain))
        };
        match handler(alert_type).or_else(|| handler(ANY_ALERT_TYPE)) {
            Some((id, chain)) => Ok(resolve(self, id, chain)),
            None => Err(UnknownAlertType { alert_type: alert_type.to_owned(), known: self.alert_types() }),
        }
    }

    /// Returns the alert types that chains list by name, sorted.
    pub fn alert_types(&self) -> Vec<String> {
        let all: BTreeSet<&str> =
            self.file.agent_chains.values().flat_map(ChainConfig::named_alert_types).collect();
        all.into_iter().map(str::to_owned).collect()
    }

    /// Returns the provider that is used where none is configured.
    ///
    /// It is `defaults.llm_provider`, or else the first provider with nothing missing: built-in providers in
    /// the order of [`PROVIDER_ORDER`], then those of files by name. If none is ready, it is
    /// `google-default`. Built-in providers come first so that a provider that a file adds for one purpose
    /// does not become the default.
    pub fn default_provider(&self) -> &str {
        if let Some(name) = &self.file.defaults.llm_provider {
            return name;
        }
        let mut candidates =
            PROVIDER_ORDER.into_iter().chain(self.origins.providers.iter().map(String::as_str));
        candidates.find(|name| self.missing_for(name).is_empty()).unwrap_or(PROVIDER_ORDER[0])
    }

    /// Returns the environment variables and keys that a provider lacks before it can be used.
    pub fn missing_for(&self, provider: &str) -> &[String] {
        self.missing.get(provider).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }
}

/// Prints names only: texts may contain the values of variables.
impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Config")
            .field("chains", &self.file.agent_chains.keys())
            .field("agents", &self.file.agents.keys())
            .field("mcp_servers", &self.file.mcp_servers.keys())
            .field("providers", &self.file.llm_providers.keys())
            .finish_non_exhaustive()
    }
}

impl Origins {
    pub(crate) fn of(file: &ConfigFile) -> Self {
        Self {
            agents: file.agents.keys().cloned().collect(),
            mcp_servers: file.mcp_servers.keys().cloned().collect(),
            chains: file.agent_chains.keys().cloned().collect(),
            providers: file.llm_providers.keys().cloned().collect(),
        }
    }
}
