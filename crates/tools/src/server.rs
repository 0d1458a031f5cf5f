//! A server with a task that keeps it connected.
//!
//! The supervisor task connects, lists the tools, and reconnects when connecting fails or the connection
//! ends. Readers see the latest [`Status`]. An unavailable server is not an error for its users; it has no
//! tools.

mod changes;
mod health;
mod supervisor;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use health::Status;
pub use health::{ServerHealth, ServerState, ServerTool};
use supervisor::Supervisor;

use crate::connection::LiveConnection;
use crate::{ServerContext, ServerSettings};

/// A server that stays connected until it is closed or dropped.
pub(crate) struct Server {
    settings: ServerSettings,
    status: watch::Receiver<Status>,
    stop: CancellationToken,
    /// The handle of the supervisor task, until `close` takes it. The lock is held only for that.
    supervisor: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    /// Spawns the supervisor, which starts to connect.
    pub(crate) fn start(settings: ServerSettings, context: ServerContext) -> Self {
        let (sender, status) = watch::channel(Status::new());
        let stop = CancellationToken::new();
        let supervisor = Supervisor::new(settings.clone(), context, sender, stop.clone());
        let supervisor = Mutex::new(Some(tokio::spawn(supervisor.run())));
        Self { settings, status, stop, supervisor }
    }

    pub(crate) fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// Returns the current status.
    pub(crate) fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    pub(crate) fn health(&self) -> ServerHealth {
        self.status.borrow().health(&self.settings.name)
    }

    /// Waits for the result of the first attempt to connect.
    pub(crate) async fn settled(&self) {
        let mut status = self.status.clone();
        let _ = status.wait_for(|status| status.state != ServerState::Connecting).await;
    }

    /// Returns a connection that is not known to be broken, waiting up to `within` for one.
    pub(crate) async fn usable(&self, within: Duration) -> Option<LiveConnection> {
        let mut status = self.status.clone();
        let is_usable =
            |live: &LiveConnection| !live.broken.is_cancelled() && !live.peer.is_transport_closed();
        let ready = status.wait_for(|status| status.live.as_ref().is_some_and(is_usable));
        tokio::time::timeout(within, ready).await.ok()?.ok()?.live.clone()
    }

    /// Closes the connection and waits for its end.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        let supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(supervisor) = supervisor {
            let _ = supervisor.await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The supervisor closes the connection and ends on its own.
        self.stop.cancel();
    }
}
