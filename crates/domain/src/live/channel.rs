//! Events for watchers: their types, and the channels they travel on.
//!
//! An event is a small note that something changed; ids within one channel are gapless, so that a watcher
//! who was away knows exactly what it missed. The payload is the store's concern.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::SessionId;
use crate::string_enum::string_enum;

string_enum! {
    /// What changed.
    pub enum EventType {
        /// A session was created or moved to another status.
        SessionStatus = "session.status",
        /// A session's current step changed.
        SessionProgress = "session.progress",
        /// A stage moved to another status.
        StageStatus = "stage.status",
        /// An execution moved to another status.
        ExecutionStatus = "execution.status",
        /// A timeline entry appeared.
        TimelineEventCreated = "timeline_event.created",
        /// A timeline entry has its final text.
        TimelineEventCompleted = "timeline_event.completed",
        /// A model or tool call was recorded.
        InteractionCreated = "interaction.created",
        /// Somebody, or an agent, said something in the chat.
        ChatMessage = "chat.message",
    }
}

/// A stream of events that one can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// Changes of any session's status.
    Sessions,
    /// Everything of one session.
    Session(SessionId),
}

/// A channel name that is neither `sessions` nor `session:{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown channel `{0}`, expected `sessions` or `session:` followed by a session id")]
pub struct UnknownChannel(pub String);

impl fmt::Display for Channel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sessions => formatter.write_str("sessions"),
            Self::Session(id) => write!(formatter, "session:{id}"),
        }
    }
}

impl FromStr for Channel {
    type Err = UnknownChannel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "sessions" {
            return Ok(Self::Sessions);
        }
        let id = text.strip_prefix("session:").and_then(|id| id.parse().ok());
        id.map(Self::Session).ok_or_else(|| UnknownChannel(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_reads_back_from_its_name() {
        for channel in [Channel::Sessions, Channel::Session(uuid::Uuid::nil().into())] {
            assert_eq!(channel.to_string().parse(), Ok(channel));
        }
    }

    #[test]
    fn a_session_channel_needs_an_id() {
        assert_eq!("session:42".parse::<Channel>(), Err(UnknownChannel("session:42".into())));
    }
}
