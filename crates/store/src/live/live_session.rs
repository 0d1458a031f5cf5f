//! The texts of one session that are being streamed, and the notification of its subscribers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_domain::{InteractionId, LivePart};
use tokio::sync::watch;

use super::text::LiveTextScope;

/// The texts of one session.
#[derive(Default)]
pub(super) struct LiveSession {
    /// The lock is held while a text is copied, never across an await.
    texts: Mutex<Vec<TextState>>,
    /// Number of changes of the record. Changes of a text notify the receivers too, without changing the
    /// number.
    record_changes: watch::Sender<u64>,
}

/// The identity of a text within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TextKey {
    pub(super) interaction_id: InteractionId,
    pub(super) part: LivePart,
}

/// The current state of a text.
pub(super) struct TextState {
    pub(super) scope: LiveTextScope,
    pub(super) key: TextKey,
    /// Number of restarts. Within a round the text only grows.
    pub(super) round: u32,
    pub(super) text: String,
    pub(super) writer: TextWriter,
}

/// The process that writes a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextWriter {
    ThisProcess,
    /// Another process, with the time of its last message.
    OtherProcess(Instant),
}

/// A piece of a text that another process writes.
pub(super) struct RemotePiece {
    pub(super) scope: LiveTextScope,
    pub(super) key: TextKey,
    pub(super) round: u32,
    /// Bytes of the text before this piece.
    pub(super) offset: usize,
    pub(super) text: String,
    pub(super) at: Instant,
}

/// The effect of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceOutcome {
    /// The text contains the piece.
    Applied,
    /// An earlier piece is missing, so this one was discarded.
    Gap,
}

/// How much of a text a subscriber has received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextPosition {
    pub(super) round: u32,
    pub(super) bytes: usize,
}

impl LiveSession {
    pub(super) fn begin(&self, scope: LiveTextScope, key: TextKey, writer: TextWriter) {
        self.texts().push(TextState { scope, key, round: 0, text: String::new(), writer });
    }

    pub(super) fn append(&self, key: TextKey, more: &str) {
        self.change(|texts| {
            if let Some(text) = texts.iter_mut().find(|text| text.key == key) {
                text.text.push_str(more);
            }
        });
    }

    pub(super) fn restart(&self, key: TextKey, new_text: &str) {
        self.change(|texts| {
            if let Some(text) = texts.iter_mut().find(|text| text.key == key) {
                text.round += 1;
                new_text.clone_into(&mut text.text);
            }
        });
    }

    pub(super) fn end(&self, key: TextKey) {
        self.change(|texts| texts.retain(|text| text.key != key));
    }

    /// Applies a piece of a text of another process.
    pub(super) fn apply(&self, piece: RemotePiece) -> PieceOutcome {
        let mut outcome = PieceOutcome::Applied;
        self.change(|texts| outcome = apply_piece(texts, piece));
        outcome
    }

    /// Drops texts of other processes from which no message has arrived for `timeout`.
    pub(super) fn drop_silent(&self, now: Instant, timeout: Duration) {
        let is_silent = |text: &TextState| matches!(text.writer, TextWriter::OtherProcess(at) if now.duration_since(at) > timeout);
        if self.texts().iter().any(is_silent) {
            self.change(|texts| texts.retain(|text| !is_silent(text)));
        }
    }

    /// Changes the texts and notifies subscribers.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<TextState>)) {
        change(&mut self.texts());
        self.record_changes.send_modify(|_| {});
    }

    /// Notifies subscribers that the record has changed.
    pub(super) fn record_changed(&self) {
        self.record_changes.send_modify(|changes| *changes += 1);
    }

    /// Locks the texts.
    pub(super) fn texts(&self) -> MutexGuard<'_, Vec<TextState>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.record_changes.subscribe()
    }
}

/// Appends the part of a piece that is new.
fn apply_piece(texts: &mut Vec<TextState>, piece: RemotePiece) -> PieceOutcome {
    let RemotePiece { scope, key, round, offset, text: piece, at } = piece;
    let writer = TextWriter::OtherProcess(at);
    if !texts.iter().any(|text| text.key == key) {
        texts.push(TextState { scope, key, round, text: String::new(), writer });
    }
    let Some(text) = texts.iter_mut().find(|text| text.key == key) else { return PieceOutcome::Applied };
    // A piece of an earlier round is outdated.
    if text.is_written_here() || round < text.round {
        return PieceOutcome::Applied;
    }
    text.writer = writer;
    if round > text.round {
        text.round = round;
        text.text.clear();
    }
    match text.text.len().checked_sub(offset) {
        None => PieceOutcome::Gap,
        Some(known) => {
            text.text.push_str(piece.get(known..).unwrap_or_default());
            PieceOutcome::Applied
        }
    }
}

impl TextState {
    pub(super) fn is_written_here(&self) -> bool {
        self.writer == TextWriter::ThisProcess
    }

    /// Returns the text after `position` and the new position; `None` if there is nothing new.
    ///
    /// A position in an earlier round counts as the beginning of the current one.
    pub(super) fn after(&self, position: Option<TextPosition>) -> Option<(&str, TextPosition)> {
        let from = match position {
            Some(position) if position.round == self.round => position.bytes,
            Some(_) | None => 0,
        };
        let end = TextPosition { round: self.round, bytes: self.text.len() };
        let rest = self.text.get(from..).unwrap_or_default();
        (position != Some(end) && (position.is_some() || !rest.is_empty())).then_some((rest, end))
    }
}
