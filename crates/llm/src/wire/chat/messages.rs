//! The conversation as messages.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::openai::{Transcript, TranscriptCall, TranscriptEntry};

/// One message.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ChatRequestMessage<'a> {
    /// A reply of the same model in its native format.
    Native(Box<RawValue>),
    /// A system or user message.
    Text { role: &'static str, content: Cow<'a, str> },
    /// A rebuilt reply. The content of a reply that only calls tools is `null`, as OpenAI writes it: some
    /// templates and gateways reject an empty string.
    Assistant {
        role: &'static str,
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ChatToolCall<'a>>,
    },
    /// A tool result.
    Tool { role: &'static str, tool_call_id: String, content: &'a str },
}

/// A tool call.
#[derive(Debug, Serialize)]
pub(super) struct ChatToolCall<'a> {
    id: String,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Debug, Serialize)]
struct CalledFunction<'a> {
    name: String,
    arguments: &'a str,
}

/// Encodes a conversation, instructions first.
pub(super) fn messages(transcript: Transcript<'_>) -> Vec<ChatRequestMessage<'_>> {
    let Transcript { instructions, entries } = transcript;
    let system = (!instructions.is_empty())
        .then_some(ChatRequestMessage::Text { role: "system", content: Cow::Owned(instructions) });
    let mut messages: Vec<_> = system.into_iter().collect();
    for entry in entries {
        add(&mut messages, entry);
    }
    messages
}

fn add<'a>(messages: &mut Vec<ChatRequestMessage<'a>>, entry: TranscriptEntry<'a>) {
    // The templates of many open models require alternating roles.
    if let (TranscriptEntry::User(text), Some(ChatRequestMessage::Text { role: "user", content })) =
        (&entry, messages.last_mut())
    {
        *content = Cow::Owned(format!("{content}\n\n{text}"));
        return;
    }
    messages.push(message(entry));
}

fn message(entry: TranscriptEntry<'_>) -> ChatRequestMessage<'_> {
    match entry {
        TranscriptEntry::User(content) => ChatRequestMessage::Text { role: "user", content },
        TranscriptEntry::Native(native) => ChatRequestMessage::Native(native),
        TranscriptEntry::Assistant { text, calls } => ChatRequestMessage::Assistant {
            role: "assistant",
            content: (!text.is_empty()).then_some(text),
            tool_calls: calls.into_iter().map(call).collect(),
        },
        TranscriptEntry::Result { call_id, content } => {
            ChatRequestMessage::Tool { role: "tool", tool_call_id: call_id, content }
        }
    }
}

fn call(call: TranscriptCall<'_>) -> ChatToolCall<'_> {
    let function = CalledFunction { name: call.name, arguments: call.arguments };
    ChatToolCall { id: call.id, r#type: "function", function }
}
