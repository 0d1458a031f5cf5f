//! The messages that processes exchange, in batches that fit into one PostgreSQL notification.
//!
//! Processes of different versions may share a database during an upgrade, so the JSON names never change.

use serde::{Deserialize, Serialize};
use tarsy_domain::{InteractionId, LivePart, SessionId};
use uuid::Uuid;

use super::text::LiveTextScope;

/// PostgreSQL accepts less than 8,000 bytes.
const MAX_BATCH_BYTES: usize = 7_900;
/// JSON encodes one byte of text as at most six bytes.
pub(super) const MAX_PIECE_BYTES: usize = 1_200;

/// A message to other processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RelayMessage {
    /// This process has a subscriber to this session.
    #[serde(rename = "watching")]
    Subscribed {
        session_id: SessionId,
        /// Whether its texts are needed from their beginning, because the subscriber is new or a piece was
        /// lost.
        #[serde(rename = "anew")]
        from_start: bool,
    },
    /// This process has a subscriber to all sessions.
    #[serde(rename = "watching_all")]
    SubscribedToAll,
    /// The record of this session has changed.
    Changed { session_id: SessionId },
    /// Any session may have changed.
    AnyChanged,
    /// A piece of a streamed text, which follows `offset` bytes.
    Text {
        #[serde(rename = "place")]
        scope: LiveTextScope,
        part: LivePart,
        round: u32,
        offset: usize,
        text: String,
    },
    /// The texts of a call have ended.
    Ended { session_id: SessionId, interaction_id: InteractionId },
}

#[derive(Serialize, Deserialize)]
struct RelayBatch {
    /// The sending process.
    #[serde(rename = "from")]
    sender: Uuid,
    #[serde(rename = "news")]
    messages: Vec<RelayMessage>,
}

/// Encodes messages as few notifications, in order.
pub(super) fn encode(sender: Uuid, messages: Vec<RelayMessage>) -> Vec<String> {
    let mut payloads = Vec::new();
    let mut batch = RelayBatch { sender, messages: Vec::new() };
    let mut size = usize::MAX;
    for message in messages {
        let more = serde_json::to_string(&message).map_or(0, |text| text.len() + 1);
        if size.saturating_add(more) > MAX_BATCH_BYTES {
            flush(&mut batch, &mut payloads);
            size = r#"{"from":"","news":[]}"#.len() + Uuid::nil().to_string().len();
        }
        size += more;
        batch.messages.push(message);
    }
    flush(&mut batch, &mut payloads);
    payloads
}

fn flush(batch: &mut RelayBatch, payloads: &mut Vec<String>) {
    if !batch.messages.is_empty() {
        payloads.extend(serde_json::to_string(batch).ok());
        batch.messages.clear();
    }
}

/// Decodes a notification. Ignores notifications of this process, and those that cannot be read.
pub(super) fn decode(own: Uuid, payload: &str) -> Vec<RelayMessage> {
    match serde_json::from_str::<RelayBatch>(payload) {
        Ok(batch) if batch.sender != own => batch.messages,
        Ok(_) => Vec::new(),
        Err(error) => {
            tracing::debug!(%error, "ignored a notification of another process that cannot be read");
            Vec::new()
        }
    }
}

/// Splits a text into pieces, each with its offset. An empty text is one empty piece.
pub(super) fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    loop {
        let rest = &text[offset..];
        let piece = &rest[..rest.floor_char_boundary(MAX_PIECE_BYTES)];
        pieces.push((offset, piece));
        offset += piece.len();
        if offset == text.len() {
            return pieces;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scope() -> LiveTextScope {
        LiveTextScope {
            session_id: Uuid::nil().into(),
            stage_id: None,
            execution_id: Uuid::nil().into(),
            interaction_id: Uuid::nil().into(),
        }
    }

    proptest! {
        #[test]
        fn any_text_arrives_complete_in_notifications_that_fit(text in "(?s).{0,9000}") {
            let messages = pieces(&text).into_iter().map(|(offset, piece)| RelayMessage::Text {
                scope: scope(), part: LivePart::Text, round: 0, offset, text: piece.to_owned(),
            });
            let payloads = encode(Uuid::from_u128(1), messages.collect());
            let mut received = String::new();
            for payload in &payloads {
                prop_assert!(payload.len() < 8_000);
                for message in decode(Uuid::from_u128(2), payload) {
                    let RelayMessage::Text { offset, text, .. } = message else { panic!("only texts were sent") };
                    prop_assert_eq!(offset, received.len());
                    received.push_str(&text);
                }
            }
            prop_assert_eq!(received, text);
        }
    }

    #[test]
    fn ignores_its_own_notifications() {
        let payloads = encode(Uuid::from_u128(1), vec![RelayMessage::SubscribedToAll]);
        assert_eq!(decode(Uuid::from_u128(1), &payloads[0]), []);
        assert_eq!(decode(Uuid::from_u128(2), &payloads[0]), [RelayMessage::SubscribedToAll]);
    }

    #[test]
    fn keeps_the_json_names_of_earlier_versions() {
        let subscribed = RelayMessage::Subscribed { session_id: Uuid::nil().into(), from_start: true };
        let text = RelayMessage::Text {
            scope: scope(),
            part: LivePart::Text,
            round: 1,
            offset: 2,
            text: "x".to_owned(),
        };
        let json = encode(Uuid::nil(), vec![subscribed, RelayMessage::SubscribedToAll, text]).concat();
        let nil = Uuid::nil();
        assert_eq!(
            json,
            format!(
                r#"{{"from":"{nil}","news":[{{"watching":{{"session_id":"{nil}","anew":true}}}},"watching_all",{{"text":{{"place":{{"session_id":"{nil}","stage_id":null,"execution_id":"{nil}","interaction_id":"{nil}"}},"part":"text","round":1,"offset":2,"text":"x"}}}}]}}"#
            )
        );
    }
}
