//! A conversation in Gemini's words: instructions apart, turns of the user and of the model in order.
//!
//! Results of tools are turns of the user too, and stand alone: Gemini wants as many in one turn as the model's turn
//! before has calls, and takes a user's text as the beginning of something new.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::{Message, Role, ToolCall};

use super::Gemini;
use super::family::Family;
use super::fields::Fields;
use crate::names::wire_name;
use crate::state::State;
use crate::wire::Wire;
use crate::{ModelRequest, Origin};

/// What Google documents for calls that its model did not make: without any signature they are refused.
/// <https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>
const NOT_SIGNED_HERE: &str = "skip_thought_signature_validator";

/// A conversation, translated.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The instructions.
    pub(super) system: Vec<Part>,
    /// The turns.
    pub(super) contents: Vec<Content>,
    calls: HashMap<String, Called>,
}

/// One turn.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    /// A turn of the model, exactly as it came.
    Native(Box<RawValue>),
    /// A turn in our words.
    Built {
        /// Whose turn.
        role: &'static str,
        /// What is in it.
        parts: Vec<Part>,
    },
}

/// A part of a turn.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Call {
        function_call: FunctionCall,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'static str>,
    },
    #[serde(rename_all = "camelCase")]
    Result {
        function_response: FunctionResponse,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionCall {
    name: String,
    args: Box<RawValue>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionResponse {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    response: Response,
}

#[derive(Debug, Serialize)]
struct Response {
    result: String,
}

/// How Gemini knows a call: only by what it said itself.
#[derive(Debug, Clone)]
struct Called {
    id: Option<String>,
    name: String,
}

impl Conversation {
    /// Translates the conversation of a request to a model.
    pub(super) fn new(origin: &Origin, request: &ModelRequest) -> Self {
        let mut conversation = Self::default();
        for message in &request.messages {
            match message.role {
                Role::System => conversation.add_instruction(&message.content),
                Role::User => conversation.add_user(&message.content),
                Role::Assistant => conversation.add_model(message, origin),
                Role::Tool => conversation.add_result(message),
            }
        }
        conversation
    }

    fn add_instruction(&mut self, text: &str) {
        self.system.extend(text_part(text));
    }

    fn add_user(&mut self, text: &str) {
        let Some(part) = text_part(text) else { return };
        match self.contents.last_mut() {
            Some(Content::Built { role: "user", parts }) if parts.iter().all(Part::is_text) => {
                parts.push(part);
            }
            Some(Content::Built { .. } | Content::Native(_)) | None => self.push("user", vec![part]),
        }
    }

    fn add_model(&mut self, message: &Message, origin: &Origin) {
        match native_turn(message, origin) {
            Some((native, called)) => {
                self.calls.extend(message.tool_calls.iter().map(|call| call.id.clone()).zip(called));
                self.contents.push(Content::Native(native));
            }
            None => self.add_rebuilt(message, origin),
        }
    }

    fn add_rebuilt(&mut self, message: &Message, origin: &Origin) {
        let needs_signature = Family::of(&origin.model).is_at_least(3, 0);
        let calls = message.tool_calls.iter().enumerate().map(|(place, call)| Part::Call {
            function_call: FunctionCall { name: wire_name(&call.name), args: arguments(call) },
            thought_signature: (needs_signature && place == 0).then_some(NOT_SIGNED_HERE),
        });
        let parts: Vec<_> = text_part(&message.content).into_iter().chain(calls).collect();
        self.calls.extend(
            message
                .tool_calls
                .iter()
                .map(|call| (call.id.clone(), Called { id: None, name: wire_name(&call.name) })),
        );
        if !parts.is_empty() {
            self.push("model", parts);
        }
    }

    fn add_result(&mut self, message: &Message) {
        let called = message.tool_call_id.as_ref().and_then(|id| self.calls.get(id)).cloned();
        let called = called.unwrap_or_else(|| Called {
            id: None,
            name: wire_name(message.tool_name.as_deref().unwrap_or("unknown")),
        });
        let response = Response { result: message.content.clone() };
        let part = Part::Result {
            function_response: FunctionResponse { id: called.id, name: called.name, response },
        };
        match self.contents.last_mut() {
            Some(Content::Built { role: "user", parts }) if !parts.iter().any(Part::is_text) => {
                parts.push(part);
            }
            Some(Content::Built { .. } | Content::Native(_)) | None => self.push("user", vec![part]),
        }
    }

    fn push(&mut self, role: &'static str, parts: Vec<Part>) {
        self.contents.push(Content::Built { role, parts });
    }
}

impl Part {
    fn is_text(&self) -> bool {
        match self {
            Self::Text { .. } => true,
            Self::Call { .. } | Self::Result { .. } => false,
        }
    }
}

/// Gemini refuses parts without a text.
fn text_part(text: &str) -> Option<Part> {
    (!text.is_empty()).then(|| Part::Text { text: text.to_owned() })
}

/// A turn as this model wrote it, with its calls. Calls that nobody took up have no results, and Gemini refuses a
/// conversation with such calls: then the turn is rebuilt from what was taken up.
fn native_turn(message: &Message, origin: &Origin) -> Option<(Box<RawValue>, Vec<Called>)> {
    let native = State::unpack(message, Gemini::NAME, origin)?;
    let called = calls_in(&native);
    (called.len() == message.tool_calls.len()).then_some((native, called))
}

/// The calls of a turn that Gemini wrote, in order.
fn calls_in(native: &RawValue) -> Vec<Called> {
    let parts = Fields::read(native.get()).objects("parts");
    let calls = parts.iter().filter_map(|part| part.object("functionCall"));
    calls.filter_map(|call| Some(Called { id: call.text("id"), name: call.text("name")? })).collect()
}

/// Arguments are an object for Gemini; what another model wrote instead is put into one.
fn arguments(call: &ToolCall) -> Box<RawValue> {
    let written = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    let object = serde_json::from_str::<Box<RawValue>>(written).ok();
    object.filter(|raw| raw.get().starts_with('{')).unwrap_or_else(|| {
        let wrapped = serde_json::json!({ "arguments": written });
        to_raw_value(&wrapped).unwrap_or_default()
    })
}
