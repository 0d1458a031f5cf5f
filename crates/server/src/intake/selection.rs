//! Validates the MCP servers and tools that an alert selects, and applies them to the chain.

use tarsy_config::file::NativeToolsConfig;
use tarsy_config::{Config, ResolvedChain};
use tarsy_domain::{McpSelection, SelectedNativeTools, SelectedServer};

use crate::ApiError;

/// Applies the selection of an alert to its chain, or returns why the configuration does not allow it.
pub(crate) fn apply_selection(
    selection: &McpSelection,
    config: &Config,
    chain: &mut ResolvedChain,
) -> Result<(), ApiError> {
    if let Some(servers) = &selection.servers {
        check_servers(config, servers)?;
        let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
        chain.choose_servers(&names);
    }
    if let Some(native_tools) = selection.native_tools {
        let SelectedNativeTools { google_search, code_execution, url_context } = native_tools;
        chain.choose_native_tools(NativeToolsConfig { google_search, code_execution, url_context });
    }
    Ok(())
}

fn check_servers(config: &Config, servers: &[SelectedServer]) -> Result<(), ApiError> {
    if servers.is_empty() {
        let problem = "must not be empty; omit it to use the servers of the chain";
        return Err(ApiError::bad("mcp.servers", problem));
    }
    for (index, server) in servers.iter().enumerate() {
        let field = format!("mcp.servers[{index}]");
        if servers[..index].iter().any(|earlier| earlier.name == server.name) {
            let problem = format!("`{}` is listed twice", server.name);
            return Err(ApiError::bad(&format!("{field}.name"), problem));
        }
        check_tools(config, &field, server)?;
    }
    Ok(())
}

/// Checks the selected tools against the configured filter. Whether the server has them is known only after
/// connecting.
fn check_tools(config: &Config, field: &str, server: &SelectedServer) -> Result<(), ApiError> {
    let configured = config
        .mcp_server(&server.name)
        .map_err(|unknown| ApiError::bad(&format!("{field}.name"), unknown.to_string()))?;
    let field = format!("{field}.tools");
    if server.tools.as_ref().is_some_and(Vec::is_empty) {
        let problem = "must not be empty; omit it to use all tools";
        return Err(ApiError::bad(&field, problem));
    }
    let filter = configured.tool_filter();
    let mut tools = server.tools.iter().flatten().enumerate();
    let Some((index, tool)) = tools.find(|(_, tool)| !filter.passes(tool)) else { return Ok(()) };
    let allowed = filter.allow.as_ref().map_or("all tools".to_owned(), |names| names.join(", "));
    let denied = if filter.deny.is_empty() { "none".to_owned() } else { filter.deny.join(", ") };
    let problem = format!(
        "the tool filter of server `{}` excludes `{tool}`; allowed: {allowed}; denied: {denied}",
        server.name
    );
    Err(ApiError::bad(&format!("{field}[{index}]"), problem))
}
