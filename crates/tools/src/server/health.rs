//! Health and status of a server.

use std::sync::Arc;

use tarsy_domain::ToolDefinition;

use crate::ToolInfo;
use crate::connection::LiveConnection;

/// Health of a server, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHealth {
    /// Name of the server.
    pub name: String,
    /// Whether it can be used.
    pub state: ServerState,
    /// The most recent error, also after the server has recovered.
    pub last_error: Option<String>,
    /// The tools that agents may use.
    pub tools: Vec<ServerTool>,
    /// Negotiated version of the protocol.
    pub protocol_version: Option<String>,
    /// Name and version that the server reports about itself.
    pub server: Option<String>,
}

/// A tool of a server, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTool {
    /// Canonical name.
    pub name: String,
    /// Description that the server gives.
    pub description: String,
}

/// Whether a server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// The first attempt to connect is in progress.
    Connecting,
    /// The server is connected and its tools are listed.
    Ready,
    /// The last attempt failed; another one will follow.
    Failed,
    /// Another attempt is in progress.
    Restarting,
}

impl ServerTool {
    fn of(definition: &ToolDefinition) -> Self {
        Self { name: definition.name.clone(), description: definition.description.clone() }
    }
}

impl ServerState {
    /// Returns the name of the state as it appears in JSON and in the CLI.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Restarting => "restarting",
        }
    }
}

/// Status of a server, as calls need it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Status {
    pub(crate) state: ServerState,
    pub(crate) last_error: Option<Arc<str>>,
    /// Present if and only if the state is `Ready`.
    pub(crate) live: Option<LiveConnection>,
    /// Empty unless the state is `Ready`.
    pub(crate) tools: Arc<[ToolInfo]>,
}

impl Status {
    pub(crate) fn new() -> Self {
        Self { state: ServerState::Connecting, last_error: None, live: None, tools: Arc::new([]) }
    }

    pub(crate) fn health(&self, name: &str) -> ServerHealth {
        let peer = self.live.as_ref().and_then(|live| live.peer.peer_info());
        let server = peer.as_ref().and_then(|peer| peer.server_info.as_ref());
        ServerHealth {
            name: name.to_owned(),
            state: self.state,
            last_error: self.last_error.as_deref().map(str::to_owned),
            tools: self.tools.iter().map(|tool| ServerTool::of(&tool.definition)).collect(),
            protocol_version: peer.as_ref().map(|peer| peer.protocol_version.as_str().to_owned()),
            server: server.map(|server| format!("{} {}", server.name, server.version)),
        }
    }
}
