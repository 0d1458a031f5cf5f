//! The task that keeps a server connected, with exponential backoff.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use super::changes::watch_tool_changes;
use super::{ServerState, Status};
use crate::connection::{LiveConnection, McpConnection};
use crate::error::ServerConnectError;
use crate::stdio::Diagnosis;
use crate::{ServerContext, ServerSettings, ToolInfo};

const MIN_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// A connection that lasted this long resets the backoff.
const STABLE_AFTER: Duration = Duration::from_secs(30);

/// Keeps a server connected.
pub(crate) struct Supervisor {
    settings: ServerSettings,
    context: ServerContext,
    status: watch::Sender<Status>,
    stop: CancellationToken,
    /// Abandoned programs that have not exited yet. This task waits for them before it starts another program
    /// and before it ends.
    leaving: TaskTracker,
}

impl Supervisor {
    pub(crate) fn new(
        settings: ServerSettings,
        context: ServerContext,
        status: watch::Sender<Status>,
        stop: CancellationToken,
    ) -> Self {
        let leaving = TaskTracker::new();
        leaving.close();
        Self { settings, context, status, stop, leaving }
    }

    /// Connects and reconnects until it is stopped.
    pub(crate) async fn run(self) {
        let mut delays = backoff();
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let error = self.connect_and_serve().await;
            if self.stop.is_cancelled() {
                break;
            }
            if began.elapsed() >= STABLE_AFTER {
                delays = backoff();
            }
            let delay = delays.next().unwrap_or(MAX_BACKOFF);
            self.announce_failure(&error, delay);
            self.leaving.wait().await;
            tokio::select! {
                () = sleep(delay) => self.status.send_modify(|status| status.state = ServerState::Restarting),
                () = self.stop.cancelled() => {}
            }
        }
        self.leaving.wait().await;
    }

    /// Runs one connection from start to end and returns the reason of its end.
    async fn connect_and_serve(&self) -> String {
        let diagnosis = Diagnosis::default();
        let connected = tokio::select! {
            connected = self.connect(&diagnosis) => connected,
            () = self.stop.cancelled() => return String::new(),
        };
        match connected {
            Ok((connection, tools)) => self.serve(connection, tools).await,
            Err(error) => format!("{error}{diagnosis}"),
        }
    }

    async fn connect(
        &self,
        diagnosis: &Diagnosis,
    ) -> Result<(McpConnection, Vec<ToolInfo>), ServerConnectError> {
        let within = self.settings.start_within;
        let connecting = async {
            let connection =
                McpConnection::open(&self.settings, &self.context, diagnosis, &self.leaving).await?;
            match connection.live.tools(&self.settings).await {
                Ok(tools) => Ok((connection, tools)),
                Err(error) => {
                    connection.close(&self.settings.name).await;
                    Err(ServerConnectError::Protocol(format!("its tools cannot be listed: {error}")))
                }
            }
        };
        timeout(within, connecting).await.unwrap_or(Err(ServerConnectError::TooSlow(within)))
    }

    /// Publishes a connection until it ends and returns the reason.
    async fn serve(&self, mut connection: McpConnection, tools: Vec<ToolInfo>) -> String {
        self.announce_ready(&connection, tools);
        let (live, tools_changed) = (connection.live.clone(), connection.tools_changed.clone());
        let mut watching = pin!(watch_tool_changes(&live, &tools_changed));
        loop {
            tokio::select! {
                () = connection.ended() => break,
                () = self.stop.cancelled() => break,
                () = tools_changed.notified() => self.refresh(&live).await,
                never = &mut watching => match never {},
            }
        }
        self.status.send_modify(|status| (status.live, status.tools) = (None, Arc::new([])));
        let diagnosis = connection.diagnosis();
        connection.close(&self.settings.name).await;
        format!("the connection ended{diagnosis}")
    }

    async fn refresh(&self, live: &LiveConnection) {
        match live.tools(&self.settings).await {
            Ok(tools) => self.status.send_modify(|status| status.tools = tools.into()),
            Err(error) => {
                let error = self.context.screen.show(&self.settings.name, error.to_string());
                warn!(server.name = self.settings.name, error, "listing the changed tools failed");
            }
        }
    }

    fn announce_ready(&self, connection: &McpConnection, tools: Vec<ToolInfo>) {
        info!(server.name = self.settings.name, tools = tools.len(), "MCP server ready");
        self.status.send_modify(|status| {
            status.state = ServerState::Ready;
            status.live = Some(connection.live.clone());
            status.tools = tools.into();
        });
    }

    fn announce_failure(&self, error: &str, delay: Duration) {
        let error = self.context.screen.show(&self.settings.name, error);
        let retry_in_ms = delay.as_millis();
        warn!(server.name = self.settings.name, error, retry_in_ms, "MCP server unavailable");
        self.status.send_modify(|status| {
            status.state = ServerState::Failed;
            status.last_error = Some(error.into());
            (status.live, status.tools) = (None, Arc::new([]));
        });
    }
}

/// Endless exponential backoff with jitter, so that many servers do not reconnect at the same moment.
fn backoff() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(MIN_BACKOFF)
        .with_max_delay(MAX_BACKOFF)
        .with_jitter()
        .without_max_times()
        .build()
}
