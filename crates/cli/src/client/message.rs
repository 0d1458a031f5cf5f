//! A message of a session's event stream, as received.
//!
//! A newer server may send types and values that this version does not know: such a message keeps its event
//! id and its text, and has no content.

use serde::Deserialize;
use tarsy_domain::ChannelMessage;

/// One message of a stream.
#[derive(Debug)]
pub(crate) struct ReceivedMessage {
    /// The id of the stored event; None if the message is not stored.
    pub(crate) event_id: Option<u64>,
    /// The message as it was received.
    pub(crate) json: String,
    /// The parsed message; None if this version does not know its type or one of its values.
    pub(crate) content: Option<ChannelMessage>,
}

/// The fields that are read from every message.
#[derive(Deserialize)]
struct MessageHeader {
    event_id: Option<u64>,
}

impl ReceivedMessage {
    /// Parses a message. Fails only if it is not a JSON object.
    pub(super) fn parse(json: String) -> serde_json::Result<Self> {
        let MessageHeader { event_id } = serde_json::from_str(&json)?;
        Ok(Self { event_id, content: serde_json::from_str(&json).ok(), json })
    }

    /// Returns whether the session has ended with this message.
    pub(crate) fn ends_session(&self) -> bool {
        matches!(&self.content, Some(ChannelMessage::SessionStatus(message)) if message.data.status.is_terminal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a1e091-4f01-7082-aa51-081012474902";

    #[test]
    fn skips_unknown_types_and_values() {
        for (message_type, data) in [
            ("session.archived", format!(r#"{{"session_id":"{ID}"}}"#)),
            ("session.status", format!(r#"{{"session_id":"{ID}","status":"archived"}}"#)),
            ("timeline_event.completed", r#"{"event_type":"song","content":"la"}"#.to_owned()),
        ] {
            let json =
                format!(r#"{{"type":"{message_type}","channel":"session:{ID}","event_id":3,"data":{data}}}"#);
            let message = ReceivedMessage::parse(json.clone()).unwrap();
            assert_eq!((message.event_id, message.json, message.content), (Some(3), json, None));
        }
    }

    #[test]
    fn a_terminal_status_ends_the_session() {
        for (status, ends) in
            [("in_progress", false), ("cancelling", false), ("completed", true), ("failed", true)]
        {
            let json = format!(
                r#"{{"type":"session.status","channel":"session:{ID}","event_id":1,"data":{{"session_id":"{ID}","status":"{status}"}}}}"#
            );
            assert_eq!(ReceivedMessage::parse(json).unwrap().ends_session(), ends, "{status}");
        }
    }
}
