//! What works beside the server, as plain values: workers, MCP servers, providers, and what people should know.
//!
//! The server does not know the engine. Whoever wires the two gives it a [`Reporter`], which says how things are now.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

/// Says how things are now. It must not wait for anybody.
pub type Reporter = Arc<dyn Fn() -> SystemReport + Send + Sync>;

/// How things are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemReport {
    /// Who works on sessions.
    pub workers: Workers,
    /// The MCP servers of the configuration.
    pub mcp_servers: Vec<McpServerReport>,
    /// The model providers of the configuration.
    pub providers: Vec<ProviderReport>,
    /// What people should know.
    pub warnings: Vec<SystemWarning>,
}

/// Who works on sessions in this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Workers {
    /// How many there should be.
    pub configured: u64,
    /// How many there are.
    pub running: u64,
    /// How many of them are at a session now.
    pub busy: u64,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = McpServerResponse)]
pub struct McpServerReport {
    /// Its id.
    pub name: String,
    /// How it is reached: `stdio`, `http` or `sse`.
    pub transport: String,
    /// Whether it can be used.
    pub state: McpServerState,
    /// What went wrong last, even if all is well again.
    pub last_error: Option<String>,
    /// The tools that agents may use, `server.tool`.
    pub tools: Vec<String>,
    /// Which version of the protocol is spoken.
    pub protocol_version: Option<String>,
    /// What the server calls itself, with its version.
    pub server: Option<String>,
}

/// Whether an MCP server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpServerState {
    /// No agent has needed it yet, or each has one of its own: it is started when it is needed.
    OnDemand,
    /// The first attempt is under way.
    Connecting,
    /// Its tools are there.
    Ready,
    /// It cannot be used, and will be tried again.
    Failed,
    /// It is being tried again.
    Restarting,
}

/// A model provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// Its name.
    pub name: String,
    /// What it still needs before it can be used: environment variables, or keys of its own.
    pub missing: Vec<String>,
}

/// Something that people should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SystemWarning {
    /// What it is about.
    pub category: WarningCategory,
    /// Its name: a key of the configuration, a server, a provider, a template.
    pub subject: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningCategory {
    /// The configuration.
    Config,
    /// An MCP server that cannot be used.
    McpServer,
    /// A model provider that cannot be used.
    Provider,
    /// A prompt that is not the built-in one.
    Prompt,
}

impl ProviderReport {
    /// Whether nothing is missing.
    pub fn is_usable(&self) -> bool {
        self.missing.is_empty()
    }
}
