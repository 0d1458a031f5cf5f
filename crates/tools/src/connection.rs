//! A connection to a server, from its opening to its end.

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

use crate::client::{Client, Ear, ProgressRoutes};
use crate::error::{CallError, ConnectError};
use crate::http::{Requests, SseTransport, streamable_transport};
use crate::stdio::{Diagnosis, StdioTransport};
use crate::{ServerSettings, Surroundings, ToolInfo, Transport};

/// How long closing may take; the guard of a program needs some of it.
const CLOSES_WITHIN: Duration = Duration::from_secs(10);
/// The most tools of one server, and the most pages they are listed on.
const MOST_TOOLS: usize = 2000;
const MOST_PAGES: usize = 200;

/// What calls need of a connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    /// The other side.
    pub(crate) peer: Peer<RoleClient>,
    /// Where news of calls go.
    pub(crate) progress: ProgressRoutes,
    /// Cancelled by a call that found the connection broken.
    pub(crate) broken: CancellationToken,
}

type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A connection. Dropping it closes it, without waiting for that.
pub(crate) struct Connection {
    pub(crate) live: Live,
    pub(crate) tools_changed: Arc<Notify>,
    diagnosis: Diagnosis,
    stop: CancellationToken,
    /// Nothing, once it has ended.
    ending: Option<Ending>,
}

impl Live {
    /// The server's tools, as many as pass.
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

impl Connection {
    /// Connects, and waits until the server has introduced itself.
    ///
    /// `initialize` is tried first, for every server before 2026 needs it and some break when they are asked
    /// something else before; one that does not know it any more is asked to be discovered. Programs of attempts that
    /// are given up are seen off by `leaving`.
    pub(crate) async fn open(
        settings: &ServerSettings,
        surroundings: &Surroundings,
        diagnosis: &Diagnosis,
        leaving: &TaskTracker,
    ) -> Result<Self, ConnectError> {
        let opening = Opening { settings, surroundings, diagnosis, leaving };
        match opening.attempt(ClientLifecycleMode::Initialize).await? {
            Ok(connection) => Ok(connection),
            Err(refusal) if wants_discovery(&refusal) => {
                let preferred_versions = vec![ProtocolVersion::LATEST];
                let discovered =
                    opening.attempt(ClientLifecycleMode::Discover { preferred_versions }).await?;
                // Who knows neither way to begin meant what it said about the first.
                discovered.map_err(|error| if is_unknown(&error) { refusal } else { error }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns when the connection has ended, or a call found it broken.
    pub(crate) async fn ended(&mut self) {
        tokio::select! {
            () = end_of(&mut self.ending) => {}
            () = self.live.broken.cancelled() => {}
        }
    }

    /// What is known about the end of it.
    pub(crate) fn diagnosis(&self) -> String {
        self.diagnosis.to_string()
    }

    /// Closes it and waits until nothing of it is left.
    pub(crate) async fn close(mut self, server: &str) {
        self.stop.cancel();
        if timeout(CLOSES_WITHIN, end_of(&mut self.ending)).await.is_err() {
            warn!(server.name = server, "the connection did not close in time");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What a connection is made of.
struct Opening<'a> {
    settings: &'a ServerSettings,
    surroundings: &'a Surroundings,
    diagnosis: &'a Diagnosis,
    leaving: &'a TaskTracker,
}

impl Opening<'_> {
    async fn attempt(
        &self,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Result<Connection, ClientInitializeError>, ConnectError> {
        Ok(match &self.settings.transport {
            Transport::Stdio(program) => {
                let transport = StdioTransport::start(
                    &self.settings.name,
                    program,
                    &self.surroundings.guard,
                    &self.surroundings.base_environment,
                    &self.surroundings.screen,
                    self.diagnosis,
                    self.leaving,
                )?;
                self.introduce(transport, lifecycle).await
            }
            Transport::Http(endpoint) => {
                let transport = streamable_transport(Requests::new(endpoint)?);
                self.introduce(transport, lifecycle).await
            }
            Transport::Sse(endpoint) => {
                let opened = SseTransport::open(Requests::new(endpoint)?, self.diagnosis.clone());
                self.introduce(opened.await?, lifecycle).await
            }
        })
    }

    async fn introduce<T, E, A>(
        &self,
        transport: T,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, ClientInitializeError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let (progress, tools_changed) = (ProgressRoutes::default(), Arc::new(Notify::new()));
        let client = Client {
            server: self.settings.name.clone(),
            screen: self.surroundings.screen.clone(),
            tools_changed: tools_changed.clone(),
        };
        let transport = Ear { transport: transport.into_transport(), progress: progress.clone() };
        let stop = CancellationToken::new();
        let service: RunningService<RoleClient, Client> =
            serve_client_with_lifecycle_and_ct(client, transport, lifecycle, stop.clone()).await?;
        let live = Live { peer: service.peer().clone(), progress, broken: CancellationToken::new() };
        let ending: Ending = Box::pin(service.waiting().map(|_| ()));
        let diagnosis = self.diagnosis.clone();
        Ok(Connection { live, tools_changed, diagnosis, stop, ending: Some(ending) })
    }
}

/// Waits for an end that may have been seen already.
async fn end_of(ending: &mut Option<Ending>) {
    if let Some(waited_for) = ending {
        waited_for.await;
        *ending = None;
    }
}

/// Whether a server that refused `initialize` may be one that has no such thing any more.
///
/// It may not know the method or the version, or miss what every request has since 2026: a header, or a part of `_meta`.
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

/// Whether a server does not know what it was asked.
fn is_unknown(error: &ClientInitializeError) -> bool {
    matches!(error, ClientInitializeError::JsonRpcError(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
}

async fn list_tools(peer: &Peer<RoleClient>, settings: &ServerSettings) -> Result<Vec<ToolInfo>, CallError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        let listed =
            peer.list_tools(Some(page)).await.map_err(|error: ServiceError| CallError::from(error))?;
        let passing = listed.tools.into_iter().filter(|tool| settings.tools.passes(&tool.name));
        tools.extend(passing.map(|tool| ToolInfo::of(&settings.name, tool)));
        cursor = listed.next_cursor;
        if cursor.is_none() || tools.len() > MOST_TOOLS {
            break;
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}
