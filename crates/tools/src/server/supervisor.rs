//! The task that keeps a server connected.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use super::changes::listen_for_changes;
use super::{ServerState, Status};
use crate::connection::{Connection, Live};
use crate::error::ConnectError;
use crate::stdio::Diagnosis;
use crate::{ServerSettings, Surroundings, ToolInfo};

const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A connection that lasted this long was a good one: the next pause is a short one again.
const GOOD_FOR: Duration = Duration::from_secs(30);

/// Keeps a server connected.
pub(crate) struct Keeper {
    settings: ServerSettings,
    surroundings: Surroundings,
    status: watch::Sender<Status>,
    stop: CancellationToken,
    /// Programs that were given up and have not ended yet. The next one is not started before, nor are we done.
    leaving: TaskTracker,
}

impl Keeper {
    pub(crate) fn new(
        settings: ServerSettings,
        surroundings: Surroundings,
        status: watch::Sender<Status>,
        stop: CancellationToken,
    ) -> Self {
        let leaving = TaskTracker::new();
        leaving.close();
        Self { settings, surroundings, status, stop, leaving }
    }

    /// Connects again and again until it is stopped.
    pub(crate) async fn run(self) {
        let mut pauses = pauses();
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let error = self.connect_and_serve().await;
            if self.stop.is_cancelled() {
                break;
            }
            if began.elapsed() >= GOOD_FOR {
                pauses = self::pauses();
            }
            let pause = pauses.next().unwrap_or(LONGEST_PAUSE);
            self.announce_failure(&error, pause);
            self.leaving.wait().await;
            tokio::select! {
                () = sleep(pause) => self.status.send_modify(|status| status.state = ServerState::Restarting),
                () = self.stop.cancelled() => {}
            }
        }
        self.leaving.wait().await;
    }

    /// One connection, from its beginning to its end; answers why it ended.
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

    async fn connect(&self, diagnosis: &Diagnosis) -> Result<(Connection, Vec<ToolInfo>), ConnectError> {
        let within = self.settings.start_within;
        let connecting = async {
            let connection =
                Connection::open(&self.settings, &self.surroundings, diagnosis, &self.leaving).await?;
            match connection.live.tools(&self.settings).await {
                Ok(tools) => Ok((connection, tools)),
                Err(error) => {
                    connection.close(&self.settings.name).await;
                    Err(ConnectError::Protocol(format!("its tools cannot be listed: {error}")))
                }
            }
        };
        timeout(within, connecting).await.unwrap_or(Err(ConnectError::TooSlow(within)))
    }

    /// Lets everybody use a connection until it ends; answers why it ended.
    async fn serve(&self, mut connection: Connection, tools: Vec<ToolInfo>) -> String {
        self.announce_ready(&connection, tools);
        let (live, tools_changed) = (connection.live.clone(), connection.tools_changed.clone());
        let mut listening = pin!(listen_for_changes(&live, &tools_changed));
        loop {
            tokio::select! {
                () = connection.ended() => break,
                () = self.stop.cancelled() => break,
                () = tools_changed.notified() => self.refresh(&live).await,
                never = &mut listening => match never {},
            }
        }
        self.status.send_modify(|status| (status.live, status.tools) = (None, Arc::new([])));
        let diagnosis = connection.diagnosis();
        connection.close(&self.settings.name).await;
        format!("the connection ended{diagnosis}")
    }

    async fn refresh(&self, live: &Live) {
        match live.tools(&self.settings).await {
            Ok(tools) => self.status.send_modify(|status| status.tools = tools.into()),
            Err(error) => {
                let error = self.surroundings.screen.show(&self.settings.name, error.to_string());
                warn!(server.name = self.settings.name, error, "the changed tools cannot be listed");
            }
        }
    }

    fn announce_ready(&self, connection: &Connection, tools: Vec<ToolInfo>) {
        info!(server.name = self.settings.name, tools = tools.len(), "the server is ready");
        self.status.send_modify(|status| {
            status.state = ServerState::Ready;
            status.live = Some(connection.live.clone());
            status.tools = tools.into();
        });
    }

    fn announce_failure(&self, error: &str, pause: Duration) {
        let error = self.surroundings.screen.show(&self.settings.name, error);
        let retry_in_ms = pause.as_millis();
        warn!(server.name = self.settings.name, error, retry_in_ms, "the server cannot be used");
        self.status.send_modify(|status| {
            status.state = ServerState::Failed;
            status.last_error = Some(error.into());
            (status.live, status.tools) = (None, Arc::new([]));
        });
    }
}

/// Growing pauses without end, a little different each time so that many servers do not come back at once.
fn pauses() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(SHORTEST_PAUSE)
        .with_max_delay(LONGEST_PAUSE)
        .with_jitter()
        .without_max_times()
        .build()
}
