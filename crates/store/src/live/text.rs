//! A text while it is being written.

use serde::{Deserialize, Serialize};
use tarsy_domain::{ExecutionId, InteractionId, SessionId, StageId};

use super::Seat;
use super::room::{Hand, TextKey};

/// Where a text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LivePlace {
    /// The session.
    pub session_id: SessionId,
    /// The stage, if it is in one.
    pub stage_id: Option<StageId>,
    /// The execution.
    pub execution_id: ExecutionId,
    /// The model or tool call; the record will have it under the same id.
    pub interaction_id: InteractionId,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LivePart {
    /// What the model thinks.
    Thinking,
    /// What the model says.
    Text,
    /// How far a tool has come, in its own words.
    ToolProgress,
}

/// What a watcher did not have yet of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveDelta {
    /// Where the text belongs.
    pub place: LivePlace,
    /// What it is.
    pub part: LivePart,
    /// Whether this replaces what the watcher has, if it has anything: the text began anew.
    pub from_start: bool,
    /// The text.
    pub text: String,
}

/// The writer's end of a text. Watchers lose it when this is dropped.
pub struct LiveText {
    seat: Seat,
    key: TextKey,
}

impl LiveText {
    pub(super) fn begin(seat: Seat, place: LivePlace, part: LivePart) -> Self {
        let key = TextKey { interaction_id: place.interaction_id, part };
        seat.room.begin(place, key, Hand::Here);
        Self { seat, key }
    }

    /// More of it.
    pub fn add(&self, more: &str) {
        self.seat.room.add(self.key, more);
    }

    /// It begins anew.
    pub fn restart(&self, text: &str) {
        self.seat.room.restart(self.key, text);
    }
}

impl Drop for LiveText {
    fn drop(&mut self) {
        self.seat.room.end(self.key);
        self.seat.live.0.relay.ended(self.seat.session_id, self.key.interaction_id);
    }
}
