//! Claims sessions while there are workers for them, and lets them go in order at the end.

use std::sync::Arc;
use std::time::Duration;

use tarsy_config::file::QueueConfig;
use tarsy_domain::Timestamp;
use tarsy_store::{ClaimLimit, Claimed, StoreError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info, warn};

use super::Shared;
use super::suspect::Suspect;
use super::turn::work_on;
use crate::spans;
use crate::stop::{Stop, StopCause};

/// Takes sessions off the queue until the engine is stopped.
pub(super) async fn claim_and_work(shared: Arc<Shared>) {
    let mut workers = JoinSet::new();
    let mut suspect: Option<Suspect> = None;
    let most = usize::try_from(shared.queue().worker_count).unwrap_or(usize::MAX);
    loop {
        while workers.len() < most && suspect.is_none() && !shared.stopping.is_cancelled() {
            let began = Instant::now();
            match claim(&shared).await {
                Ok(Some(claimed)) => {
                    let (stop, moved) = (Stop::default(), CancellationToken::new());
                    stop.held_until(began + shared.queue().lease());
                    shared.held.hold(claimed.lease, &stop);
                    suspect = Suspect::find(&claimed, &moved);
                    let span = spans::session(&claimed.session);
                    workers.spawn(work_on(Arc::clone(&shared), claimed, stop, moved).instrument(span));
                }
                Ok(None) => break,
                Err(error) => {
                    warn!(%error, "no session could be claimed");
                    break;
                }
            }
        }
        let is_free = workers.len() < most && suspect.is_none();
        tokio::select! {
            () = shared.stopping.cancelled() => break,
            () = shared.parts.store.work_arrives(), if is_free => {}
            () = sleep(look_again_after(shared.queue())), if is_free => {}
            () = Suspect::cleared(suspect.as_ref()), if suspect.is_some() => suspect = None,
            Some(_) = workers.join_next() => {}
        }
    }
    finish_or_park(&shared, workers).await;
}

async fn claim(shared: &Shared) -> Result<Option<Claimed>, StoreError> {
    let queue = shared.queue();
    let limit = ClaimLimit::Sessions(queue.max_concurrent_sessions);
    let at = Timestamp::now();
    // A session of this process whose lease was not kept in time would be taken from those who are at work on it.
    if shared.held.any_is_overdue() {
        return Ok(None);
    }
    shared.parts.store.queue_claim(&shared.worker, limit, at, queue.lease()).await
}

/// Lets the sessions at work come to their end; those that do not in time are given back for others to go on with.
async fn finish_or_park(shared: &Shared, mut workers: JoinSet<()>) {
    let finished = timeout(shared.queue().graceful_shutdown_timeout.duration(), async {
        while workers.join_next().await.is_some() {}
    });
    if finished.await.is_ok() {
        return;
    }
    let held = shared.held.all();
    info!(sessions = held.len(), "sessions are given back for others to go on with");
    for (_, stop) in held {
        stop.stop(StopCause::Parked);
    }
    while workers.join_next().await.is_some() {}
}

/// One look finds both, new work that nobody told of and sessions whose worker is gone; the shorter interval counts.
fn look_again_after(queue: &QueueConfig) -> Duration {
    let interval = queue.poll_interval.duration().min(queue.orphan_detection_interval.duration());
    interval + queue.poll_interval_jitter.duration().mul_f64(fastrand::f64())
}
