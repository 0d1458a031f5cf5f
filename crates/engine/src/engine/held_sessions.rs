//! The sessions at work in this process, and how to stop them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;
use tarsy_store::Lease;

use crate::stop::{Stop, StopCause};

/// The sessions that this process holds. The lock is never held across an await.
#[derive(Default)]
pub(super) struct Held(Mutex<HashMap<SessionId, (i64, Stop)>>);

impl Held {
    /// Keeps a session. Whoever is at it with an earlier lease is stopped: nothing of what it does counts any more.
    pub(super) fn hold(&self, lease: Lease, stop: &Stop) {
        let replaced = self.sessions().insert(lease.session_id, (lease.fence, stop.clone()));
        if let Some((_, earlier)) = replaced {
            earlier.stop(StopCause::LeaseLost);
        }
    }

    /// Forgets a session, unless it was claimed again in the meantime.
    pub(super) fn let_go(&self, lease: Lease) {
        let mut sessions = self.sessions();
        if sessions.get(&lease.session_id).is_some_and(|(fence, _)| *fence == lease.fence) {
            sessions.remove(&lease.session_id);
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<(Lease, Stop)> {
        let held = |(session_id, (fence, stop)): (&SessionId, &(i64, Stop))| {
            (Lease { session_id: *session_id, fence: *fence }, stop.clone())
        };
        self.sessions().iter().map(held).collect()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.sessions().len()
    }

    /// Stops a session, if it is one of them.
    pub(super) fn stop(&self, session_id: SessionId, cause: StopCause) {
        if let Some((_, stop)) = self.sessions().get(&session_id) {
            stop.stop(cause);
        }
    }

    /// Whether one of them was not renewed in time, so that anybody may take it, this process too.
    pub(super) fn any_is_overdue(&self) -> bool {
        self.sessions().values().any(|(_, stop)| stop.is_overdue())
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, (i64, Stop)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    #[test]
    fn whoever_is_replaced_is_stopped_and_takes_nobody_along() {
        let (held, session_id) = (Held::default(), SessionId::new());
        let (early, late) = (Lease { session_id, fence: 1 }, Lease { session_id, fence: 2 });
        let (first, second) = (Stop::default(), Stop::default());
        held.hold(early, &first);
        held.hold(late, &second);
        assert_eq!((first.cause(), second.cause()), (Some(StopCause::LeaseLost), None));
        held.let_go(early);
        assert_eq!(held.all().iter().map(|(lease, _)| *lease).collect::<Vec<_>>(), [late]);
        held.stop(session_id, StopCause::Cancelled);
        held.stop(SessionId::new(), StopCause::Cancelled);
        assert_eq!(second.cause(), Some(StopCause::Cancelled));
        held.let_go(late);
        assert!(held.all().is_empty());
    }

    #[test]
    fn a_lease_that_was_not_renewed_is_overdue() {
        let (held, stop, second) = (Held::default(), Stop::default(), Duration::from_secs(1));
        held.hold(Lease { session_id: SessionId::new(), fence: 1 }, &stop);
        stop.held_until(Instant::now() + 60 * second);
        assert!(!held.any_is_overdue());
        stop.held_until(Instant::now() - second);
        assert!(held.any_is_overdue());
    }
}
