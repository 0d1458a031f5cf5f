//! A session that may be what takes processes down.

use std::time::Duration;

use tarsy_store::Claimed;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// A session whose process was lost so often where it stands gets no company.
const SUSPECT_FROM: u32 = 2;
/// How long a suspect may keep others waiting without coming further.
const QUARANTINE: Duration = Duration::from_secs(60);

/// A session that may take the process down. Nothing else is claimed beside it, so that others are not lost with it
/// once more and given up for what it does.
pub(super) struct Suspect {
    moved: CancellationToken,
    until: Instant,
}

impl Suspect {
    pub(super) fn find(claimed: &Claimed, moved: &CancellationToken) -> Option<Self> {
        let is_suspect = claimed.crashes >= SUSPECT_FROM;
        is_suspect.then(|| Self { moved: moved.clone(), until: Instant::now() + QUARANTINE })
    }

    /// Waits until it has come further or has had its time.
    pub(super) async fn cleared(suspect: Option<&Self>) {
        if let Some(Self { moved, until }) = suspect {
            drop(timeout_at(*until, moved.cancelled()).await);
        }
    }
}
