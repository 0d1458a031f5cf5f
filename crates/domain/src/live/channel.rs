//! The channels that clients subscribe to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::SessionId;

/// A stream of events that clients subscribe to: `sessions`, or `session:` followed by a session id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Channel {
    /// Status and progress of all sessions.
    Sessions,
    /// All events of one session.
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

impl From<Channel> for String {
    fn from(channel: Channel) -> Self {
        channel.to_string()
    }
}

impl TryFrom<String> for Channel {
    type Error = UnknownChannel;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for Channel {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .description(Some("`sessions`, or `session:` followed by a session id."))
            .into()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for Channel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_its_own_name() {
        for channel in [Channel::Sessions, Channel::Session(uuid::Uuid::nil().into())] {
            assert_eq!(channel.to_string().parse(), Ok(channel));
        }
    }

    #[test]
    fn rejects_a_session_channel_without_a_session_id() {
        assert_eq!("session:42".parse::<Channel>(), Err(UnknownChannel("session:42".into())));
    }
}
