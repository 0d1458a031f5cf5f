//! Live state: texts that are still being streamed, and notifications that the record of a session changed.
//!
//! Nothing is queued per subscriber. The hub keeps each text so far; a subscriber remembers its position in
//! each text and reads the rest when it is ready. A slow subscriber therefore costs no memory and delays
//! nothing, and a late one starts with the beginning of the text. The record works the same way: a subscriber
//! learns that it changed, and reads it from the database. Processes that share a PostgreSQL database
//! exchange this state through `relay`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_domain::{LivePart, SessionId};

use crate::Store;

use changes::ChangeLog;
use live_session::LiveSession;
use relay::Relay;

mod changes;
pub(crate) mod event;
mod live_session;
mod relay;
mod relay_message;
mod session_subscription;
pub(crate) mod signal;
mod text;

pub use changes::{ChangedSessions, SessionListSubscription};
pub use session_subscription::SessionSubscription;
pub use text::{LiveDelta, LiveText, LiveTextScope};

/// The live state of a store. Cheap to clone; all clones share it.
#[derive(Clone, Default)]
pub(crate) struct LiveHub(Arc<LiveState>);

#[derive(Default)]
struct LiveState {
    /// Sessions that have a writer or a subscriber. The lock is held for a lookup only.
    sessions: Mutex<HashMap<SessionId, Arc<LiveSession>>>,
    changes: ChangeLog,
    relay: Relay,
}

impl Store {
    /// Subscribes to one session: to the texts that are being streamed, from their beginning, and to changes
    /// of the record.
    pub fn session_subscribe(&self, session_id: SessionId) -> SessionSubscription {
        self.live.0.relay.subscribed(session_id);
        SessionSubscription::new(self.live.open(session_id))
    }

    /// Subscribes to changes of any session.
    pub fn session_list_subscribe(&self) -> SessionListSubscription {
        SessionListSubscription::new(self.live.clone())
    }

    /// Starts a text that subscribers can read while it is being written. It ends when the returned value is
    /// dropped: drop it after the text was recorded.
    pub fn live_text(&self, scope: LiveTextScope, part: LivePart) -> LiveText {
        LiveText::begin(self.live.open(scope.session_id), scope, part)
    }
}

impl LiveHub {
    /// Notifies subscribers in this process, and other processes that have any, that the record of a session
    /// changed.
    pub(crate) fn changed(&self, session_id: SessionId) {
        self.changed_elsewhere(session_id);
        self.0.relay.changed(session_id);
    }

    fn changed_elsewhere(&self, session_id: SessionId) {
        self.0.changes.add(session_id);
        if let Some(session) = self.sessions().get(&session_id) {
            session.record_changed();
        }
    }

    fn open(&self, session_id: SessionId) -> LiveSessionGuard {
        let session = Arc::clone(self.sessions().entry(session_id).or_default());
        LiveSessionGuard { hub: self.clone(), session_id, session }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<LiveSession>>> {
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A use of a live session by a writer or a subscriber. Dropping the last one removes the session.
struct LiveSessionGuard {
    hub: LiveHub,
    session_id: SessionId,
    session: Arc<LiveSession>,
}

impl Drop for LiveSessionGuard {
    fn drop(&mut self) {
        let mut sessions = self.hub.sessions();
        // One reference belongs to the map, one to this guard. There are no other clones.
        if let Entry::Occupied(session) = sessions.entry(self.session_id)
            && Arc::strong_count(session.get()) == 2
        {
            session.remove();
        }
    }
}
