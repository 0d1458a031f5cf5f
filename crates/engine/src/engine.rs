//! The engine: claims sessions from the queue, one for each free worker, and runs each to its end.
//!
//! One loop claims for all workers of the process. A notification wakes it when a session is queued; polling
//! is the fallback, and also finds orphans. Another loop renews all leases of the process with one write.

use std::sync::Arc;

use tarsy_config::file::QueueConfig;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::EngineResources;
use cancellations::receive_cancellations;
use claims::claim_and_work;
use held_sessions::HeldSessions;
use leases::renew_leases;

mod claims;
mod crash_suspect;
mod held_sessions;
mod worker;

mod cancellations;
mod cleanup;
mod leases;

mod watch;

pub use watch::{EngineWatch, WorkerCounts};

/// A running engine.
pub struct Engine {
    shared: Arc<EngineShared>,
    claiming: JoinHandle<()>,
    background: JoinSet<()>,
}

/// The state that the loops of an engine share.
struct EngineShared {
    resources: Arc<EngineResources>,
    /// The name of this process among those that share the database.
    worker: String,
    held: HeldSessions,
    /// Requests a renewal of the leases before the next interval.
    renew_now: Notify,
    stopping: CancellationToken,
}

impl Engine {
    /// Starts claiming sessions.
    pub fn start(resources: Arc<EngineResources>) -> Self {
        let worker = worker_name();
        info!(worker, workers = resources.config.queue().worker_count, "engine started");
        let shared = Arc::new(EngineShared {
            resources,
            worker,
            held: HeldSessions::default(),
            renew_now: Notify::new(),
            stopping: CancellationToken::new(),
        });
        let mut background = JoinSet::new();
        background.spawn(renew_leases(Arc::clone(&shared)));
        background.spawn(receive_cancellations(Arc::clone(&shared)));
        let store = shared.resources.store.clone();
        background.spawn(async move { store.listen().await });
        let resources = Arc::clone(&shared.resources);
        background.spawn(async move {
            cleanup::clean_periodically(&resources.store, &resources.config.system().retention).await;
        });
        Self { claiming: tokio::spawn(claim_and_work(Arc::clone(&shared))), shared, background }
    }

    /// Stops claiming sessions, and waits until the running ones have ended or, after the shutdown timeout,
    /// were released.
    pub async fn stop(mut self) {
        self.shared.stopping.cancel();
        if let Err(error) = self.claiming.await {
            error!(%error, "the claim loop failed");
        }
        self.background.shutdown().await;
    }
}

impl EngineShared {
    fn queue(&self) -> &QueueConfig {
        self.resources.config.queue()
    }
}

/// Returns a unique name that contains the process id.
fn worker_name() -> String {
    format!("tarsy-{}-{:08x}", std::process::id(), fastrand::u32(..))
}
