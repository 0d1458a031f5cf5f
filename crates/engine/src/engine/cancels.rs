//! Hears of requests to stop.

use std::sync::Arc;

use tarsy_store::CancelSignal;

use super::Shared;
use crate::stop::StopCause;

/// Stops sessions as soon as somebody asks for it.
pub(super) async fn hear_cancels(shared: Arc<Shared>) {
    let mut cancels = shared.parts.store.cancels();
    while let Some(signal) = cancels.next().await {
        // Those that were missed are seen when the leases are kept.
        let CancelSignal::Session(asked) = signal else { continue };
        let held = shared.held.all();
        for (_, stop) in held.into_iter().filter(|(lease, _)| lease.session_id == asked) {
            stop.stop(StopCause::Cancelled);
        }
    }
}
