//! The MCP servers of a configuration: its words become settings, and an execution gets its tool box.
//!
//! How servers are connected, called and kept is the tool box's affair.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_config::file::{IsolationConfig, McpServerConfig, TransportConfig, TransportType};
use tarsy_config::{Config, Environment, Period, ServedExecution};
use tarsy_domain::{ExecutionId, Secret, resolve_tool_name};
use tarsy_tools::{
    Endpoint, Guard, Isolation, Pool, Program, ServerHealth, ServerSettings, Surroundings, ToolBox, Transport,
};
use thiserror::Error;

use crate::{Maskers, SessionMask};

/// What a program finds in its environment without being given it: where things are, and how to write them. Proxies are
/// not among it, for their addresses hold credentials.
const PASSED_ON: &[&str] = &[
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

/// Who opens a tool box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// Its execution.
    pub execution_id: ExecutionId,
    /// The stage it belongs to; empty if it belongs to none.
    pub stage: &'a str,
    /// The agent; empty if somebody calls a tool by hand.
    pub agent: &'a str,
}

impl Caller<'_> {
    /// Somebody who calls a tool by hand.
    pub fn by_hand() -> Self {
        Self { execution_id: ExecutionId::new(), stage: "", agent: "" }
    }

    /// What recordings call it by: `stage/agent`, or `agent`.
    fn name(&self) -> String {
        if self.stage.is_empty() { self.agent.to_owned() } else { format!("{}/{}", self.stage, self.agent) }
    }
}

/// A server that the configuration does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no MCP server `{name}`{}; there are: {}", instead(nearest), known.join(", "))]
pub struct UnknownServer {
    /// The name that was asked for.
    pub name: String,
    /// Names that may have been meant.
    pub nearest: Vec<String>,
    /// The names there are.
    pub known: Vec<String>,
}

impl Servers {
    /// The servers of this configuration. `guard` is the command that programs are started under.
    pub fn new(config: Arc<Config>, environment: &Environment, maskers: &Maskers, guard: Guard) -> Self {
        let pool = Pool::new(Surroundings {
            base_environment: Arc::new(base_environment(environment)),
            guard,
            screen: maskers.screen(),
        });
        Self { config, pool }
    }

    /// The tool box of an execution of a session, with these servers in it.
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
        Ok(self.pool.open_behind(mask.screen(), servers).await)
    }

    /// How the servers that executions share are doing, of those that were ever asked for.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.pool.health()
    }

    /// Ends the servers that executions share.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    fn find(&self, name: &str) -> Result<&McpServerConfig, UnknownServer> {
        let servers = self.config.mcp_servers();
        servers.get(name).ok_or_else(|| {
            // Servers are misspelt as tools are; one that is only written otherwise is the nearest.
            let nearest = match resolve_tool_name(name, servers.keys().map(String::as_str)) {
                Ok(meant) => vec![meant.to_owned()],
                Err(unknown) => unknown.nearest,
            };
            UnknownServer { name: name.to_owned(), nearest, known: servers.keys().cloned().collect() }
        })
    }
}

fn instead(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!(", did you mean `{}`?", nearest.join("` or `")) }
}

fn base_environment(environment: &Environment) -> BTreeMap<String, String> {
    let set = |name: &&str| Some(((*name).to_owned(), environment.get(name)?.to_owned()));
    PASSED_ON.iter().filter_map(set).collect()
}

/// What the tool box is told about a server for one execution.
fn settings(name: &str, server: &McpServerConfig, served: ServedExecution<'_>) -> ServerSettings {
    let config = server.transport.filled(served);
    let usual = ServerSettings::new(name, transport(&config));
    ServerSettings {
        call_within: config.timeout.map_or(usual.call_within, Period::duration),
        tools: server.tool_filter(),
        isolation: match server.isolation() {
            IsolationConfig::Shared => Isolation::Shared,
            IsolationConfig::Execution => Isolation::Execution,
        },
        ..usual
    }
}

/// The rules of the configuration have made sure that a command or an address is there.
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

fn endpoint(config: &TransportConfig) -> Endpoint {
    Endpoint {
        url: config.url.clone().unwrap_or_else(|| Secret::new("")),
        headers: config.headers.clone().unwrap_or_default(),
        bearer: config.bearer_token.clone(),
        verify_tls: config.verify_ssl.unwrap_or(true),
        cleanup_url: config.session_cleanup_url.clone(),
    }
}

#[cfg(test)]
mod tests;
