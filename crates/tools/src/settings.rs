//! Settings of a server: plain data that the caller fills from the configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{Secret, ToolFilter};

/// Default timeout of one call.
const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Default start timeout of a program. An interpreter on a busy machine takes a minute to import its modules,
/// and a package may have to be downloaded first.
const DEFAULT_PROGRAM_START_TIMEOUT: Duration = Duration::from_secs(120);
/// Default timeout of connecting to a server that is running already.
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// How to reach a server and which of its tools to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// Prefix of the names of its tools, before the dot.
    pub name: String,
    /// Transport of the connection.
    pub transport: Transport,
    /// Timeout of one call, from the first byte sent to the last byte read.
    pub call_within: Duration,
    /// Timeout of the start, of the handshake and of the first list of tools together.
    pub start_within: Duration,
    /// Filter for the tools that agents may use.
    pub tools: ToolFilter,
    /// Whether executions share the connection.
    pub isolation: Isolation,
}

/// Transport of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A child process, over its standard input and output.
    Stdio(Program),
    /// Streamable HTTP.
    Http(HttpEndpoint),
    /// HTTP with server-sent events, the predecessor of streamable HTTP.
    Sse(HttpEndpoint),
}

/// A program with its arguments and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name that is searched in `PATH`.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<Secret>,
    /// Environment variables that extend and override the base environment.
    pub environment: BTreeMap<String, Secret>,
}

/// Address and credentials of a server on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpEndpoint {
    /// URL, which may contain a credential.
    pub url: Secret,
    /// Headers of every request.
    pub headers: BTreeMap<String, Secret>,
    /// Token for `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Whether the TLS certificate is verified.
    pub verify_tls: bool,
    /// URL that receives a `DELETE` when an execution with an isolated connection ends.
    pub cleanup_url: Option<Secret>,
}

/// Whether executions share a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// One connection for all executions of the process.
    Shared,
    /// One connection per execution, and for a program one process.
    Execution,
}

impl ServerSettings {
    /// Creates settings of a shared server with default timeouts and all of its tools.
    pub fn new(name: impl Into<String>, transport: Transport) -> Self {
        let start_within = match &transport {
            Transport::Stdio(_) => DEFAULT_PROGRAM_START_TIMEOUT,
            Transport::Http(_) | Transport::Sse(_) => DEFAULT_CONNECT_TIMEOUT,
        };
        Self {
            name: name.into(),
            transport,
            call_within: DEFAULT_CALL_TIMEOUT,
            start_within,
            tools: ToolFilter::default(),
            isolation: Isolation::Shared,
        }
    }
}

impl Program {
    /// Creates a program with arguments and no additional environment variables.
    pub fn new<A: Into<String>>(command: impl Into<String>, arguments: impl IntoIterator<Item = A>) -> Self {
        let arguments = arguments.into_iter().map(|argument| Secret::new(argument.into())).collect();
        Self { command: command.into(), arguments, environment: BTreeMap::new() }
    }
}

impl HttpEndpoint {
    /// Creates an endpoint without credentials whose certificate is verified.
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
