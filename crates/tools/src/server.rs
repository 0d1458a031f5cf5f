//! A server that is kept connected.
//!
//! A task of its own connects, lists the tools, and connects again when the connection ends or never came about. Everybody
//! else sees the latest [`Status`]. A server that cannot be used is no error to anybody: its tools are not there.

mod changes;
mod health;
mod keeper;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use health::Status;
pub use health::{ServerHealth, ServerState};
use keeper::Keeper;

use crate::connection::Live;
use crate::{ServerSettings, Surroundings};

/// A server that is kept connected until it is closed or dropped.
pub(crate) struct Server {
    settings: ServerSettings,
    status: watch::Receiver<Status>,
    stop: CancellationToken,
    /// The keeper, until it is waited for. The lock guards only the taking.
    keeper: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    /// Begins to connect.
    pub(crate) fn start(settings: ServerSettings, surroundings: Surroundings) -> Self {
        let (sender, status) = watch::channel(Status::new());
        let stop = CancellationToken::new();
        let keeper = Keeper::new(settings.clone(), surroundings, sender, stop.clone());
        let keeper = Mutex::new(Some(tokio::spawn(keeper.run())));
        Self { settings, status, stop, keeper }
    }

    pub(crate) fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// How it is now.
    pub(crate) fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    pub(crate) fn health(&self) -> ServerHealth {
        self.status.borrow().health(&self.settings.name)
    }

    /// Waits until the first attempt to connect has come to something.
    pub(crate) async fn settled(&self) {
        let mut status = self.status.clone();
        let _ = status.wait_for(|status| status.state != ServerState::Connecting).await;
    }

    /// A connection that is not known to be broken, as soon as there is one.
    pub(crate) async fn usable(&self, within: Duration) -> Option<Live> {
        let mut status = self.status.clone();
        let is_usable = |live: &Live| !live.broken.is_cancelled() && !live.peer.is_transport_closed();
        let ready = status.wait_for(|status| status.live.as_ref().is_some_and(is_usable));
        tokio::time::timeout(within, ready).await.ok()?.ok()?.live.clone()
    }

    /// Ends the connection and waits until it has ended.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            let _ = keeper.await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The keeper closes the connection and ends by itself.
        self.stop.cancel();
    }
}
