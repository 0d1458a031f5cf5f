//! What the tool box is told about a server: plain data, filled from a configuration by somebody else.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{Secret, ToolFilter};

/// How long one call may take, if nobody says otherwise.
const USUAL_CALL: Duration = Duration::from_secs(60);
/// How long a server may take until it is ready, if nobody says otherwise. A package that is fetched when it is first
/// started needs its time.
const USUAL_START: Duration = Duration::from_secs(30);

/// A server: how it is reached and what is used of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The part before the dot in the names of its tools.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// How long one call may take, from the first byte sent to the last one read.
    pub call_within: Duration,
    /// How long it may take from its start until its tools are known.
    pub start_within: Duration,
    /// Which of its tools are there for agents.
    pub tools: ToolFilter,
    /// Whether executions share it.
    pub isolation: Isolation,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that is started here.
    Stdio(Program),
    /// Streamable HTTP.
    Http(Endpoint),
    /// HTTP with server-sent events, as it was before streamable HTTP.
    Sse(Endpoint),
}

/// A program and what it is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name to be looked for in `PATH`.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<Secret>,
    /// What its environment has besides the base environment; these win.
    pub environment: BTreeMap<String, Secret>,
}

/// A server on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address, which may hold a credential.
    pub url: Secret,
    /// Sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// Sent as `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Whether its certificate is checked.
    pub verify_tls: bool,
    /// Called with `DELETE` when an execution that had the server for itself ends.
    pub cleanup_url: Option<Secret>,
}

/// Whether executions share a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// One connection for all executions of the process.
    Shared,
    /// One connection, and for a program one process, for each execution.
    Execution,
}

impl ServerSettings {
    /// A shared server with the usual limits and all its tools.
    pub fn new(name: impl Into<String>, transport: Transport) -> Self {
        Self {
            name: name.into(),
            transport,
            call_within: USUAL_CALL,
            start_within: USUAL_START,
            tools: ToolFilter::default(),
            isolation: Isolation::Shared,
        }
    }
}

impl Program {
    /// A program with these arguments and nothing of its own in the environment.
    pub fn new<A: Into<String>>(command: impl Into<String>, arguments: impl IntoIterator<Item = A>) -> Self {
        let arguments = arguments.into_iter().map(|argument| Secret::new(argument.into())).collect();
        Self { command: command.into(), arguments, environment: BTreeMap::new() }
    }
}

impl Endpoint {
    /// An address without credentials whose certificate is checked.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: Secret::new(url),
            headers: BTreeMap::new(),
            bearer: None,
            verify_tls: true,
            cleanup_url: None,
        }
    }
}
