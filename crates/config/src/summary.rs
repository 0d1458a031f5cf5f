//! A short overview of the configuration, for `tarsy check`.
//!
//! It lists names and missing variables, not settings. See [`Config::view`] for those.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::Config;
use crate::file::TransportType;
use crate::resolve::{ResolvedChain, ResolvedStage};

/// A short overview of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigSummary {
    /// Chains, sorted by id.
    pub chains: Vec<ChainSummary>,
    /// Agents, sorted by name.
    pub agents: Vec<AgentSummary>,
    /// MCP servers, sorted by id.
    pub mcp_servers: Vec<ServerSummary>,
    /// Model providers, sorted by name.
    pub providers: Vec<ProviderSummary>,
}

/// A chain and its stages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainSummary {
    /// Its id.
    pub id: String,
    /// Whether it is built in and no file redefines it.
    pub built_in: bool,
    /// The alert types it handles.
    pub alert_types: Vec<String>,
    /// Its stages, in order.
    pub stages: Vec<StageSummary>,
}

/// A stage and its agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageSummary {
    /// Its name.
    pub name: String,
    /// The names of its agents.
    pub agents: Vec<String>,
    /// The agent that merges the results, if there are several agents.
    pub synthesis: Option<String>,
    /// Whether the stage has a condition.
    pub conditional: bool,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSummary {
    /// Its name.
    pub name: String,
    /// Whether it is built in and no file redefines it.
    pub built_in: bool,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerSummary {
    /// Its id.
    pub id: String,
    /// Whether it is built in and no file redefines it.
    pub built_in: bool,
    /// Its transport type.
    pub transport: TransportType,
}

/// A model provider and what it lacks before it can be used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProviderSummary {
    /// Its name.
    pub name: String,
    /// Whether it is built in and no file redefines it.
    pub built_in: bool,
    /// Whether it is the default provider.
    pub default: bool,
    /// The model, if one is configured.
    pub model: Option<String>,
    /// The environment variables and keys that are missing before it can be used.
    pub missing: Vec<String>,
}

impl Config {
    /// Returns a short overview of the configuration.
    pub fn summary(&self) -> ConfigSummary {
        let origins = self.origins();
        let chains = self.chains().keys().filter_map(|id| self.resolved_chain(id));
        let agents = self.agents().keys();
        let servers = self.mcp_servers().iter();
        ConfigSummary {
            chains: chains.map(|chain| summarize_chain(chain, &origins.chains)).collect(),
            agents: agents
                .map(|name| AgentSummary { name: name.clone(), built_in: !origins.agents.contains(name) })
                .collect(),
            mcp_servers: servers
                .map(|(id, server)| ServerSummary {
                    id: id.clone(),
                    built_in: !origins.mcp_servers.contains(id),
                    transport: server.transport.r#type,
                })
                .collect(),
            providers: self.summarize_providers(),
        }
    }

    fn summarize_providers(&self) -> Vec<ProviderSummary> {
        let default = self.default_provider();
        let providers = self.providers().iter();
        providers
            .map(|(name, provider)| ProviderSummary {
                name: name.clone(),
                built_in: !self.origins().providers.contains(name),
                default: name == default,
                model: provider.model.clone(),
                missing: self.missing_for(name).to_vec(),
            })
            .collect()
    }
}

fn summarize_chain(chain: ResolvedChain, from_files: &BTreeSet<String>) -> ChainSummary {
    ChainSummary {
        built_in: !from_files.contains(&chain.id),
        id: chain.id,
        alert_types: chain.alert_types,
        stages: chain.stages.into_iter().map(summarize_stage).collect(),
    }
}

fn summarize_stage(stage: ResolvedStage) -> StageSummary {
    StageSummary {
        name: stage.name,
        agents: stage.agents.into_iter().map(|agent| agent.name).collect(),
        synthesis: stage.synthesis.map(|agent| agent.name),
        conditional: stage.when.is_some(),
    }
}

impl fmt::Display for ConfigSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "Chains")?;
        self.chains.iter().try_for_each(|chain| write!(formatter, "{chain}"))?;
        writeln!(formatter, "\nAgents")?;
        for agent in &self.agents {
            writeln!(formatter, "  {}{}", agent.name, origin(agent.built_in))?;
        }
        writeln!(formatter, "\nMCP servers")?;
        for server in &self.mcp_servers {
            writeln!(
                formatter,
                "  {} ({}){}",
                server.id,
                server.transport.as_str(),
                origin(server.built_in)
            )?;
        }
        writeln!(formatter, "\nModel providers")?;
        self.providers.iter().try_for_each(|provider| writeln!(formatter, "  {provider}"))
    }
}

impl fmt::Display for ChainSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "  {}{}", self.id, origin(self.built_in))?;
        writeln!(formatter, "    alert types: {}", self.alert_types.join(", "))?;
        self.stages
            .iter()
            .enumerate()
            .try_for_each(|(index, stage)| writeln!(formatter, "    {}. {stage}", index + 1))
    }
}

impl fmt::Display for StageSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name, self.agents.join(" + "))?;
        if let Some(synthesis) = &self.synthesis {
            write!(formatter, ", merged by {synthesis}")?;
        }
        formatter.write_str(if self.conditional { ", conditional" } else { "" })
    }
}

impl fmt::Display for ProviderSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)?;
        if let Some(model) = &self.model {
            write!(formatter, " ({model})")?;
        }
        formatter.write_str(origin(self.built_in))?;
        formatter.write_str(if self.default { ", default" } else { "" })?;
        match self.missing.as_slice() {
            [] => formatter.write_str(": ready"),
            missing => write!(formatter, ": not ready, missing {}", missing.join(", ")),
        }
    }
}

fn origin(built_in: bool) -> &'static str {
    if built_in { " [built-in]" } else { "" }
}
