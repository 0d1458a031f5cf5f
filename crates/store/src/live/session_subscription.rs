//! A subscription to one session.

use std::collections::HashMap;

use tarsy_domain::InteractionId;
use tokio::sync::watch;

use super::LiveSessionGuard;
use super::live_session::{TextKey, TextPosition};
use super::text::LiveDelta;

/// A subscription to one session. It ends when it is dropped.
pub struct SessionSubscription {
    guard: LiveSessionGuard,
    record_changes: watch::Receiver<u64>,
    /// The number of record changes at the last call of `record_changed`.
    seen: Option<u64>,
    /// The position that was taken in each text.
    taken: HashMap<TextKey, TextPosition>,
}

impl SessionSubscription {
    pub(super) fn new(guard: LiveSessionGuard) -> Self {
        let mut record_changes = guard.session.subscribe();
        // The current state counts as a change.
        record_changes.mark_changed();
        Self { guard, record_changes, seen: None, taken: HashMap::new() }
    }

    /// Waits until a text or the record has changed.
    pub async fn changed(&mut self) {
        // The sender lives in the session, which the guard keeps alive.
        if self.record_changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns whether the record may have changed since the last call.
    pub fn record_changed(&mut self) -> bool {
        let changes = Some(*self.record_changes.borrow());
        std::mem::replace(&mut self.seen, changes) != changes
    }

    /// Returns what was written since the last call, and the interactions whose texts have ended: they were
    /// recorded or abandoned.
    pub fn take(&mut self) -> (Vec<LiveDelta>, Vec<InteractionId>) {
        let texts = self.guard.session.texts();
        let removed = self.taken.extract_if(|key, _| texts.iter().all(|text| text.key != *key));
        let ended = removed.map(|(key, _)| key.interaction_id).collect();
        let mut deltas = Vec::new();
        for text in texts.iter() {
            let position = self.taken.get(&text.key).copied();
            let Some((rest, end)) = text.after(position) else { continue };
            deltas.push(LiveDelta {
                scope: text.scope,
                part: text.key.part,
                from_start: position.is_none_or(|position| position.round != end.round),
                text: rest.to_owned(),
            });
            self.taken.insert(text.key, end);
        }
        (deltas, ended)
    }
}

impl Drop for SessionSubscription {
    fn drop(&mut self) {
        self.guard.hub.0.relay.unsubscribed(self.guard.session_id);
    }
}
