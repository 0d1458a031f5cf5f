//! What happens just now: texts that are still being written, and the news that a session changed.
//!
//! Nothing is queued for anybody. A room holds each text so far; whoever watches remembers how much of it they have and
//! takes the rest when they are ready. So a slow watcher costs nothing and delays nobody, and one who comes late gets
//! the beginning first. With the record it is the same: a watcher is told that there is more, and reads it there.
//! Between processes that share a PostgreSQL database the news is carried by `relay`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_domain::SessionId;

use crate::Store;

use changes::Changes;
use relay::Relay;
use room::Room;

mod changes;
pub(crate) mod event;
mod parcel;
mod relay;
mod room;
mod session_watch;
pub(crate) mod signal;
mod text;

pub use changes::{ChangedSessions, SessionsWatch};
pub use session_watch::SessionWatch;
pub use text::{LiveDelta, LivePart, LivePlace, LiveText};

/// The live side of a store. Cheap to clone; all clones share the same rooms.
#[derive(Clone, Default)]
pub(crate) struct Live(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// A room is here while somebody writes in it or watches it. The lock is held for a lookup only.
    rooms: Mutex<HashMap<SessionId, Arc<Room>>>,
    changes: Changes,
    relay: Relay,
}

impl Store {
    /// Watches one session from now on: its texts under way, from their beginning, and news of the record.
    pub fn session_watch(&self, session_id: SessionId) -> SessionWatch {
        self.live.0.relay.watch_begins(session_id);
        SessionWatch::new(self.live.enter(session_id))
    }

    /// Watches for changes of any session from now on.
    pub fn sessions_watch(&self) -> SessionsWatch {
        SessionsWatch::new(self.live.clone())
    }

    /// Begins a text that people can read while it is being written. It is gone when it is dropped: drop it when the
    /// record has it.
    pub fn live_text(&self, place: LivePlace, part: LivePart) -> LiveText {
        LiveText::begin(self.live.enter(place.session_id), place, part)
    }
}

impl Live {
    /// Tells this process that a session's record has changed, and others that watch it.
    pub(crate) fn changed(&self, session_id: SessionId) {
        self.changed_elsewhere(session_id);
        self.0.relay.changed(session_id);
    }

    fn changed_elsewhere(&self, session_id: SessionId) {
        self.0.changes.add(session_id);
        if let Some(room) = self.rooms().get(&session_id) {
            room.record_changed();
        }
    }

    fn enter(&self, session_id: SessionId) -> Seat {
        let room = Arc::clone(self.rooms().entry(session_id).or_default());
        Seat { live: self.clone(), session_id, room }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Room>>> {
        self.0.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stay in a room. The last one to leave removes it.
struct Seat {
    live: Live,
    session_id: SessionId,
    room: Arc<Room>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut rooms = self.live.rooms();
        // One is the map's, one is this seat's. Rooms are not cloned otherwise.
        if let Entry::Occupied(room) = rooms.entry(self.session_id)
            && Arc::strong_count(room.get()) == 2
        {
            room.remove();
        }
    }
}
