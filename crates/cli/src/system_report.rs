//! How the parts around the investigations are doing, in the plain words that the server shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::file::{McpServerConfig, ProviderType};
use tarsy_config::{Config, Diagnostic, ResolvedAgent, ResolvedChain};
use tarsy_engine::{EngineWatch, Servers};
use tarsy_server::{
    McpServerReport, McpServerState, ProviderReport, Reporter, SystemReport, SystemWarning, WarningCategory,
    Workers,
};
use tarsy_tools::{ServerHealth, ServerState};

/// Looks at what the process works with.
pub(crate) struct Lookout {
    pub(crate) config: Arc<Config>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) engine: EngineWatch,
    /// What does not change while the process runs.
    pub(crate) standing: Vec<SystemWarning>,
}

impl Lookout {
    /// As the server wants it.
    pub(crate) fn reporter(self) -> Reporter {
        Arc::new(move || self.report())
    }

    fn report(&self) -> SystemReport {
        let workers = self.engine.workers();
        let mcp_servers = mcp_servers(&self.config, &self.servers.health());
        let warnings = self.standing.iter().cloned().chain(mcp_servers.iter().filter_map(of_server));
        SystemReport {
            workers: Workers { configured: workers.configured, running: workers.running, busy: workers.busy },
            warnings: warnings.collect(),
            mcp_servers,
            providers: providers(&self.config),
        }
    }
}

/// What is known at start-up and stays so: of the configuration, of providers and of prompts.
pub(crate) fn standing_warnings(
    config: &Config,
    diagnostics: &[Diagnostic],
    prompts: &Prompts,
) -> Vec<SystemWarning> {
    let diagnostics = diagnostics.iter().map(of_diagnostic);
    let wanted = wanted_providers(config);
    let recordings: Vec<_> = wanted.iter().filter_map(|name| of_recording(config, name)).collect();
    let providers = wanted.into_iter().filter_map(|name| of_provider(config, name)).chain(recordings);
    let prompts = prompts.overridden().map(|name| SystemWarning {
        category: WarningCategory::Prompt,
        subject: name.to_owned(),
        message: "this template of the configuration directory is used in place of the built-in one"
            .to_owned(),
    });
    diagnostics.chain(providers).chain(prompts).collect()
}

fn of_diagnostic(diagnostic: &Diagnostic) -> SystemWarning {
    let place = diagnostic.location.as_ref();
    let place = place.map(|place| format!("{}:{}: ", place.file, place.line)).unwrap_or_default();
    SystemWarning {
        category: WarningCategory::Config,
        subject: diagnostic.path.clone(),
        message: format!("{place}{}", diagnostic.message),
    }
}

fn of_provider(config: &Config, name: String) -> Option<SystemWarning> {
    let missing = config.missing_for(&name);
    let message = format!("it cannot be used before these are set: {}", missing.join(", "));
    let warning = SystemWarning { category: WarningCategory::Provider, subject: name, message };
    (!missing.is_empty()).then_some(warning)
}

