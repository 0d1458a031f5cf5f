//! A text that is being streamed.

use serde::{Deserialize, Serialize};
use tarsy_domain::{ExecutionId, InteractionId, LivePart, SessionId, StageId};

use super::LiveSessionGuard;
use super::live_session::{TextKey, TextWriter};

/// The call that a streamed text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveTextScope {
    /// The session.
    pub session_id: SessionId,
    /// The stage, if any.
    pub stage_id: Option<StageId>,
    /// The execution.
    pub execution_id: ExecutionId,
    /// The model or tool call, which is recorded under the same id.
    pub interaction_id: InteractionId,
}

/// The part of a text that a subscriber did not have yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveDelta {
    /// The call that the text belongs to.
    pub scope: LiveTextScope,
    /// What the text is.
    pub part: LivePart,
    /// Whether this replaces everything that the subscriber has of the text.
    pub from_start: bool,
    /// The new part.
    pub text: String,
}

/// The writing end of a text. Dropping it removes the text for all subscribers.
pub struct LiveText {
    guard: LiveSessionGuard,
    key: TextKey,
}

impl LiveText {
    pub(super) fn begin(guard: LiveSessionGuard, scope: LiveTextScope, part: LivePart) -> Self {
        let key = TextKey { interaction_id: scope.interaction_id, part };
        guard.session.begin(scope, key, TextWriter::ThisProcess);
        Self { guard, key }
    }

    /// Appends to the text.
    pub fn add(&self, more: &str) {
        self.guard.session.append(self.key, more);
    }

    /// Replaces the text.
    pub fn restart(&self, text: &str) {
        self.guard.session.restart(self.key, text);
    }
}

impl Drop for LiveText {
    fn drop(&mut self) {
        self.guard.session.end(self.key);
        self.guard.hub.0.relay.ended(self.guard.session_id, self.key.interaction_id);
    }
}
