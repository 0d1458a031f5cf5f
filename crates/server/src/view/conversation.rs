//! Rebuilds the conversation that was sent to a model.
//!
//! A model call does not store the conversation again: it records how many of the execution's messages were
//! sent, and which of them had a different text, because results that no longer fit become one-line stubs.

use serde::Deserialize;
use tarsy_domain::{InteractionId, Message};
use tarsy_store::{RecordedMessage, StoreError, decode_json};

/// The recorded request of a model call.
#[derive(Deserialize)]
struct RecordedRequest {
    messages: SentMessages,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SentMessages {
    /// The first `through` messages of the execution.
    Recorded {
        through: usize,
        #[serde(default)]
        replaced: Vec<ReplacedMessage>,
    },
    /// A separate conversation, for example to summarize a result.
    Whole(Vec<Message>),
}

/// A message that was sent with another text.
#[derive(Deserialize)]
struct ReplacedMessage {
    sequence: u64,
    content: String,
}

/// Returns the messages that a recorded request sent.
pub(crate) fn conversation_as_sent(
    interaction_id: InteractionId,
    request: &str,
    recorded: Vec<RecordedMessage>,
) -> Result<Vec<Message>, StoreError> {
    let request: RecordedRequest = decode_json("request", interaction_id, request)?;
    let (through, replaced) = match request.messages {
        SentMessages::Whole(messages) => return Ok(messages),
        SentMessages::Recorded { through, replaced } => (through, replaced),
    };
    let sent = recorded.into_iter().take(through).map(|recorded| {
        let mut message = recorded.message.message;
        if let Some(other) = replaced.iter().find(|other| other.sequence == recorded.sequence) {
            message.content.clone_from(&other.content);
        }
        message
    });
    Ok(sent.collect())
}

#[cfg(test)]
mod tests {
    use tarsy_domain::MessageId;
    use tarsy_store::NewMessage;

    use super::*;

    fn recorded() -> Vec<RecordedMessage> {
        let messages = [Message::system("rules"), Message::user("a long result"), Message::assistant("ah")];
        let messages = messages.map(|message| NewMessage { message_id: MessageId::new(), message });
        (1..).zip(messages).map(|(sequence, message)| RecordedMessage { sequence, message }).collect()
    }

    #[test]
    fn rebuilds_the_messages_that_were_sent() {
        let cases = [
            (r#"{"messages":{"through":2}}"#, vec![Message::system("rules"), Message::user("a long result")]),
            (
                r#"{"messages":{"through":2,"replaced":[{"sequence":2,"content":"[left out]"}]}}"#,
                vec![Message::system("rules"), Message::user("[left out]")],
            ),
            (r#"{"messages":{"through":0}}"#, vec![]),
            (r#"{"messages":[{"role":"user","content":"Sum up."}]}"#, vec![Message::user("Sum up.")]),
        ];
        for (request, expected) in cases {
            assert_eq!(
                conversation_as_sent(InteractionId::new(), request, recorded()).unwrap(),
                expected,
                "{request}"
            );
        }
    }

    #[test]
    fn an_unreadable_request_is_corrupt() {
        let error = conversation_as_sent(InteractionId::new(), "{}", recorded()).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { column, .. } if column == "request"));
    }
}
