//! The engine: takes sessions off the queue, as many as there are workers, and brings each to its end.
//!
//! One loop claims for all workers of the process. It is woken by a push when there is work; looking now and then is the
//! safety net, which also finds sessions whose worker is gone. Another loop keeps the leases of all of them with one
//! write, however many there are.

use std::sync::Arc;

use tarsy_config::file::QueueConfig;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::work::Parts;
use cancels::hear_cancels;
use claims::claim_and_work;
use held::Held;
use leases::keep_leases;

mod cancels;
mod claims;
mod held;
mod janitor;
mod leases;
mod suspect;
mod turn;
mod watch;

pub use watch::{EngineWatch, WorkerCounts};

/// A running engine.
pub struct Engine {
    shared: Arc<Shared>,
    claiming: JoinHandle<()>,
    around: JoinSet<()>,
}

/// What the loops of an engine share.
struct Shared {
    parts: Arc<Parts>,
    /// The name of this process among those that share the database.
    worker: String,
    held: Held,
    /// Says that leases are to be kept before it is time.
    renew_now: Notify,
    stopping: CancellationToken,
}

impl Engine {
    /// Starts to take sessions off the queue.
    pub fn start(parts: Arc<Parts>) -> Self {
        let worker = worker_name();
        info!(worker, workers = parts.config.queue().worker_count, "the engine takes sessions");
        let shared = Arc::new(Shared {
            parts,
            worker,
            held: Held::default(),
            renew_now: Notify::new(),
            stopping: CancellationToken::new(),
        });
        let mut around = JoinSet::new();
        around.spawn(keep_leases(Arc::clone(&shared)));
        around.spawn(hear_cancels(Arc::clone(&shared)));
        let store = shared.parts.store.clone();
        around.spawn(async move { store.listen().await });
        let parts = Arc::clone(&shared.parts);
        around.spawn(async move {
            janitor::clean_now_and_then(&parts.store, &parts.config.system().retention).await;
        });
        Self { claiming: tokio::spawn(claim_and_work(Arc::clone(&shared))), shared, around }
    }

    /// Stops to take sessions, and waits until those at work have ended or, when their time is up, were given back.
    pub async fn stop(mut self) {
        self.shared.stopping.cancel();
        if let Err(error) = self.claiming.await {
            error!(%error, "the engine did not stop in order");
        }
        self.around.shutdown().await;
    }
}

impl Shared {
    fn queue(&self) -> &QueueConfig {
        self.parts.config.queue()
    }
}

/// A name that no other process has, and that people can find the process by.
fn worker_name() -> String {
    format!("tarsy-{}-{:08x}", std::process::id(), fastrand::u32(..))
}
