//! The conversation as input items.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::openai::TranscriptEntry;

/// One input item.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum InputItem<'a> {
    /// An item of an earlier reply, exactly as it arrived.
    Native(Box<RawValue>),
    /// A message.
    Message { role: &'static str, content: Cow<'a, str> },
    /// A tool call of a rebuilt reply.
    Call { r#type: &'static str, call_id: String, name: String, arguments: &'a str },
    /// A tool result.
    Output { r#type: &'static str, call_id: String, output: &'a str },
}

/// Encodes a conversation.
pub(super) fn input_items(entries: Vec<TranscriptEntry<'_>>) -> Vec<InputItem<'_>> {
    entries.into_iter().flat_map(items).collect()
}

fn items(entry: TranscriptEntry<'_>) -> Vec<InputItem<'_>> {
    match entry {
        TranscriptEntry::User(content) => vec![InputItem::Message { role: "user", content }],
        TranscriptEntry::Native(native) => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(native.get()).unwrap_or_default();
            items.into_iter().map(InputItem::Native).collect()
        }
        TranscriptEntry::Assistant { text, calls } => {
            let message = InputItem::Message { role: "assistant", content: Cow::Borrowed(text) };
            let calls = calls.into_iter().map(|call| InputItem::Call {
                r#type: "function_call",
                call_id: call.id,
                name: call.name,
                arguments: call.arguments,
            });
            (!text.is_empty()).then_some(message).into_iter().chain(calls).collect()
        }
        TranscriptEntry::Result { call_id, content } => {
            vec![InputItem::Output { r#type: "function_call_output", call_id, output: content }]
        }
    }
}
