//! The conversation: instructions separately, then the contents of the user and of the model in order.
//!
//! Tool results are separate user contents: Gemini requires one content with exactly as many results as the
//! preceding model content has calls, and treats user text as the start of a new turn.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::{Message, Role, ToolCall};

use super::Gemini;
use super::fields::JsonFields;
use crate::names::wire_name;
use crate::state::ProviderState;
use crate::wire::Wire;
use crate::{ModelRequest, Origin};

/// The documented signature for calls that the model did not make: Gemini 3 rejects calls without a
/// signature.
/// <https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// A conversation in Gemini's format.
#[derive(Debug, Default)]
pub(super) struct ContentList {
    /// The instructions.
    pub(super) system: Vec<ContentPart>,
    /// The contents.
    pub(super) contents: Vec<TurnContent>,
    /// Gemini's names and ids of the calls, by our ids.
    calls: HashMap<String, NativeCall>,
    /// Whether rebuilt calls need a signature.
    signed_tool_calls: bool,
}

/// One content.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum TurnContent {
    /// A reply of the model, exactly as it arrived.
    Native(Box<RawValue>),
    /// A content that is built here.
    Built {
        /// `user` or `model`.
        role: &'static str,
        /// The parts.
        parts: Vec<ContentPart>,
    },
}

/// A part of a content.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ContentPart {
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
    response: ResultObject,
}

#[derive(Debug, Serialize)]
struct ResultObject {
    result: String,
}

/// The name and id that Gemini gave a call.
#[derive(Debug, Clone)]
struct NativeCall {
    id: Option<String>,
    name: String,
}

impl ContentList {
    /// Encodes the conversation of a request. `signed_tool_calls`: whether the model rejects calls without a
    /// signature.
    pub(super) fn new(origin: &Origin, request: &ModelRequest, signed_tool_calls: bool) -> Self {
        let mut conversation = Self { signed_tool_calls, ..Self::default() };
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
            Some(TurnContent::Built { role: "user", parts }) if parts.iter().all(ContentPart::is_text) => {
                parts.push(part);
            }
            Some(TurnContent::Built { .. } | TurnContent::Native(_)) | None => self.push("user", vec![part]),
        }
    }

    fn add_model(&mut self, message: &Message, origin: &Origin) {
        match native_turn(message, origin) {
            Some((native, calls)) => {
                self.calls.extend(message.tool_calls.iter().map(|call| call.id.clone()).zip(calls));
                self.contents.push(TurnContent::Native(native));
            }
            None => self.add_rebuilt(message),
        }
    }

    fn add_rebuilt(&mut self, message: &Message) {
        let needs_signature = self.signed_tool_calls;
        let calls = message.tool_calls.iter().enumerate().map(|(position, call)| ContentPart::Call {
            function_call: FunctionCall { name: wire_name(&call.name), args: arguments(call) },
            thought_signature: (needs_signature && position == 0).then_some(FOREIGN_SIGNATURE),
        });
        let parts: Vec<_> = text_part(&message.content).into_iter().chain(calls).collect();
        self.calls.extend(
            message
                .tool_calls
                .iter()
                .map(|call| (call.id.clone(), NativeCall { id: None, name: wire_name(&call.name) })),
        );
        if !parts.is_empty() {
            self.push("model", parts);
        }
    }

    fn add_result(&mut self, message: &Message) {
        let call = message.tool_call_id.as_ref().and_then(|id| self.calls.get(id)).cloned();
        let call = call.unwrap_or_else(|| NativeCall {
            id: None,
            name: wire_name(message.tool_name.as_deref().unwrap_or("unknown")),
        });
        let response = ResultObject { result: message.content.clone() };
        let part = ContentPart::Result {
            function_response: FunctionResponse { id: call.id, name: call.name, response },
        };
        match self.contents.last_mut() {
            Some(TurnContent::Built { role: "user", parts }) if !parts.iter().any(ContentPart::is_text) => {
                parts.push(part);
            }
            Some(TurnContent::Built { .. } | TurnContent::Native(_)) | None => self.push("user", vec![part]),
        }
    }

    fn push(&mut self, role: &'static str, parts: Vec<ContentPart>) {
        self.contents.push(TurnContent::Built { role, parts });
    }
}

impl ContentPart {
    fn is_text(&self) -> bool {
        match self {
            Self::Text { .. } => true,
            Self::Call { .. } | Self::Result { .. } => false,
        }
    }
}

/// Returns a text part, or `None` for an empty text, which the API rejects.
fn text_part(text: &str) -> Option<ContentPart> {
    (!text.is_empty()).then(|| ContentPart::Text { text: text.to_owned() })
}

/// Returns a reply as this model wrote it, with its calls. If some of its calls were dropped, they have no
/// results, and Gemini rejects such a conversation: then the reply is rebuilt from the calls that were kept.
fn native_turn(message: &Message, origin: &Origin) -> Option<(Box<RawValue>, Vec<NativeCall>)> {
    let native = ProviderState::unpack(message, Gemini::NAME, origin)?;
    let calls = calls_in(&native);
    (calls.len() == message.tool_calls.len()).then_some((native, calls))
}

/// Returns the calls of a native reply, in order.
fn calls_in(native: &RawValue) -> Vec<NativeCall> {
    let parts = JsonFields::read(native.get()).objects("parts");
    let calls = parts.iter().filter_map(|part| part.object("functionCall"));
    calls.filter_map(|call| Some(NativeCall { id: call.text("id"), name: call.text("name")? })).collect()
}

/// Returns arguments as an object, which the API requires. Anything else another model wrote is wrapped in an
/// object.
fn arguments(call: &ToolCall) -> Box<RawValue> {
    let written = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    let object = serde_json::from_str::<Box<RawValue>>(written).ok();
    object.filter(|raw| raw.get().starts_with('{')).unwrap_or_else(|| {
        let wrapped = serde_json::json!({ "arguments": written });
        to_raw_value(&wrapped).unwrap_or_default()
    })
}
