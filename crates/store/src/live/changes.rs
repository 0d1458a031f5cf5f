//! Which sessions have changed, for those who watch all of them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;
use tokio::sync::watch;

use super::Live;

/// Changes that a slow watcher may be behind; after that it has to look at everything.
const MOST: usize = 4096;

/// The last changes, in order.
#[derive(Default)]
pub(super) struct Changes {
    /// The lock is held for a copy only.
    last: Mutex<Last>,
    /// How often it was rung.
    bell: watch::Sender<u64>,
}

#[derive(Default)]
struct Last {
    sessions: VecDeque<SessionId>,
    /// How many there were before the first one.
    before: u64,
}

/// Watches for changes of any session, until it is dropped.
pub struct SessionsWatch {
    live: Live,
    bell: watch::Receiver<u64>,
    /// The changes of the record that were noticed.
    record: Option<u64>,
    /// How many changes were taken.
    taken: u64,
}

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedSessions {
    /// These sessions, each with the number of its last change: who sees the same number sees the same change.
    These(BTreeMap<SessionId, u64>),
    /// So many that nobody kept count: any of them.
    Any,
}

impl Changes {
    pub(super) fn add(&self, session_id: SessionId) {
        let mut last = self.last();
        last.sessions.push_back(session_id);
        if last.sessions.len() > MOST {
            last.sessions.pop_front();
            last.before += 1;
        }
        drop(last);
        self.ring();
    }

    /// Tells that anything may have changed: whoever watches has to look at everything.
    pub(super) fn lose_count(&self) {
        let mut last = self.last();
        last.before = last.count() + 1;
        last.sessions.clear();
        drop(last);
        self.ring();
    }

    fn ring(&self) {
        self.bell.send_modify(|times| *times += 1);
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Last {
    fn count(&self) -> u64 {
        self.before + self.sessions.len() as u64
    }
}

impl SessionsWatch {
    pub(super) fn new(live: Live) -> Self {
        live.0.relay.watch_of_all_begins();
        let bell = live.0.changes.bell.subscribe();
        let taken = live.0.changes.last().count();
        Self { live, bell, record: None, taken }
    }

    /// Waits until a session has changed.
    pub async fn news(&mut self) {
        // The other end is kept by `changes`.
        if self.bell.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the record may have changed since the last time.
    pub fn record_changed(&mut self) -> bool {
        let changes = Some(*self.bell.borrow());
        std::mem::replace(&mut self.record, changes) != changes
    }

    /// What has changed since the last time.
    pub fn take(&mut self) -> ChangedSessions {
        let last = self.live.0.changes.last();
        let known = self.taken.checked_sub(last.before).and_then(|known| usize::try_from(known).ok());
        self.taken = last.count();
        match known {
            Some(known) => {
                let numbered = last.sessions.iter().copied().zip(last.before..);
                ChangedSessions::These(numbered.skip(known).collect())
            }
            None => ChangedSessions::Any,
        }
    }
}

impl Drop for SessionsWatch {
    fn drop(&mut self) {
        self.live.0.relay.watch_of_all_ends();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_may_have_missed_something_is_told_to_look_at_everything() {
        let live = Live::default();
        let mut watch = SessionsWatch::new(live.clone());
        let session_id = SessionId::new();
        live.0.changes.add(session_id);
        assert_eq!(watch.take(), ChangedSessions::These(BTreeMap::from([(session_id, 0)])));
        live.0.changes.lose_count();
        watch.news().await;
        assert_eq!(watch.take(), ChangedSessions::Any);
        live.0.changes.add(session_id);
        assert_eq!(watch.take(), ChangedSessions::These(BTreeMap::from([(session_id, 2)])));
    }
}
