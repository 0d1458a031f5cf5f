//! The MCP servers of a configuration: converts sections to settings and opens the toolbox of an execution.
//!
//! Connections and calls are handled by `tarsy-tools`.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_config::file::{IsolationConfig, McpServerConfig, TransportConfig, TransportType};
use tarsy_config::{Config, Environment, Period, ServedExecution};
use tarsy_domain::{ExecutionId, Secret, resolve_tool_name};
use tarsy_tools::{
    Guard, HttpEndpoint, Isolation, Pool, Program, ServerContext, ServerHealth, ServerSettings, ToolBox,
    Transport,
};
use thiserror::Error;

use crate::{Maskers, SessionMask};

/// Environment variables that server programs inherit: paths and locale. Proxies are not included, because
/// their URLs may contain credentials.
const INHERITED_VARIABLES: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The MCP servers of a configuration.
pub struct Servers {
    config: Arc<Config>,
    pool: Pool,
}

/// The caller of tools, for recordings and per-execution servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The name of the stage; empty if there is none.
    pub stage: &'a str,
    /// The name of the agent; empty for a manual call.
    pub agent: &'a str,
}

impl Caller<'_> {
    /// Returns the caller of a manual tool call.
    pub fn manual() -> Self {
        Self { execution_id: ExecutionId::new(), stage: "", agent: "" }
    }

    /// Returns the name in recordings: `stage/agent`, or `agent`.
    fn name(&self) -> String {
        if self.stage.is_empty() { self.agent.to_owned() } else { format!("{}/{}", self.stage, self.agent) }
    }
}

/// A server that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no MCP server `{name}`{}; there are: {}", suggestion(nearest), known.join(", "))]
pub struct UnknownServer {
    /// The requested name.
    pub name: String,
    /// Similar names.
    pub nearest: Vec<String>,
    /// The configured names.
    pub known: Vec<String>,
}

impl Servers {
    /// Creates the servers of a configuration. Programs are started under the `guard` command.
    pub fn new(config: Arc<Config>, environment: &Environment, maskers: &Maskers, guard: Guard) -> Self {
        let pool = Pool::new(ServerContext {
            base_environment: Arc::new(base_environment(environment)),
            guard,
            screen: maskers.screen(),
        });
        Self { config, pool }
    }

    /// Opens a toolbox with these servers for an execution.
    pub async fn open(
        &self,
        servers: &[String],
        caller: Caller<'_>,
        mask: &SessionMask,
    ) -> Result<ToolBox, UnknownServer> {
        let (execution, agent) = (caller.execution_id.to_string(), caller.name());
        let served = ServedExecution { id: &execution, agent: &agent };
        let settings = |name: &String| Ok(settings(name, self.find(name)?, served));
        let servers: Vec<ServerSettings> = servers.iter().map(settings).collect::<Result<_, _>>()?;
        Ok(self.pool.open_with_screen(mask.screen(), servers).await)
    }

    /// Returns the health of the shared servers that were opened at least once.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.pool.health()
    }

    /// Stops the shared servers.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    fn find(&self, name: &str) -> Result<&McpServerConfig, UnknownServer> {
        let servers = self.config.mcp_servers();
        servers.get(name).ok_or_else(|| {
            // Server names are misspelled in the same ways as tool names; a name that resolves is the only
            // suggestion.
            let nearest = match resolve_tool_name(name, servers.keys().map(String::as_str)) {
                Ok(name) => vec![name.to_owned()],
                Err(unknown) => unknown.nearest,
            };
            UnknownServer { name: name.to_owned(), nearest, known: servers.keys().cloned().collect() }
        })
    }
}

fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!(", did you mean `{}`?", nearest.join("` or `")) }
}

fn base_environment(environment: &Environment) -> BTreeMap<String, String> {
    let set = |name: &&str| Some(((*name).to_owned(), environment.get(name)?.to_owned()));
    INHERITED_VARIABLES.iter().filter_map(set).collect()
}

/// Converts the section of a server for one execution.
fn settings(name: &str, server: &McpServerConfig, served: ServedExecution<'_>) -> ServerSettings {
    let config = server.transport.filled(served);
    let defaults = ServerSettings::new(name, transport(&config));
    ServerSettings {
        call_within: config.timeout.map_or(defaults.call_within, Period::duration),
        start_within: config.start_timeout.map_or(defaults.start_within, Period::duration),
        tools: server.tool_filter(),
        isolation: match server.isolation() {
            IsolationConfig::Shared => Isolation::Shared,
            IsolationConfig::Execution => Isolation::Execution,
        },
        ..defaults
    }
}

/// Converts the transport of a server. Validation guarantees that a command or a URL is set.
fn transport(config: &TransportConfig) -> Transport {
    match config.r#type {
        TransportType::Stdio => Transport::Stdio(Program {
            command: config.command.clone().unwrap_or_default(),
            arguments: config.args.clone().unwrap_or_default(),
            environment: config.env.clone().unwrap_or_default(),
        }),
        TransportType::Http => Transport::Http(endpoint(config)),
        TransportType::Sse => Transport::Sse(endpoint(config)),
    }
}

fn endpoint(config: &TransportConfig) -> HttpEndpoint {
    HttpEndpoint {
        url: config.url.clone().unwrap_or_else(|| Secret::new("")),
        headers: config.headers.clone().unwrap_or_default(),
        bearer: config.bearer_token.clone(),
        verify_tls: config.verify_ssl.unwrap_or(true),
        cleanup_url: config.session_cleanup_url.clone(),
    }
}

#[cfg(test)]
mod tests;
