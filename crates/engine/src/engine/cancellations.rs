//! Hears of requests to stop.

use std::sync::Arc;

use tarsy_store::CancelSignal;

use super::Shared;
use crate::stop::StopCause;

/// Stops sessions as soon as somebody asks for it.
pub(super) async fn hear_cancels(shared: Arc<Shared>) {
    let mut cancels = shared.parts.store.cancels();
    while let Some(signal) = cancels.next().await {
        match signal {
            CancelSignal::Session(session_id) => shared.held.stop(session_id, StopCause::Cancelled),
            // Keeping the leases shows which of them are asked to stop.
            CancelSignal::Missed => shared.renew_now.notify_one(),
        }
    }
}
