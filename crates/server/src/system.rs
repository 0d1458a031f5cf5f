//! The state of workers, MCP servers and providers, as plain values.
//!
//! The server does not depend on the engine. The program that runs both passes a [`Reporter`] to the server.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

/// Returns the current state. It must not block.
pub type Reporter = Arc<dyn Fn() -> SystemReport + Send + Sync>;

/// The state of the system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemReport {
    /// The workers of this process.
    pub workers: Workers,
    /// The configured MCP servers.
    pub mcp_servers: Vec<McpServerReport>,
    /// The configured model providers.
    pub providers: Vec<ProviderReport>,
    /// Problems that an operator should fix.
    pub warnings: Vec<SystemWarning>,
}

/// The workers of this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Workers {
    /// Number of configured workers.
    pub configured: u64,
    /// Number of running workers.
    pub running: u64,
    /// Number of workers that are processing a session.
    pub busy: u64,
}

/// The state of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = McpServerResponse)]
pub struct McpServerReport {
    /// Id of the server.
    pub name: String,
    /// The transport: `stdio`, `http` or `sse`.
    pub transport: String,
    /// Whether the server can be used.
    pub state: McpServerState,
    /// The last error, even if the server has recovered since.
    pub last_error: Option<String>,
    /// The tools that agents may use, as `server.tool`.
    pub tools: Vec<String>,
    /// The same tools with their descriptions.
    pub tool_details: Vec<McpToolReport>,
    /// The negotiated protocol version.
    pub protocol_version: Option<String>,
    /// The name and version that the server reports.
    pub server: Option<String>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = McpToolResponse)]
pub struct McpToolReport {
    /// Name of the tool, as `server.tool`.
    pub name: String,
    /// Description that the server gives.
    pub description: String,
}

/// Whether an MCP server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpServerState {
    /// Not started: no agent has needed it yet, or each execution starts its own instance.
    OnDemand,
    /// The first connection attempt is in progress.
    Connecting,
    /// Connected, and its tools are known.
    Ready,
    /// The connection failed and will be retried.
    Failed,
    /// A reconnection attempt is in progress.
    Restarting,
}

/// The state of a model provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// Name of the provider.
    pub name: String,
    /// Missing environment variables or configuration keys.
    pub missing: Vec<String>,
}

/// A problem that an operator should fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SystemWarning {
    /// The component that the warning concerns.
    pub category: WarningCategory,
    /// Name of the configuration key, MCP server, provider or prompt template.
    pub subject: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// The component that a warning concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningCategory {
    /// The configuration.
    Config,
    /// An MCP server that cannot be used.
    McpServer,
    /// A model provider that cannot be used.
    Provider,
    /// A prompt template that overrides the built-in one.
    Prompt,
}

impl ProviderReport {
    /// Returns whether the provider is completely configured.
    pub fn is_usable(&self) -> bool {
        self.missing.is_empty()
    }
}