/// Nobody should take a recording for a model.
fn of_recording(config: &Config, name: &str) -> Option<SystemWarning> {
    let provider = config.providers().get(name).filter(|provider| provider.r#type == ProviderType::Replay)?;
    let cassette = provider.cassette.as_deref().unwrap_or_default();
    Some(SystemWarning {
        category: WarningCategory::Provider,
        subject: name.to_owned(),
        message: format!(
            "no model thinks: its replies are the recording {cassette}. For a real model name another provider; the demo \
             does so itself if GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or TARSY_OPENAI_COMPATIBLE_URL is set"
        ),
    })
}

fn of_server(server: &McpServerReport) -> Option<SystemWarning> {
    let is_down = matches!(server.state, McpServerState::Failed | McpServerState::Restarting);
    let reason = server.last_error.as_deref().unwrap_or("nobody knows why");
    is_down.then(|| SystemWarning {
        category: WarningCategory::McpServer,
        subject: server.name.clone(),
        message: format!("it cannot be used and is tried again: {reason}"),
    })
}

/// The providers that agents of chains are to use. Nobody misses the key of one that is only there.
fn wanted_providers(config: &Config) -> BTreeSet<String> {
    let chains = config.chains().keys().filter_map(|id| config.resolved_chain(id));
    let agents = chains.flat_map(agents);
    agents
        .flat_map(|agent| {
            let others = agent.fallback_providers.into_iter().map(|other| other.provider);
            others.chain([agent.llm_provider])
        })
        .collect()
}

fn agents(chain: ResolvedChain) -> impl Iterator<Item = ResolvedAgent> {
    let of_stages =
        chain.stages.into_iter().flat_map(|stage| stage.agents.into_iter().chain(stage.synthesis));
    of_stages.chain(chain.chat).chain([chain.executive_summary])
}

fn providers(config: &Config) -> Vec<ProviderReport> {
    let names = config.providers().keys();
    names
        .map(|name| ProviderReport { name: name.clone(), missing: config.missing_for(name).to_vec() })
        .collect()
}

/// Every configured server, as it is if executions share it and one has asked for it.
fn mcp_servers(config: &Config, health: &[ServerHealth]) -> Vec<McpServerReport> {
    let known = |name: &str| health.iter().rfind(|health| health.name == name);
    let servers = config.mcp_servers().iter();
    servers.map(|(name, server)| mcp_server(name, server, known(name))).collect()
}

fn mcp_server(name: &str, server: &McpServerConfig, health: Option<&ServerHealth>) -> McpServerReport {
    McpServerReport {
        name: name.to_owned(),
        transport: server.transport.r#type.as_str().to_owned(),
        state: health.map_or(McpServerState::OnDemand, |health| state(health.state)),
        last_error: health.and_then(|health| health.last_error.clone()),
        tools: health.map(|health| health.tools.clone()).unwrap_or_default(),
        protocol_version: health.and_then(|health| health.protocol_version.clone()),
        server: health.and_then(|health| health.server.clone()),
    }
}

fn state(state: ServerState) -> McpServerState {
    match state {
        ServerState::Connecting => McpServerState::Connecting,
        ServerState::Ready => McpServerState::Ready,
        ServerState::Failed => McpServerState::Failed,
        ServerState::Restarting => McpServerState::Restarting,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_config::Environment;

    use super::*;

    fn config(environment: &Environment) -> Config {
        Config::load(None, environment).unwrap().config
    }

    #[test]
    fn only_providers_that_somebody_would_use_are_missed() {
        let without = config(&Environment::default());
        let wanted: Vec<String> = wanted_providers(&without).into_iter().collect();
        assert_eq!(wanted, [without.default_provider()]);
        let warning = of_provider(&without, wanted[0].clone()).unwrap();
        assert_eq!(warning.message, "it cannot be used before these are set: GOOGLE_API_KEY");
        let with = config(&[("GOOGLE_API_KEY", "secret")].into_iter().collect());
        assert_eq!(of_provider(&with, wanted[0].clone()), None);
    }

    #[test]
    fn a_server_that_nobody_has_needed_is_started_on_demand() {
        let config = config(&Environment::default());
        let name = config.mcp_servers().keys().next().unwrap().clone();
        let failed = ServerHealth {
            name,
            state: ServerState::Failed,
            last_error: Some("there is no such program".to_owned()),
            tools: Vec::new(),
            protocol_version: None,
            server: None,
        };
        let unknown = mcp_servers(&config, &[]);
        assert_eq!((unknown[0].state, of_server(&unknown[0])), (McpServerState::OnDemand, None));
        let known = mcp_servers(&config, &[failed]);
        let warning = of_server(&known[0]).unwrap();
        assert_eq!(warning.message, "it cannot be used and is tried again: there is no such program");
    }
}
