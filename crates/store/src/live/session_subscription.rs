//! Watching one session.

use std::collections::HashMap;

use tarsy_domain::InteractionId;
use tokio::sync::watch;

use super::Seat;
use super::room::{Mark, TextKey};
use super::text::LiveDelta;

/// Watches one session, until it is dropped.
pub struct SessionWatch {
    seat: Seat,
    bell: watch::Receiver<u64>,
    /// The changes of the record that were noticed.
    record: Option<u64>,
    /// How much of each text was taken.
    taken: HashMap<TextKey, Mark>,
}

impl SessionWatch {
    pub(super) fn new(seat: Seat) -> Self {
        let mut bell = seat.room.listen();
        // What is there already is news.
        bell.mark_changed();
        Self { seat, bell, record: None, taken: HashMap::new() }
    }

    /// Waits until there is news: of a text, or of the record.
    pub async fn news(&mut self) {
        // The room has the other end, and this has the room.
        if self.bell.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the record may have changed since the last time.
    pub fn record_changed(&mut self) -> bool {
        let changes = Some(*self.bell.borrow());
        std::mem::replace(&mut self.record, changes) != changes
    }

    /// What was written since the last time, and what has ended: the record has it, or it was given up.
    pub fn take(&mut self) -> (Vec<LiveDelta>, Vec<InteractionId>) {
        let texts = self.seat.room.texts();
        let gone = self.taken.extract_if(|key, _| texts.iter().all(|text| text.key != *key));
        let ended = gone.map(|(key, _)| key.interaction_id).collect();
        let mut deltas = Vec::new();
        for text in texts.iter() {
            let mark = self.taken.get(&text.key).copied();
            let Some((rest, now)) = text.beyond(mark) else { continue };
            deltas.push(LiveDelta {
                place: text.place,
                part: text.key.part,
                from_start: mark.is_none_or(|mark| mark.round != now.round),
                text: rest.to_owned(),
            });
            self.taken.insert(text.key, now);
        }
        (deltas, ended)
    }
}

impl Drop for SessionWatch {
    fn drop(&mut self) {
        self.seat.live.0.relay.watch_ends(self.seat.session_id);
    }
}
