//! The conversation as messages.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::openai::{Transcript, Turn, TurnCall};

/// One message.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ChatMessage<'a> {
    /// A reply of this very model, in its own form.
    Native(Box<RawValue>),
    /// Instructions, or something the user said.
    Said { role: &'static str, content: Cow<'a, str> },
    /// A reply, told anew. The text of a reply that only calls tools is `null`, as OpenAI itself writes it: an
    /// empty text makes some templates and gateways stumble.
    Assistant {
        role: &'static str,
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    /// A tool's result.
    Tool { role: &'static str, tool_call_id: String, content: &'a str },
}

/// A tool call.
#[derive(Debug, Serialize)]
pub(super) struct Call<'a> {
    id: String,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Debug, Serialize)]
struct CalledFunction<'a> {
    name: String,
    arguments: &'a str,
}

/// The messages of a conversation, instructions first.
pub(super) fn messages(transcript: Transcript<'_>) -> Vec<ChatMessage<'_>> {
    let Transcript { instructions, turns } = transcript;
    let system = (!instructions.is_empty())
        .then_some(ChatMessage::Said { role: "system", content: Cow::Owned(instructions) });
    let mut messages: Vec<_> = system.into_iter().collect();
    for turn in turns {
        add(&mut messages, turn);
    }
    messages
}

fn add<'a>(messages: &mut Vec<ChatMessage<'a>>, turn: Turn<'a>) {
    // The templates of many open models want the user and the assistant to take turns.
    if let (Turn::User(text), Some(ChatMessage::Said { role: "user", content })) =
        (&turn, messages.last_mut())
    {
        *content = Cow::Owned(format!("{content}\n\n{text}"));
        return;
    }
    messages.push(message(turn));
}

fn message(turn: Turn<'_>) -> ChatMessage<'_> {
    match turn {
        Turn::User(content) => ChatMessage::Said { role: "user", content },
        Turn::Native(native) => ChatMessage::Native(native),
        Turn::Assistant { text, calls } => ChatMessage::Assistant {
            role: "assistant",
            content: (!text.is_empty()).then_some(text),
            tool_calls: calls.into_iter().map(call).collect(),
        },
        Turn::Result { call_id, content } => {
            ChatMessage::Tool { role: "tool", tool_call_id: call_id, content }
        }
    }
}

fn call(call: TurnCall<'_>) -> Call<'_> {
    let function = CalledFunction { name: call.name, arguments: call.arguments };
    Call { id: call.id, r#type: "function", function }
}
