//! How a server is doing.

use std::sync::Arc;

use crate::ToolInfo;
use crate::connection::Live;

/// How a server is doing, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHealth {
    /// Its name.
    pub name: String,
    /// Whether it can be used.
    pub state: ServerState,
    /// What went wrong last, even if all is well again.
    pub last_error: Option<String>,
    /// The tools that it offers to agents, `server.tool`.
    pub tools: Vec<String>,
    /// Which version of the protocol is spoken.
    pub protocol_version: Option<String>,
    /// What the server calls itself, with its version.
    pub server: Option<String>,
}

/// Whether a server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// The first attempt is under way.
    Connecting,
    /// Its tools are there.
    Ready,
    /// It cannot be used, and will be tried again.
    Failed,
    /// It is being tried again.
    Restarting,
}

impl ServerState {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Restarting => "restarting",
        }
    }
}

/// How a server is doing, for calls. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Status {
    pub(crate) state: ServerState,
    pub(crate) last_error: Option<Arc<str>>,
    /// There if and only if it is ready.
    pub(crate) live: Option<Live>,
    /// Empty unless it is ready.
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
            tools: self.tools.iter().map(|tool| tool.definition.name.clone()).collect(),
            protocol_version: peer.as_ref().map(|peer| peer.protocol_version.as_str().to_owned()),
            server: server.map(|server| format!("{} {}", server.name, server.version)),
        }
    }
}
