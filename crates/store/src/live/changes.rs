//! The log of changed sessions, for subscribers to the list of sessions.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;
use tokio::sync::watch;

use super::LiveHub;

/// Length of the log. A subscriber that falls further behind has to read all sessions.
const LOG_LENGTH: usize = 4096;

/// The most recent changes, in order.
#[derive(Default)]
pub(super) struct ChangeLog {
    /// The lock is held for a copy only.
    recent: Mutex<RecentChanges>,
    /// Number of notifications.
    notifications: watch::Sender<u64>,
}

#[derive(Default)]
struct RecentChanges {
    sessions: VecDeque<SessionId>,
    /// Number of changes before the first one in the log.
    before: u64,
}

/// A subscription to changes of any session. It ends when it is dropped.
pub struct SessionListSubscription {
    hub: LiveHub,
    notifications: watch::Receiver<u64>,
    /// The number of notifications at the last call of `record_changed`.
    seen: Option<u64>,
    /// Number of changes that were taken.
    taken: u64,
}

/// The sessions that have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedSessions {
    /// These sessions, each with the number of its last change. Subscribers see the same number for the same
    /// change.
    These(BTreeMap<SessionId, u64>),
    /// Any session: changes were missed.
    Any,
}

impl ChangeLog {
    pub(super) fn add(&self, session_id: SessionId) {
        let mut recent = self.recent();
        recent.sessions.push_back(session_id);
        if recent.sessions.len() > LOG_LENGTH {
            recent.sessions.pop_front();
            recent.before += 1;
        }
        drop(recent);
        self.notify();
    }

    /// Records that any session may have changed, so that every subscriber reads all of them.
    pub(super) fn invalidate(&self) {
        let mut recent = self.recent();
        recent.before = recent.count() + 1;
        recent.sessions.clear();
        drop(recent);
        self.notify();
    }

    fn notify(&self) {
        self.notifications.send_modify(|count| *count += 1);
    }

    fn recent(&self) -> MutexGuard<'_, RecentChanges> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentChanges {
    fn count(&self) -> u64 {
        self.before + self.sessions.len() as u64
    }
}

impl SessionListSubscription {
    pub(super) fn new(hub: LiveHub) -> Self {
        hub.0.relay.subscribed_to_all();
        let notifications = hub.0.changes.notifications.subscribe();
        let taken = hub.0.changes.recent().count();
        Self { hub, notifications, seen: None, taken }
    }

    /// Waits until a session has changed.
    pub async fn changed(&mut self) {
        // The sender lives in the hub, which this subscription keeps alive.
        if self.notifications.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns whether the record may have changed since the last call.
    pub fn record_changed(&mut self) -> bool {
        let count = Some(*self.notifications.borrow());
        std::mem::replace(&mut self.seen, count) != count
    }

    /// Returns the sessions that have changed since the last call.
    pub fn take(&mut self) -> ChangedSessions {
        let recent = self.hub.0.changes.recent();
        let known = self.taken.checked_sub(recent.before).and_then(|known| usize::try_from(known).ok());
        self.taken = recent.count();
        match known {
            Some(known) => {
                let numbered = recent.sessions.iter().copied().zip(recent.before..);
                ChangedSessions::These(numbered.skip(known).collect())
            }
            None => ChangedSessions::Any,
        }
    }
}

impl Drop for SessionListSubscription {
    fn drop(&mut self) {
        self.hub.0.relay.unsubscribed_from_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_subscriber_that_may_have_missed_changes_reads_all_sessions() {
        let hub = LiveHub::default();
        let mut subscription = SessionListSubscription::new(hub.clone());
        let session_id = SessionId::new();
        hub.0.changes.add(session_id);
        assert_eq!(subscription.take(), ChangedSessions::These(BTreeMap::from([(session_id, 0)])));
        hub.0.changes.invalidate();
        subscription.changed().await;
        assert_eq!(subscription.take(), ChangedSessions::Any);
        hub.0.changes.add(session_id);
        assert_eq!(subscription.take(), ChangedSessions::These(BTreeMap::from([(session_id, 2)])));
    }
}
