//! An alert's own choice of MCP servers and tools, checked against the configuration.

use serde::{Deserialize, Serialize};
use tarsy_config::file::NativeToolsConfig;
use tarsy_config::{Config, ResolvedChain};
use utoipa::ToSchema;

use crate::ApiError;

/// MCP servers and tools in place of those of the chain.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpSelection {
    /// The servers that agents may use, in place of those of the chain. Without it: those of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    servers: Option<Vec<SelectedServer>>,
    /// Tools that the models' vendors run. What is not mentioned stays as it is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    native_tools: Option<SelectedNativeTools>,
}

/// A server, and which of its tools.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectedServer {
    /// Its name in the configuration.
    name: String,
    /// The tools that agents may use, by the server's own names. Without it: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    tools: Option<Vec<String>>,
}

/// Tools that the models' vendors run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectedNativeTools {
    /// Search the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    google_search: Option<bool>,
    /// Run code in the vendor's sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_execution: Option<bool>,
    /// Read web pages that the prompt names.
    #[serde(skip_serializing_if = "Option::is_none")]
    url_context: Option<bool>,
}

impl McpSelection {
    /// Gives the chain what was chosen, if there is such a thing.
    pub(crate) fn apply(&self, config: &Config, chain: &mut ResolvedChain) -> Result<(), ApiError> {
        if let Some(servers) = &self.servers {
            check_servers(config, servers)?;
            let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
            chain.choose_servers(&names);
        }
        if let Some(native_tools) = self.native_tools {
            chain.choose_native_tools(native_tools.into());
        }
        Ok(())
    }
}

fn check_servers(config: &Config, servers: &[SelectedServer]) -> Result<(), ApiError> {
    if servers.is_empty() {
        let problem = "it is empty, expected at least one server; leave it out to have those of the chain";
        return Err(ApiError::bad("mcp.servers", problem));
    }
    for (index, server) in servers.iter().enumerate() {
        let field = format!("mcp.servers[{index}]");
        if servers[..index].iter().any(|earlier| earlier.name == server.name) {
            let problem = format!("`{}` is named twice", server.name);
            return Err(ApiError::bad(&format!("{field}.name"), problem));
        }
        check_tools(config, &field, server)?;
    }
    Ok(())
}

/// Which tools a server has is known only once it is connected, but not which the configuration lets through.
fn check_tools(config: &Config, field: &str, server: &SelectedServer) -> Result<(), ApiError> {
    let configured = config
        .mcp_server(&server.name)
        .map_err(|unknown| ApiError::bad(&format!("{field}.name"), unknown.to_string()))?;
    let field = format!("{field}.tools");
    if server.tools.as_ref().is_some_and(Vec::is_empty) {
        let problem = "it is empty, expected at least one tool; leave it out to have all";
        return Err(ApiError::bad(&field, problem));
    }
    let filter = configured.tool_filter();
    let mut tools = server.tools.iter().flatten().enumerate();
    let Some((index, tool)) = tools.find(|(_, tool)| !filter.passes(tool)) else { return Ok(()) };
    let allowed = filter.allow.as_ref().map_or("all tools".to_owned(), |names| names.join(", "));
    let denied = if filter.deny.is_empty() { "none".to_owned() } else { filter.deny.join(", ") };
    let problem = format!(
        "the configuration of `{}` does not let `{tool}` through; allowed: {allowed}; denied: {denied}",
        server.name
    );
    Err(ApiError::bad(&format!("{field}[{index}]"), problem))
}

impl From<SelectedNativeTools> for NativeToolsConfig {
    fn from(chosen: SelectedNativeTools) -> Self {
        let SelectedNativeTools { google_search, code_execution, url_context } = chosen;
        Self { google_search, code_execution, url_context }
    }
}
