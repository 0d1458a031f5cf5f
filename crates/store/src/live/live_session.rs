//! The texts of one session that are being written, and a bell for those who watch.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_domain::InteractionId;
use tokio::sync::watch;

use super::text::{LivePart, LivePlace};

/// The texts of one session.
#[derive(Default)]
pub(super) struct Room {
    /// The lock is held while a text is copied, never across an await.
    texts: Mutex<Vec<Text>>,
    /// How often the record of the session has changed. Every change of it, and of a text, rings.
    bell: watch::Sender<u64>,
}

/// Which text of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TextKey {
    pub(super) interaction_id: InteractionId,
    pub(super) part: LivePart,
}

/// A text so far.
pub(super) struct Text {
    pub(super) place: LivePlace,
    pub(super) key: TextKey,
    /// How often it began anew. Within a round it only grows.
    pub(super) round: u32,
    pub(super) text: String,
    pub(super) hand: Hand,
}

/// Who writes a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hand {
    /// This process.
    Here,
    /// Another process, which was last heard of then.
    Elsewhere(Instant),
}

/// A piece of a text that another process writes.
pub(super) struct Arrival {
    pub(super) place: LivePlace,
    pub(super) key: TextKey,
    pub(super) round: u32,
    /// Bytes of the text before this piece.
    pub(super) offset: usize,
    pub(super) text: String,
    pub(super) at: Instant,
}

/// What a piece did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    /// It is there now, or was before.
    Whole,
    /// Something before it is missing, so it was left.
    WithAGap,
}

/// How much somebody has of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) round: u32,
    pub(super) bytes: usize,
}

impl Room {
    pub(super) fn begin(&self, place: LivePlace, key: TextKey, hand: Hand) {
        self.texts().push(Text { place, key, round: 0, text: String::new(), hand });
    }

    pub(super) fn add(&self, key: TextKey, more: &str) {
        self.change(|texts| {
            if let Some(text) = texts.iter_mut().find(|text| text.key == key) {
                text.text.push_str(more);
            }
        });
    }

    pub(super) fn restart(&self, key: TextKey, anew: &str) {
        self.change(|texts| {
            if let Some(text) = texts.iter_mut().find(|text| text.key == key) {
                text.round += 1;
                anew.clone_into(&mut text.text);
            }
        });
    }

    pub(super) fn end(&self, key: TextKey) {
        self.change(|texts| texts.retain(|text| text.key != key));
    }

    /// Takes a piece of a text of another process.
    pub(super) fn arrives(&self, arrival: Arrival) -> Arrived {
        let mut arrived = Arrived::Whole;
        self.change(|texts| arrived = take_in(texts, arrival));
        arrived
    }

    /// Drops texts of other processes that were not heard of for so long.
    pub(super) fn forget(&self, now: Instant, silence: Duration) {
        let silent =
            |text: &Text| matches!(text.hand, Hand::Elsewhere(at) if now.duration_since(at) > silence);
        if self.texts().iter().any(silent) {
            self.change(|texts| texts.retain(|text| !silent(text)));
        }
    }

    /// Changes the texts and rings.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<Text>)) {
        change(&mut self.texts());
        self.bell.send_modify(|_| {});
    }

    /// Tells that the record has changed.
    pub(super) fn record_changed(&self) {
        self.bell.send_modify(|changes| *changes += 1);
    }

    /// Looks at the texts.
    pub(super) fn texts(&self) -> MutexGuard<'_, Vec<Text>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn listen(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }
}

/// Adds what is new in a piece to its text.
fn take_in(texts: &mut Vec<Text>, arrival: Arrival) -> Arrived {
    let Arrival { place, key, round, offset, text: piece, at } = arrival;
    let hand = Hand::Elsewhere(at);
    if !texts.iter().any(|text| text.key == key) {
        texts.push(Text { place, key, round, text: String::new(), hand });
    }
    let Some(text) = texts.iter_mut().find(|text| text.key == key) else { return Arrived::Whole };
    // A piece of an earlier round is late.
    if text.is_written_here() || round < text.round {
        return Arrived::Whole;
    }
    text.hand = hand;
    if round > text.round {
        text.round = round;
        text.text.clear();
    }
    match text.text.len().checked_sub(offset) {
        None => Arrived::WithAGap,
        Some(known) => {
            text.text.push_str(piece.get(known..).unwrap_or_default());
            Arrived::Whole
        }
    }
}

impl Text {
    pub(super) fn is_written_here(&self) -> bool {
        self.hand == Hand::Here
    }

    /// What somebody who has this much does not have, and how much they have then.
    pub(super) fn beyond(&self, mark: Option<Mark>) -> Option<(&str, Mark)> {
        let from = match mark {
            Some(mark) if mark.round == self.round => mark.bytes,
            Some(_) | None => 0,
        };
        let now = Mark { round: self.round, bytes: self.text.len() };
        let rest = self.text.get(from..).unwrap_or_default();
        (mark != Some(now) && (mark.is_some() || !rest.is_empty())).then_some((rest, now))
    }
}
