//! A conversation as OpenAI's formats want it told: instructions first, and an answer right after every tool call.
//!
//! Runs are stopped between a call and its result, and histories are cut; the vendors refuse both. So a call without
//! a result gets one that says so, and a result without a call is told as text.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tarsy_domain::{Message, Role, ToolCall};

use crate::names::wire_name;
use crate::state::State;
use crate::{ModelRequest, Origin};

/// The longest id of a call that OpenAI takes from elsewhere.
const LONGEST_ID: usize = 40;
const NOT_RUN: &str = "This call was not run.";

/// A conversation, ready to be written.
#[derive(Debug)]
pub(crate) struct Transcript<'a> {
    /// All system messages together.
    pub(crate) instructions: String,
    /// What was said, in order.
    pub(crate) turns: Vec<Turn<'a>>,
}

/// One thing that was said.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    /// By the user.
    User(Cow<'a, str>),
    /// By the model, in this wire's own form.
    Native(Box<RawValue>),
    /// By a model, told anew.
    Assistant { text: &'a str, calls: Vec<TurnCall<'a>> },
    /// By a tool.
    Result { call_id: String, content: &'a str },
}

/// A tool call, told anew.
#[derive(Debug)]
pub(crate) struct TurnCall<'a> {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: &'a str,
}

impl<'a> Transcript<'a> {
    /// The conversation of a request, for a wire and the model behind it.
    pub(crate) fn new(request: &'a ModelRequest, wire: &str, origin: &Origin) -> Self {
        let mut instructions = Vec::new();
        let mut telling = Telling::default();
        for message in &request.messages {
            match message.role {
                Role::System => instructions.push(message.content.as_str()),
                Role::User => telling.user(Cow::Borrowed(&message.content)),
                Role::Assistant => telling.assistant(message, State::unpack(message, wire, origin)),
                Role::Tool => telling.result(message),
            }
        }
        telling.answer_open_calls();
        Self { instructions: instructions.join("\n\n"), turns: telling.turns }
    }
}

#[derive(Default)]
struct Telling<'a> {
    turns: Vec<Turn<'a>>,
    /// Calls without a result so far: our id and the one on the wire.
    open: Vec<(&'a str, String)>,
}

impl<'a> Telling<'a> {
    fn user(&mut self, text: Cow<'a, str>) {
        self.answer_open_calls();
        self.turns.push(Turn::User(text));
    }

    fn assistant(&mut self, message: &'a Message, native: Option<Box<RawValue>>) {
        self.answer_open_calls();
        if let Some(native) = native {
            self.open = message.tool_calls.iter().map(|call| (call.id.as_str(), call.id.clone())).collect();
            self.turns.push(Turn::Native(native));
            return;
        }
        if message.content.is_empty() && message.tool_calls.is_empty() {
            return;
        }
        self.open = message.tool_calls.iter().map(|call| (call.id.as_str(), portable_id(&call.id))).collect();
        let calls = message.tool_calls.iter().map(told_anew).collect();
        self.turns.push(Turn::Assistant { text: &message.content, calls });
    }

    fn result(&mut self, message: &'a Message) {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let Some(position) = self.open.iter().position(|(open, _)| *open == id) else {
            let name = message.tool_name.as_deref().unwrap_or("a tool");
            return self.user(Cow::Owned(format!("Result of {name}:\n{}", message.content)));
        };
        let (_, call_id) = self.open.remove(position);
        self.turns.push(Turn::Result { call_id, content: &message.content });
    }

    fn answer_open_calls(&mut self) {
        let unanswered = self.open.drain(..);
        self.turns.extend(unanswered.map(|(_, call_id)| Turn::Result { call_id, content: NOT_RUN }));
    }
}

fn told_anew(call: &ToolCall) -> TurnCall<'_> {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    TurnCall { id: portable_id(&call.id), name: wire_name(&call.name), arguments }
}

/// An id that another vendor gave, in a form that OpenAI takes.
fn portable_id(id: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    if (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(is_plain) {
        return id.to_owned();
    }
    // FNV-1a: the same id gives the same name in every request.
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

    fn told(messages: Vec<Message>) -> Vec<String> {
        let request = ModelRequest {
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: Arc::new([]),
            native_tools: NativeTools::default(),
            tags: Tags::default(),
        };
        let origin = Origin { provider: "p".to_owned(), model: "m".to_owned() };
        let transcript = Transcript::new(&request, "chat", &origin);
        let turns = transcript.turns.iter().map(|turn| match turn {
            Turn::User(text) => format!("user: {text}"),
            Turn::Native(native) => format!("native: {native}"),
            Turn::Assistant { text, calls } => {
                let calls: Vec<_> =
                    calls.iter().map(|call| format!("{}={}{}", call.id, call.name, call.arguments)).collect();
                format!("assistant: {text} [{}]", calls.join(", "))
            }
            Turn::Result { call_id, content } => format!("{call_id}: {content}"),
        });
        std::iter::once(format!("system: {}", transcript.instructions)).chain(turns).collect()
    }

    fn asking(text: &str, ids: &[&str]) -> Message {
        Message { tool_calls: ids.iter().map(|id| call(id)).collect(), ..Message::assistant(text) }
    }

    #[test]
    fn every_call_is_answered_and_every_result_has_a_call() {
        insta::assert_snapshot!(told(vec![
            Message::system("Be brief."),
            Message::user("Look."),
            asking("", &["a", "b"]),
            Message::tool(&call("b"), "two pods"),
            Message::system("Be kind."),
            Message::user("Stop."),
            Message::tool(&call("lost"), "late"),
            Message::assistant(""),
            asking("Again.", &["toolu:with/strange+signs"]),
            Message::tool(&call("toolu:with/strange+signs"), "ok"),
            asking("", &["last"]),
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
