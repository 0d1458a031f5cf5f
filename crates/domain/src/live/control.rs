//! Commands of WebSocket clients, and the server's replies to them.

use serde::{Deserialize, Serialize};

use super::Channel;
use crate::string_enum::string_enum;

/// A command that a client sends over the WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClientCommand {
    /// What to do.
    pub action: CommandAction,
    /// The channel. Required for all actions except `ping`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// The last event that the client has received; delivery starts after it. Without it a subscription to a
    /// session starts with its first event, and one to `sessions` with the next event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<u64>,
}

string_enum! {
    /// The action of a client command.
    pub enum CommandAction {
        /// Subscribe to a channel, or resubscribe from another position.
        Subscribe = "subscribe",
        /// End a subscription.
        Unsubscribe = "unsubscribe",
        /// Send one page of the stored events after `last_event_id`, without a subscription.
        Catchup = "catchup",
        /// Check the connection.
        Ping = "ping",
    }
}

/// A message about the WebSocket itself. `type` selects the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ControlMessage {
    /// The subscription is active; messages that follow belong to it.
    Subscribed {
        /// The channel.
        channel: Channel,
    },
    /// The subscription has ended.
    Unsubscribed {
        /// The channel.
        channel: Channel,
    },
    /// The end of the page that `catchup` requested.
    CaughtUp {
        /// The channel.
        channel: Channel,
        /// The last event of the page.
        last_event_id: u64,
        /// Whether more events are stored after it.
        more: bool,
    },
    /// The reply to `ping`.
    Pong,
    /// The command was not executed.
    Error {
        /// What is wrong with the command.
        message: String,
    },
}

impl ControlMessage {
    /// Serializes the message. This cannot fail: all keys are strings.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_messages_keep_their_bytes() {
        let channel = Channel::Sessions;
        for (message, json) in [
            (ControlMessage::Subscribed { channel }, r#"{"type":"subscribed","channel":"sessions"}"#),
            (ControlMessage::Unsubscribed { channel }, r#"{"type":"unsubscribed","channel":"sessions"}"#),
            (
                ControlMessage::CaughtUp { channel, last_event_id: 4, more: false },
                r#"{"type":"caught_up","channel":"sessions","last_event_id":4,"more":false}"#,
            ),
            (ControlMessage::Pong, r#"{"type":"pong"}"#),
            (ControlMessage::Error { message: "no".to_owned() }, r#"{"type":"error","message":"no"}"#),
        ] {
            assert_eq!(message.to_json(), json);
        }
    }
}
