//! Renewal of the leases of running sessions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tarsy_domain::Timestamp;
use tarsy_store::{Lease, LeaseState};
use tokio::time::{Instant, sleep};
use tracing::warn;

use super::EngineShared;
use crate::stop::StopCause;

/// Renews the leases of all held sessions; stops those whose lease was lost or whose cancellation was
/// requested.
pub(super) async fn renew_leases(shared: Arc<EngineShared>) {
    let (interval, lease) = (shared.queue().heartbeat_interval.duration(), shared.queue().lease());
    let mut last_renewal = Instant::now();
    let mut strays = HashSet::new();
    loop {
        tokio::select! {
            () = sleep(interval) => {}
            () = shared.renew_now.notified() => {}
        }
        let held = shared.held.all();
        let began = Instant::now();
        match shared.resources.store.queue_renew(&shared.worker, Timestamp::now(), lease).await {
            Ok(renewed) => {
                last_renewal = began;
                strays = release_strays(&shared, &renewed, &strays).await;
                let renewed: HashMap<Lease, LeaseState> = renewed.into_iter().collect();
                for (held_lease, stop) in held {
                    match renewed.get(&held_lease) {
                        Some(LeaseState::Held) => stop.set_lease_end(began + lease),
                        Some(LeaseState::CancelRequested) => stop.stop(StopCause::Cancelled),
                        None => stop.stop(StopCause::LeaseLost),
                    }
                }
            }
            Err(error) => {
                warn!(%error, "cannot renew the leases of running sessions");
                if last_renewal.elapsed() > lease {
                    held.iter().for_each(|(_, stop)| stop.stop(StopCause::LeaseLost));
                }
            }
        }
    }
}

/// Releases strays: sessions that the database assigns to this worker although it does not hold them, because
/// the result of the claim was lost with the connection. Their leases would be renewed forever.
///
/// A stray is released when it is found the second time, because the result of a claim may still be in
/// flight. Returns the strays of this call.
async fn release_strays(
    shared: &EngineShared,
    renewed: &[(Lease, LeaseState)],
    before: &HashSet<Lease>,
) -> HashSet<Lease> {
    let held: HashSet<Lease> = shared.held.all().into_iter().map(|(lease, _)| lease).collect();
    let strays = renewed.iter().map(|(lease, _)| *lease).filter(|lease| !held.contains(lease));
    let strays: HashSet<Lease> = strays.collect();
    for lease in strays.intersection(before) {
        warn!(session.id = %lease.session_id, "releasing a session whose claim result was lost");
        if let Err(error) = shared.resources.store.queue_release(*lease, Timestamp::now()).await {
            warn!(session.id = %lease.session_id, %error, "cannot release a session");
        }
    }
    strays
}
