//! The configuration of a running system: checked, complete and immutable.
//!
//! It is made by [`Config::load`] only, so whoever has one need not check it again: every name in it leads
//! somewhere. It does not reload itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use thiserror::Error;

use crate::Environment;
use crate::builtin::PROVIDER_ORDER;
use crate::file::{
    AgentConfig, ChainConfig, ConfigFile, Defaults, McpServerConfig, ProviderConfig, QueueConfig,
    ResolvedRetry, SystemConfig,
};
use crate::resolve::{ResolvedChain, resolve};
use crate::suggest::instead;
use crate::templates::TemplateFile;
use crate::view::Shown;

/// In place of an alert type: every one that no chain takes by its name.
pub const ANY_ALERT_TYPE: &str = "*";

/// The configuration of a running system.
#[derive(Clone)]
pub struct Config {
    file: ConfigFile,
    origins: Origins,
    /// What each provider still needs before it can be used.
    missing: BTreeMap<String, Vec<String>>,
    pub(crate) shown: Shown,
    templates: Vec<TemplateFile>,
}

/// The names that files define; the others are built in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    pub(crate) agents: BTreeSet<String>,
    pub(crate) mcp_servers: BTreeSet<String>,
    pub(crate) chains: BTreeSet<String>,
    pub(crate) providers: BTreeSet<String>,
}

/// An alert type that no chain takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no chain takes the alert type `{alert_type}`{}", instead(alert_type, known.iter().map(String::as_str)))]
pub struct UnknownAlertType {
    /// The alert type that was asked for.
    pub alert_type: String,
    /// Every alert type that a chain takes, in order.
    pub known: Vec<String>,
}

/// An MCP server that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no MCP server `{name}`{}", instead(name, known.iter().map(String::as_str)))]
pub struct UnknownMcpServer {
    /// The name that was asked for.
    pub name: String,
    /// Every MCP server there is, in order.
    pub known: Vec<String>,
}

impl Config {
    /// Cassettes are named as seen from the directory that names them.
    pub(crate) fn find_cassettes_in(&mut self, directory: &Path) {
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
            // Where a key would come from a variable, it is the variable that is missing.
            let variable = |key: String| match shown.variable("llm_providers", name, &key) {
                Some(variable) => variable.to_owned(),
                None => key,
            };
            (name.clone(), provider.missing(environment).into_iter().map(variable).collect())
        });
        let missing = missing.collect();
        Self { file, origins, missing, shown, templates }
    }

    /// The system around the investigations.
    pub fn system(&self) -> &SystemConfig {
        &self.file.system
    }

    /// How sessions wait and run.
    pub fn queue(&self) -> &QueueConfig {
        &self.file.queue
    }

    /// What holds where nothing more special does.
    pub fn defaults(&self) -> &Defaults {
        &self.file.defaults
    }

    /// All agents by name.
    pub fn agents(&self) -> &BTreeMap<String, AgentConfig> {
        &self.file.agents
    }

    /// All MCP servers by id.
    pub fn mcp_servers(&self) -> &BTreeMap<String, McpServerConfig> {
        &self.file.mcp_servers
    }

    /// The MCP server of this name.
    pub fn mcp_server(&self, name: &str) -> Result<&McpServerConfig, UnknownMcpServer> {
        let servers = &self.file.mcp_servers;
        let unknown = || UnknownMcpServer { name: name.to_owned(), known: servers.keys().cloned().collect() };
        servers.get(name).ok_or_else(unknown)
    }

    /// All chains by id, as they were written. See [`Config::resolved_chain`] for what they mean.
    pub fn chains(&self) -> &BTreeMap<String, ChainConfig> {
        &self.file.agent_chains
    }

    /// All model providers by name.
    pub fn providers(&self) -> &BTreeMap<String, ProviderConfig> {
        &self.file.llm_providers
    }

    /// Returns the retry settings of a provider: its own, then those of `defaults`, then the built-in ones.
    pub fn retry_of(&self, provider: &ProviderConfig) -> ResolvedRetry {
        let defaults = self.file.defaults.retry.unwrap_or_default();
        provider.retry.unwrap_or_default().or(defaults).resolve()
    }

    /// The prompt templates of the configuration directory, in order of their names. Nobody has looked into them yet.
    pub fn templates(&self) -> &[TemplateFile] {
        &self.templates
    }

    /// A chain with everything resolved, ready to be stored with a session.
    pub fn resolved_chain(&self, id: &str) -> Option<ResolvedChain> {
        let (id, chain) = self.file.agent_chains.get_key_value(id)?;
        Some(resolve(self, id, chain))
    }

    /// The chain that takes an alert type, with everything resolved.
    pub fn chain_for_alert_type(&self, alert_type: &str) -> Result<ResolvedChain, UnknownAlertType> {
        let taker = |wanted: &str| {
            let takes = |chain: &ChainConfig| chain.alert_types.iter().any(|taken| taken == wanted);
            self.file.agent_chains.iter().find(|(_, chain)| takes(chain))
        };
        match taker(alert_type).or_else(|| taker(ANY_ALERT_TYPE)) {
            Some((id, chain)) => Ok(resolve(self, id, chain)),
            None => Err(UnknownAlertType { alert_type: alert_type.to_owned(), known: self.alert_types() }),
        }
    }

    /// Every alert type that a chain takes by its name, in order.
    pub fn alert_types(&self) -> Vec<String> {
        let all: BTreeSet<&str> =
            self.file.agent_chains.values().flat_map(ChainConfig::named_alert_types).collect();
        all.into_iter().map(str::to_owned).collect()
    }

    /// The provider that is used where nobody names one.
    ///
    /// It is `defaults.llm_provider`; without that, the first that is ready to be used, of the built-in ones
    /// in the order of [`PROVIDER_ORDER`] and then of the others by name; and if none is ready,
    /// `google-default`. The built-in ones come first so that a provider that a file adds for one purpose
    /// does not become everybody's.
    pub fn default_provider(&self) -> &str {
        if let Some(name) = &self.file.defaults.llm_provider {
            return name;
        }
        let mut candidates =
            PROVIDER_ORDER.into_iter().chain(self.origins.providers.iter().map(String::as_str));
        candidates.find(|name| self.missing_for(name).is_empty()).unwrap_or(PROVIDER_ORDER[0])
    }

    /// What a provider still needs before it can be used: environment variables, or keys of its own.
    pub fn missing_for(&self, provider: &str) -> &[String] {
        self.missing.get(provider).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }
}

/// Names only: texts may have been filled with the values of variables.
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
