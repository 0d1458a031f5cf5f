//! Cancellations of running sessions.

use std::sync::Arc;

use tarsy_store::CancelSignal;

use super::EngineShared;
use crate::stop::StopCause;

/// Stops sessions of this process when their cancellation is requested.
pub(super) async fn receive_cancellations(shared: Arc<EngineShared>) {
    let mut cancels = shared.resources.store.cancel_subscribe();
    while let Some(signal) = cancels.next().await {
        match signal {
            CancelSignal::Session(session_id) => shared.held.stop(session_id, StopCause::Cancelled),
            // A renewal of the leases returns which sessions have a cancellation.
            CancelSignal::Missed => shared.renew_now.notify_one(),
        }
    }
}
