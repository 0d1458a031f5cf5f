//! The conversation as both OpenAI APIs require it: instructions first, and a result right after every tool
//! call.
//!
//! A run can be stopped between a call and its result, and old messages can be removed; the API rejects both
//! cases. So a call without a result gets a placeholder result, and a result without a call becomes user
//! text.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tarsy_domain::{Message, Role, ToolCall};

use crate::names::wire_name;
use crate::state::ProviderState;
use crate::{ModelRequest, Origin};

/// Maximum length of a call id that OpenAI accepts.
const MAX_ID_LENGTH: usize = 40;
const NOT_RUN: &str = "This call was not run.";

/// A conversation in the order in which it is sent.
#[derive(Debug)]
pub(crate) struct Transcript<'a> {
    /// All system messages, joined.
    pub(crate) instructions: String,
    /// Everything else.
    pub(crate) entries: Vec<TranscriptEntry<'a>>,
}

/// One message or tool result.
#[derive(Debug)]
pub(crate) enum TranscriptEntry<'a> {
    /// A user message.
    User(Cow<'a, str>),
    /// A reply in the native format of this wire.
    Native(Box<RawValue>),
    /// A reply that is rebuilt from its text and tool calls.
    Assistant { text: &'a str, calls: Vec<TranscriptCall<'a>> },
    /// A tool result.
    Result { call_id: String, content: &'a str },
}

/// A tool call of a rebuilt reply.
#[derive(Debug)]
pub(crate) struct TranscriptCall<'a> {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: &'a str,
}

impl<'a> Transcript<'a> {
    /// Arranges the conversation of a request for a wire and a model.
    pub(crate) fn new(request: &'a ModelRequest, wire: &str, origin: &Origin) -> Self {
        let mut instructions = Vec::new();
        let mut builder = TranscriptBuilder::default();
        for message in &request.messages {
            match message.role {
                Role::System => instructions.push(message.content.as_str()),
                Role::User => builder.user(Cow::Borrowed(&message.content)),
                Role::Assistant => builder.assistant(message, ProviderState::unpack(message, wire, origin)),
                Role::Tool => builder.result(message),
            }
        }
        builder.close_open_calls();
        Self { instructions: instructions.join("\n\n"), entries: builder.entries }
    }
}

#[derive(Default)]
struct TranscriptBuilder<'a> {
    entries: Vec<TranscriptEntry<'a>>,
    /// Calls without a result so far: our id and the id on the wire.
    open: Vec<(&'a str, String)>,
}

impl<'a> TranscriptBuilder<'a> {
    fn user(&mut self, text: Cow<'a, str>) {
        self.close_open_calls();
        self.entries.push(TranscriptEntry::User(text));
    }

    fn assistant(&mut self, message: &'a Message, native: Option<Box<RawValue>>) {
        self.close_open_calls();
        if let Some(native) = native {
            self.open = message.tool_calls.iter().map(|call| (call.id.as_str(), call.id.clone())).collect();
            self.entries.push(TranscriptEntry::Native(native));
            return;
        }
        if message.content.is_empty() && message.tool_calls.is_empty() {
            return;
        }
        self.open = message.tool_calls.iter().map(|call| (call.id.as_str(), portable_id(&call.id))).collect();
        let calls = message.tool_calls.iter().map(rebuilt_call).collect();
        self.entries.push(TranscriptEntry::Assistant { text: &message.content, calls });
    }

    fn result(&mut self, message: &'a Message) {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let Some(position) = self.open.iter().position(|(open, _)| *open == id) else {
            let name = message.tool_name.as_deref().unwrap_or("a tool");
            return self.user(Cow::Owned(format!("Result of {name}:\n{}", message.content)));
        };
        let (_, call_id) = self.open.remove(position);
        self.entries.push(TranscriptEntry::Result { call_id, content: &message.content });
    }

    fn close_open_calls(&mut self) {
        let open = self.open.drain(..);
        self.entries.extend(open.map(|(_, call_id)| TranscriptEntry::Result { call_id, content: NOT_RUN }));
    }
}

fn rebuilt_call(call: &ToolCall) -> TranscriptCall<'_> {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    TranscriptCall { id: portable_id(&call.id), name: wire_name(&call.name), arguments }
}

/// Returns an id of another vendor in a form that OpenAI accepts.
fn portable_id(id: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    if (1..=MAX_ID_LENGTH).contains(&id.len()) && id.chars().all(is_plain) {
        return id.to_owned();
    }
    // FNV-1a: stable, so that an id is the same in every request.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("call_{hash:016x}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{NativeTools, Tags};

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "k8s.pods".to_owned(), arguments: String::new() }
    }

    fn encoded(messages: Vec<Message>) -> Vec<String> {
        let request = ModelRequest {
            stop_sequences: &[],
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: Arc::new([]),
            native_tools: NativeTools::default(),
            tags: Tags::default(),
        };
        let origin = Origin { provider: "p".to_owned(), model: "m".to_owned() };
        let transcript = Transcript::new(&request, "chat", &origin);
        let entries = transcript.entries.iter().map(|entry| match entry {
            TranscriptEntry::User(text) => format!("user: {text}"),
            TranscriptEntry::Native(native) => format!("native: {native}"),
            TranscriptEntry::Assistant { text, calls } => {
                let calls: Vec<_> =
                    calls.iter().map(|call| format!("{}={}{}", call.id, call.name, call.arguments)).collect();
                format!("assistant: {text} [{}]", calls.join(", "))
            }
            TranscriptEntry::Result { call_id, content } => format!("{call_id}: {content}"),
        });
        std::iter::once(format!("system: {}", transcript.instructions)).chain(entries).collect()
    }

    fn calling(text: &str, ids: &[&str]) -> Message {
        Message { tool_calls: ids.iter().map(|id| call(id)).collect(), ..Message::assistant(text) }
    }

    #[test]
    fn every_call_has_a_result_and_every_result_a_call() {
        insta::assert_snapshot!(encoded(vec![
            Message::system("Be brief."),
            Message::user("Look."),
            calling("", &["a", "b"]),
            Message::tool(&call("b"), "two pods"),
            Message::system("Be kind."),
            Message::user("Stop."),
            Message::tool(&call("lost"), "late"),
            Message::assistant(""),
            calling("Again.", &["toolu:with/strange+signs"]),
            Message::tool(&call("toolu:with/strange+signs"), "ok"),
            calling("", &["last"]),
        ])
        .join("\n"), @"
        system: Be brief.

        Be kind.
        user: Look.
        assistant:  [a=k8s__pods{}, b=k8s__pods{}]
        b: two pods
        a: This call was not run.
        user: Stop.
        user: Result of k8s.pods:
        late
        assistant: Again. [call_80121be5fc7a4e96=k8s__pods{}]
        call_80121be5fc7a4e96: ok
        assistant:  [last=k8s__pods{}]
        last: This call was not run.
        ");
    }
}
