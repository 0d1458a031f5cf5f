//! The conversation as input items.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::openai::Turn;

/// One item.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    /// An item of an earlier reply, exactly as it came.
    Native(Box<RawValue>),
    /// A message.
    Message { role: &'static str, content: Cow<'a, str> },
    /// A tool call, told anew.
    Call { r#type: &'static str, call_id: String, name: String, arguments: &'a str },
    /// A tool's result.
    Output { r#type: &'static str, call_id: String, output: &'a str },
}

/// The items of a conversation.
pub(super) fn input(turns: Vec<Turn<'_>>) -> Vec<Input<'_>> {
    turns.into_iter().flat_map(items).collect()
}

fn items(turn: Turn<'_>) -> Vec<Input<'_>> {
    match turn {
        Turn::User(content) => vec![Input::Message { role: "user", content }],
        Turn::Native(native) => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(native.get()).unwrap_or_default();
            items.into_iter().map(Input::Native).collect()
        }
        Turn::Assistant { text, calls } => {
            let message = Input::Message { role: "assistant", content: Cow::Borrowed(text) };
            let calls = calls.into_iter().map(|call| Input::Call {
                r#type: "function_call",
                call_id: call.id,
                name: call.name,
                arguments: call.arguments,
            });
            (!text.is_empty()).then_some(message).into_iter().chain(calls).collect()
        }
        Turn::Result { call_id, content } => {
            vec![Input::Output { r#type: "function_call_output", call_id, output: content }]
        }
    }
}
