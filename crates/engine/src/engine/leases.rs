//! Keeps the leases of the sessions at work.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tarsy_domain::Timestamp;
use tarsy_store::{Lease, LeaseState};
use tokio::time::{Instant, sleep};
use tracing::warn;

use super::Shared;
use crate::stop::StopCause;

/// Keeps the leases of all sessions at work, and stops those that are lost or were asked to stop.
pub(super) async fn keep_leases(shared: Arc<Shared>) {
    let (interval, lease) = (shared.queue().heartbeat_interval.duration(), shared.queue().lease());
    let mut last_kept = Instant::now();
    let mut strays = HashSet::new();
    loop {
        tokio::select! {
            () = sleep(interval) => {}
            () = shared.renew_now.notified() => {}
        }
        let held = shared.held.all();
        let began = Instant::now();
        match shared.parts.store.queue_renew(&shared.worker, Timestamp::now(), lease).await {
            Ok(kept) => {
                last_kept = began;
                strays = give_back_strays(&shared, &kept, &strays).await;
                let kept: HashMap<Lease, LeaseState> = kept.into_iter().collect();
                for (lease_held, stop) in held {
                    match kept.get(&lease_held) {
                        Some(LeaseState::Held) => stop.held_until(began + lease),
                        Some(LeaseState::CancelRequested) => stop.stop(StopCause::Cancelled),
                        None => stop.stop(StopCause::LeaseLost),
                    }
                }
            }
            Err(error) => {
                warn!(%error, "the leases of the sessions at work could not be kept");
                if last_kept.elapsed() > lease {
                    held.iter().for_each(|(_, stop)| stop.stop(StopCause::LeaseLost));
                }
            }
        }
    }
}

/// Gives back sessions that are this worker's by the record alone: a claim whose answer was lost with the connection.
/// Nobody works on them, and they would be kept for ever. Answers those that were found; they are given back when they
/// are found again, because the answer to a claim may be on its way.
async fn give_back_strays(
    shared: &Shared,
    kept: &[(Lease, LeaseState)],
    before: &HashSet<Lease>,
) -> HashSet<Lease> {
    let held: HashSet<Lease> = shared.held.all().into_iter().map(|(lease, _)| lease).collect();
    let strays = kept.iter().map(|(lease, _)| *lease).filter(|lease| !held.contains(lease));
    let strays: HashSet<Lease> = strays.collect();
    for lease in strays.intersection(before) {
        warn!(session.id = %lease.session_id, "a session that nobody works on is given back");
        if let Err(error) = shared.parts.store.queue_release(*lease, Timestamp::now()).await {
            warn!(session.id = %lease.session_id, %error, "a session could not be given back");
        }
    }
    strays
}
