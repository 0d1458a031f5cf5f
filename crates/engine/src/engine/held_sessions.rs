//! The sessions that this process holds, with their requests to stop.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;
use tarsy_store::Lease;

use crate::stop::{Stop, StopCause};

/// The held sessions. The lock is never held across an await.
#[derive(Default)]
pub(super) struct HeldSessions(Mutex<HashMap<SessionId, (i64, Stop)>>);

impl HeldSessions {
    /// Adds a session. Work under an earlier lease of it is stopped, because its writes are rejected.
    pub(super) fn insert(&self, lease: Lease, stop: &Stop) {
        let replaced = self.sessions().insert(lease.session_id, (lease.fence, stop.clone()));
        if let Some((_, earlier)) = replaced {
            earlier.stop(StopCause::LeaseLost);
        }
    }

    /// Removes a session, unless it was claimed again in the meantime.
    pub(super) fn remove(&self, lease: Lease) {
        let mut sessions = self.sessions();
        if sessions.get(&lease.session_id).is_some_and(|(fence, _)| *fence == lease.fence) {
            sessions.remove(&lease.session_id);
        }
    }

    /// Returns all held sessions.
    pub(super) fn all(&self) -> Vec<(Lease, Stop)> {
        let held = |(session_id, (fence, stop)): (&SessionId, &(i64, Stop))| {
            (Lease { session_id: *session_id, fence: *fence }, stop.clone())
        };
        self.sessions().iter().map(held).collect()
    }

    /// Returns the number of held sessions.
    pub(super) fn count(&self) -> usize {
        self.sessions().len()
    }

    /// Stops a session if it is held.
    pub(super) fn stop(&self, session_id: SessionId, cause: StopCause) {
        if let Some((_, stop)) = self.sessions().get(&session_id) {
            stop.stop(cause);
        }
    }

    /// Returns whether the lease of one of them expired, so that any process may claim it, including this
    /// one.
    pub(super) fn any_lease_expired(&self) -> bool {
        self.sessions().values().any(|(_, stop)| stop.lease_expired())
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
    fn a_new_lease_stops_the_work_under_the_earlier_one() {
        let (held, session_id) = (HeldSessions::default(), SessionId::new());
        let (early, late) = (Lease { session_id, fence: 1 }, Lease { session_id, fence: 2 });
        let (first, second) = (Stop::default(), Stop::default());
        held.insert(early, &first);
        held.insert(late, &second);
        assert_eq!((first.cause(), second.cause()), (Some(StopCause::LeaseLost), None));
        held.remove(early);
        assert_eq!(held.all().iter().map(|(lease, _)| *lease).collect::<Vec<_>>(), [late]);
        held.stop(session_id, StopCause::Cancelled);
        held.stop(SessionId::new(), StopCause::Cancelled);
        assert_eq!(second.cause(), Some(StopCause::Cancelled));
        held.remove(late);
        assert!(held.all().is_empty());
    }

    #[test]
    fn detects_a_lease_that_was_not_renewed() {
        let (held, stop, second) = (HeldSessions::default(), Stop::default(), Duration::from_secs(1));
        held.insert(Lease { session_id: SessionId::new(), fence: 1 }, &stop);
        stop.set_lease_end(Instant::now() + 60 * second);
        assert!(!held.any_lease_expired());
        stop.set_lease_end(Instant::now() - second);
        assert!(held.any_lease_expired());
    }
}
