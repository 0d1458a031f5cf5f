//! One connection to a server, from the handshake to its end.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RunningService, ServiceError,
    serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::IntoTransport;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use crate::client::{McpClient, ProgressRoutes, ProgressTap};
use crate::error::{CallError, ServerConnectError};
use crate::http::{Requests, SseTransport, streamable_transport};
use crate::stdio::{Diagnosis, StdioTransport};
use crate::{ServerContext, ServerSettings, ToolInfo, Transport};

/// Timeout of closing a connection, which includes the time that the guard of a program takes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of tools of one server.
const MAX_TOOLS: usize = 2000;
/// Maximum number of pages in a list of tools.
const MAX_PAGES: usize = 200;

/// The part of a connection that calls use. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct LiveConnection {
    /// Handle for requests to the server.
    pub(crate) peer: Peer<RoleClient>,
    /// Routes for progress notifications.
    pub(crate) progress: ProgressRoutes,
    /// Cancelled by a call that finds the connection broken.
    pub(crate) broken: CancellationToken,
}

type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A connection to a server. Dropping it closes it in the background.
pub(crate) struct McpConnection {
    pub(crate) live: LiveConnection,
    pub(crate) tools_changed: Arc<Notify>,
    diagnosis: Diagnosis,
    stop: CancellationToken,
    /// `None` once the connection has ended.
    ending: Option<Ending>,
}

impl LiveConnection {
    /// Lists the server's tools that pass the filter.
    pub(crate) async fn tools(&self, settings: &ServerSettings) -> Result<Vec<ToolInfo>, CallError> {
        let can = self.peer.peer_info().is_some_and(|info| info.capabilities.tools.is_some());
        if !can {
            return Ok(Vec::new());
        }
        let listing = list_tools(&self.peer, settings);
        timeout(settings.start_within, listing)
            .await
            .unwrap_or(Err(CallError::TimedOut(settings.start_within)))
    }
}

impl McpConnection {
    /// Connects and completes the handshake.
    ///
    /// `initialize` is tried first: every server before protocol version 2026-07-28 needs it, and some fail
    /// on any other first request. A server that no longer knows it is discovered instead. `leaving` waits
    /// for the programs of abandoned attempts.
    pub(crate) async fn open(
        settings: &ServerSettings,
        context: &ServerContext,
        diagnosis: &Diagnosis,
        leaving: &TaskTracker,
    ) -> Result<Self, ServerConnectError> {
        let attempt = ConnectionAttempt { settings, context, diagnosis, leaving };
        match attempt.start(ClientLifecycleMode::Initialize).await? {
            Ok(connection) => Ok(connection),
            Err(refusal) if wants_discovery(&refusal) => {
                let preferred_versions = vec![ProtocolVersion::LATEST];
                let discovered = attempt.start(ClientLifecycleMode::Discover { preferred_versions }).await?;
                // A server that knows neither handshake is reported with its first error.
                discovered.map_err(|error| if is_unknown(&error) { refusal } else { error }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the connection has ended or a call finds it broken.
    pub(crate) async fn ended(&mut self) {
        tokio::select! {
            () = end_of(&mut self.ending) => {}
            () = self.live.broken.cancelled() => {}
        }
    }

    /// Returns what is known about the end of the connection.
    pub(crate) fn diagnosis(&self) -> String {
        self.diagnosis.to_string()
    }

    /// Closes the connection and waits for its end.
    pub(crate) async fn close(mut self, server: &str) {
        self.stop.cancel();
        if timeout(CLOSE_TIMEOUT, end_of(&mut self.ending)).await.is_err() {
            warn!(server.name = server, "closing the connection timed out");
        }
    }
}

impl Drop for McpConnection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The inputs of an attempt to connect.
struct ConnectionAttempt<'a> {
    settings: &'a ServerSettings,
    context: &'a ServerContext,
    diagnosis: &'a Diagnosis,
    leaving: &'a TaskTracker,
}

impl ConnectionAttempt<'_> {
    async fn start(
        &self,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Result<McpConnection, ClientInitializeError>, ServerConnectError> {
        Ok(match &self.settings.transport {
            Transport::Stdio(program) => {
                let transport = StdioTransport::start(
                    &self.settings.name,
                    program,
                    &self.context.guard,
                    &self.context.base_environment,
                    &self.context.screen,
                    self.diagnosis,
                    self.leaving,
                )?;
                self.handshake(transport, lifecycle).await
            }
            Transport::Http(endpoint) => {
                let transport = streamable_transport(Requests::new(endpoint)?);
                self.handshake(transport, lifecycle).await
            }
            Transport::Sse(endpoint) => {
                let opened = SseTransport::open(Requests::new(endpoint)?, self.diagnosis.clone());
                self.handshake(opened.await?, lifecycle).await
            }
        })
    }

    async fn handshake<T, E, A>(
        &self,
        transport: T,
        lifecycle: ClientLifecycleMode,
    ) -> Result<McpConnection, ClientInitializeError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let (progress, tools_changed) = (ProgressRoutes::default(), Arc::new(Notify::new()));
        let client = McpClient {
            server: self.settings.name.clone(),
            screen: self.context.screen.clone(),
            tools_changed: tools_changed.clone(),
        };
        let transport = ProgressTap { transport: transport.into_transport(), progress: progress.clone() };
        let stop = CancellationToken::new();
        let service: RunningService<RoleClient, McpClient> =
            serve_client_with_lifecycle_and_ct(client, transport, lifecycle, stop.clone()).await?;
        let live =
            LiveConnection { peer: service.peer().clone(), progress, broken: CancellationToken::new() };
        let ending: Ending = Box::pin(service.waiting().map(|_| ()));
        let diagnosis = self.diagnosis.clone();
        Ok(McpConnection { live, tools_changed, diagnosis, stop, ending: Some(ending) })
    }
}

/// Waits for the end of the connection. Returns immediately if it was awaited before.
async fn end_of(ending: &mut Option<Ending>) {
    if let Some(waited_for) = ending {
        waited_for.await;
        *ending = None;
    }
}

/// Returns whether a server that rejected `initialize` may be one that no longer supports it.
///
/// It may not know the method or the version, or miss what newer protocol versions require: a header, or a
/// part of `_meta`.
fn wants_discovery(error: &ClientInitializeError) -> bool {
    let ClientInitializeError::JsonRpcError(error) = error else { return false };
    matches!(
        error.code,
        ErrorCode::METHOD_NOT_FOUND
            | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::HEADER_MISMATCH
            | ErrorCode::INVALID_PARAMS
    )
}

/// Returns whether the server does not know the method.
fn is_unknown(error: &ClientInitializeError) -> bool {
    matches!(error, ClientInitializeError::JsonRpcError(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
}

async fn list_tools(peer: &Peer<RoleClient>, settings: &ServerSettings) -> Result<Vec<ToolInfo>, CallError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        let listed =
            peer.list_tools(Some(page)).await.map_err(|error: ServiceError| CallError::from(error))?;
        let passing = listed.tools.into_iter().filter(|tool| settings.tools.passes(&tool.name));
        tools.extend(passing.map(|tool| ToolInfo::new(&settings.name, tool)));
        cursor = listed.next_cursor;
        if cursor.is_none() || tools.len() > MAX_TOOLS {
            break;
        }
    }
    tools.truncate(MAX_TOOLS);
    Ok(tools)
}
