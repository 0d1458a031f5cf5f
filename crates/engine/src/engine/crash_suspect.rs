//! A session that may crash the process.

use std::time::Duration;

use tarsy_store::Claimed;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// Minimum number of consecutive crashes at the same step that make a session suspect.
const MIN_CRASHES: u32 = 2;
/// Maximum time without progress for which a suspect blocks other claims.
const QUARANTINE: Duration = Duration::from_secs(60);

/// A claimed session that may crash the process. No other session is claimed while it runs: a crash would
/// also count against the other sessions, and they could fail because of it.
pub(super) struct CrashSuspect {
    progressed: CancellationToken,
    until: Instant,
}

impl CrashSuspect {
    /// Returns the claimed session if it is suspect.
    pub(super) fn find(claimed: &Claimed, progressed: &CancellationToken) -> Option<Self> {
        let is_suspect = claimed.crashes >= MIN_CRASHES;
        is_suspect.then(|| Self { progressed: progressed.clone(), until: Instant::now() + QUARANTINE })
    }

    /// Waits until the session has made progress or its quarantine is over.
    pub(super) async fn cleared(suspect: Option<&Self>) {
        if let Some(Self { progressed, until }) = suspect {
            drop(timeout_at(*until, progressed.cancelled()).await);
        }
    }
}
