//! The claim loop: claims sessions while workers are free, and releases them at shutdown.

use std::sync::Arc;
use std::time::Duration;

use tarsy_config::file::QueueConfig;
use tarsy_domain::Timestamp;
use tarsy_store::{ClaimLimit, Claimed, StoreError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info, warn};

use super::EngineShared;
use super::crash_suspect::CrashSuspect;
use super::worker::work_on;
use crate::spans;
use crate::stop::{Stop, StopCause};

/// Claims and runs sessions until the engine is stopped.
pub(super) async fn claim_and_work(shared: Arc<EngineShared>) {
    let mut workers = JoinSet::new();
    let mut suspect: Option<CrashSuspect> = None;
    let max_workers = usize::try_from(shared.queue().worker_count).unwrap_or(usize::MAX);
    loop {
        while workers.len() < max_workers && suspect.is_none() && !shared.stopping.is_cancelled() {
            let began = Instant::now();
            match claim(&shared).await {
                Ok(Some(claimed)) => {
                    let (stop, progressed) = (Stop::default(), CancellationToken::new());
                    stop.set_lease_end(began + shared.queue().lease());
                    shared.held.insert(claimed.lease, &stop);
                    suspect = CrashSuspect::find(&claimed, &progressed);
                    let span = spans::session(&claimed.session);
                    workers.spawn(work_on(Arc::clone(&shared), claimed, stop, progressed).instrument(span));
                }
                Ok(None) => break,
                Err(error) => {
                    warn!(%error, "cannot claim a session");
                    break;
                }
            }
        }
        let is_free = workers.len() < max_workers && suspect.is_none();
        tokio::select! {
            () = shared.stopping.cancelled() => break,
            () = shared.resources.store.queue_wait_for_work(), if is_free => {}
            () = sleep(poll_interval(shared.queue())), if is_free => {}
            () = CrashSuspect::cleared(suspect.as_ref()), if suspect.is_some() => suspect = None,
            Some(_) = workers.join_next() => {}
        }
    }
    finish_or_park(&shared, workers).await;
}

async fn claim(shared: &EngineShared) -> Result<Option<Claimed>, StoreError> {
    let queue = shared.queue();
    let limit = ClaimLimit::Sessions(queue.max_concurrent_sessions);
    let at = Timestamp::now();
    // If a lease of this process expired, the claim could return the same session while it is still being
    // worked on.
    if shared.held.any_lease_expired() {
        return Ok(None);
    }
    shared.resources.store.queue_claim(&shared.worker, limit, at, queue.lease()).await
}

/// Waits for running sessions to end. After the shutdown timeout the others are released, for another process
/// to resume.
async fn finish_or_park(shared: &EngineShared, mut workers: JoinSet<()>) {
    let finished = timeout(shared.queue().graceful_shutdown_timeout.duration(), async {
        while workers.join_next().await.is_some() {}
    });
    if finished.await.is_ok() {
        return;
    }
    let held = shared.held.all();
    info!(sessions = held.len(), "shutdown timeout reached; releasing running sessions");
    for (_, stop) in held {
        stop.stop(StopCause::Parked);
    }
    while workers.join_next().await.is_some() {}
}

/// Returns the time until the next poll. One query finds both queued sessions and orphans, so the shorter
/// interval applies.
fn poll_interval(queue: &QueueConfig) -> Duration {
    let interval = queue.poll_interval.duration().min(queue.orphan_detection_interval.duration());
    interval + queue.poll_interval_jitter.duration().mul_f64(fastrand::f64())
}
