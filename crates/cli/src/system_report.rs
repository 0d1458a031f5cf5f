//! The health of workers, MCP servers and providers, and the warnings that the server shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::file::{McpServerConfig, ProviderType};
use tarsy_config::{Config, Diagnostic, ResolvedAgent, ResolvedChain};
use tarsy_engine::{EngineWatch, Servers};
use tarsy_server::{
    McpServerReport, McpServerState, McpToolReport, ProviderReport, Reporter, SystemReport, SystemWarning,
    WarningCategory, Workers,
};
use tarsy_tools::{ServerHealth, ServerState, ServerTool};

/// Collects the state of the process.
pub(crate) struct SystemMonitor {
    pub(crate) config: Arc<Config>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) engine: EngineWatch,
    /// Warnings that do not change while the process runs.
    pub(crate) static_warnings: Vec<SystemWarning>,
}

impl SystemMonitor {
    /// Returns the callback for the server.
    pub(crate) fn reporter(self) -> Reporter {
        Arc::new(move || self.report())
    }

    fn report(&self) -> SystemReport {
        let workers = self.engine.workers();
        let mcp_servers = mcp_servers(&self.config, &self.servers.health());
        let warnings =
            self.static_warnings.iter().cloned().chain(mcp_servers.iter().filter_map(server_warning));
        SystemReport {
            workers: Workers { configured: workers.configured, running: workers.running, busy: workers.busy },
            warnings: warnings.collect(),
            mcp_servers,
            providers: providers(&self.config),
        }
    }
}

/// Returns the warnings about configuration, providers and prompts, which are known at startup.
pub(crate) fn static_warnings(
    config: &Config,
    diagnostics: &[Diagnostic],
    prompts: &Prompts,
) -> Vec<SystemWarning> {
    let diagnostics = diagnostics.iter().map(diagnostic_warning);
    let used = used_providers(config);
    let recordings: Vec<_> = used.iter().filter_map(|name| recording_warning(config, name)).collect();
    let providers = used.into_iter().filter_map(|name| provider_warning(config, name)).chain(recordings);
    let prompts = prompts.overridden().map(|name| SystemWarning {
        category: WarningCategory::Prompt,
        subject: name.to_owned(),
        message: "a template in the configuration directory replaces the built-in one".to_owned(),
    });
    diagnostics.chain(providers).chain(prompts).collect()
}

fn diagnostic_warning(diagnostic: &Diagnostic) -> SystemWarning {
    let location = diagnostic.location.as_ref();
    let location =
        location.map(|location| format!("{}:{}: ", location.file, location.line)).unwrap_or_default();
    SystemWarning {
        category: WarningCategory::Config,
        subject: diagnostic.path.clone(),
        message: format!("{location}{}", diagnostic.message),
    }
}

fn provider_warning(config: &Config, name: String) -> Option<SystemWarning> {
    let missing = config.missing_for(&name);
    let message = format!("the provider is not usable; set {}", missing.join(", "));
    let warning = SystemWarning { category: WarningCategory::Provider, subject: name, message };
    (!missing.is_empty()).then_some(warning)
}

/// Returns a warning if the provider plays a recording, so that it is not mistaken for a model.
fn recording_warning(config: &Config, name: &str) -> Option<SystemWarning> {
    let provider = config.providers().get(name).filter(|provider| provider.r#type == ProviderType::Replay)?;
    let cassette = provider.cassette.as_deref().unwrap_or_default();
    Some(SystemWarning {
        category: WarningCategory::Provider,
        subject: name.to_owned(),
        message: format!(
            "the provider plays the recording {cassette} and calls no model; configure another provider to use a model. The \
             demo uses one if GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or TARSY_OPENAI_COMPATIBLE_URL is set"
        ),
    })
}

fn server_warning(server: &McpServerReport) -> Option<SystemWarning> {
    let is_down = matches!(server.state, McpServerState::Failed | McpServerState::Restarting);
    let reason = server.last_error.as_deref().unwrap_or("unknown error");
    is_down.then(|| SystemWarning {
        category: WarningCategory::McpServer,
        subject: server.name.clone(),
        message: format!("the server is not available and is being restarted: {reason}"),
    })
}

/// Returns the providers that agents of chains use. Missing keys of other providers are not reported.
fn used_providers(config: &Config) -> BTreeSet<String> {
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

/// Returns all configured servers; the state is known for shared servers that were used at least once.
fn mcp_servers(config: &Config, health: &[ServerHealth]) -> Vec<McpServerReport> {
    let known = |name: &str| health.iter().rfind(|health| health.name == name);
    let servers = config.mcp_servers().iter();
    servers.map(|(name, server)| mcp_server(name, server, known(name))).collect()
}

fn mcp_server(name: &str, server: &McpServerConfig, health: Option<&ServerHealth>) -> McpServerReport {
    let tools = health.map(|health| health.tools.as_slice()).unwrap_or_default();
    McpServerReport {
        name: name.to_owned(),
        transport: server.transport.r#type.as_str().to_owned(),
        state: health.map_or(McpServerState::OnDemand, |health| state(health.state)),
        last_error: health.and_then(|health| health.last_error.clone()),
        tools: tools.iter().map(|tool| tool.name.clone()).collect(),
        tool_details: tools.iter().map(tool_report).collect(),
        protocol_version: health.and_then(|health| health.protocol_version.clone()),
        server: health.and_then(|health| health.server.clone()),
    }
}

fn tool_report(tool: &ServerTool) -> McpToolReport {
    McpToolReport { name: tool.name.clone(), description: tool.description.clone() }
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
    fn reports_missing_keys_of_used_providers_only() {
        let without = config(&Environment::default());
        let used: Vec<String> = used_providers(&without).into_iter().collect();
        assert_eq!(used, [without.default_provider()]);
        let warning = provider_warning(&without, used[0].clone()).unwrap();
        assert_eq!(warning.message, "the provider is not usable; set GOOGLE_API_KEY");
        let with = config(&[("GOOGLE_API_KEY", "secret")].into_iter().collect());
        assert_eq!(provider_warning(&with, used[0].clone()), None);
    }

    #[test]
    fn an_unused_server_is_on_demand() {
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
        assert_eq!((unknown[0].state, server_warning(&unknown[0])), (McpServerState::OnDemand, None));
        let known = mcp_servers(&config, &[failed]);
        let warning = server_warning(&known[0]).unwrap();
        assert_eq!(
            warning.message,
            "the server is not available and is being restarted: there is no such program"
        );
    }
}
