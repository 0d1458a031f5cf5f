//! The conversation as alternating messages of the user and the assistant.
//!
//! Every tool call has its result at the start of the next user message, as the API requires. A call without
//! a result, whose run was stopped, gets a placeholder result. Earlier replies of the same model are sent
//! back byte for byte.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tarsy_domain::{Message, Role, ToolCall};

use super::Anthropic;
use super::thinking::Continuation;
use crate::names::wire_name;
use crate::state::ProviderState;
use crate::wire::Wire;
use crate::{ModelRequest, Origin};

const NO_RESULT: &str = "No result: the run was stopped before this call was answered.";
const NO_OUTPUT: &str = "(no output)";
/// Appended when the conversation ends with the assistant: newer models reject that.
const CONTINUE: &str = "Continue.";
/// Number of user messages, from the last, with a cache breakpoint: the newest and the last one of the
/// previous request.
const CACHED_MESSAGES: usize = 2;

/// A conversation in the vendor's format.
#[derive(Debug)]
pub(super) struct MessageList {
    /// The instructions.
    pub(super) system: Vec<TextBlock>,
    /// The messages, alternating between user and assistant.
    pub(super) messages: Vec<WireMessage>,
}

/// One message.
#[derive(Debug, Serialize)]
pub(super) struct WireMessage {
    role: WireRole,
    content: Vec<ContentBlock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum WireRole {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ContentBlock {
    /// A block of an earlier reply, unchanged.
    Native(Box<RawValue>),
    Text(TextBlock),
    ToolUse(ToolUseBlock),
    ToolResult(ToolResultBlock),
}

/// A text block.
#[derive(Debug, Serialize)]
pub(super) struct TextBlock {
    r#type: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

#[derive(Debug, Serialize)]
struct ToolUseBlock {
    r#type: &'static str,
    id: String,
    name: String,
    input: Box<RawValue>,
}

#[derive(Debug, Serialize)]
struct ToolResultBlock {
    r#type: &'static str,
    tool_use_id: String,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

/// Returns a cache breakpoint.
pub(super) fn cache_breakpoint() -> Value {
    json!({ "type": "ephemeral" })
}

impl MessageList {
    /// Encodes the messages of a request.
    pub(super) fn new(request: &ModelRequest, origin: &Origin) -> Self {
        let mut builder = MessageListBuilder {
            origin,
            system: Vec::new(),
            messages: Vec::new(),
            calls: Vec::new(),
            user_texts: Vec::new(),
            ids: HashSet::new(),
        };
        for message in &request.messages {
            builder.add(message);
        }
        builder.end()
    }

    /// Returns whether the conversation has a compaction of the vendor.
    pub(super) fn has_compaction(&self) -> bool {
        let mut blocks = self.messages.iter().flat_map(|message| &message.content);
        blocks.any(|block| match block {
            ContentBlock::Native(raw) => BlockHeader::of(raw).r#type == "compaction",
            ContentBlock::Text(_) | ContentBlock::ToolUse(_) | ContentBlock::ToolResult(_) => false,
        })
    }

    /// Returns whether the model may think. After tool calls it may only if the first of them came with
    /// thinking.
    pub(super) fn continuation(&self) -> Continuation {
        let mut first = None;
        for pair in self.messages.rchunks(2) {
            let [
                WireMessage { role: WireRole::Assistant, content: calls },
                WireMessage { content: results, .. },
            ] = pair
            else {
                break;
            };
            if !matches!(results.first(), Some(ContentBlock::ToolResult(_))) {
                break;
            }
            first = calls.first();
        }
        match first {
            None => Continuation::Free,
            Some(ContentBlock::Native(raw)) if BlockHeader::of(raw).is_thinking() => Continuation::Free,
            Some(
                ContentBlock::Native(_)
                | ContentBlock::Text(_)
                | ContentBlock::ToolUse(_)
                | ContentBlock::ToolResult(_),
            ) => Continuation::WithoutThinking,
        }
    }
}

/// Builds the list, message by message.
struct MessageListBuilder<'a> {
    origin: &'a Origin,
    system: Vec<TextBlock>,
    messages: Vec<WireMessage>,
    /// The tool calls of the last assistant message, with the results so far.
    calls: Vec<OpenCall>,
    /// User texts since the last assistant message.
    user_texts: Vec<String>,
    /// Ids in use: the API requires every call to have its own.
    ids: HashSet<String>,
}

struct OpenCall {
    id: String,
    wire_id: String,
    result: Option<String>,
}

impl MessageListBuilder<'_> {
    fn add(&mut self, message: &Message) {
        match message.role {
            Role::System => self.system.extend(TextBlock::new(&message.content)),
            Role::User => self.user_texts.push(message.content.clone()),
            Role::Tool => self.add_result(message),
            Role::Assistant => {
                self.close_user_message();
                let content = self.assistant_content(message);
                self.push(WireRole::Assistant, content);
            }
        }
    }

    fn end(mut self) -> MessageList {
        self.close_user_message();
        if self.messages.last().is_some_and(|message| message.role == WireRole::Assistant) {
            self.push(WireRole::User, TextBlock::new(CONTINUE).map(ContentBlock::Text).into_iter().collect());
        }
        if let Some(last) = self.system.last_mut() {
            last.cache_control = Some(cache_breakpoint());
        }
        let user_messages = self.messages.iter_mut().rev().filter(|message| message.role == WireRole::User);
        user_messages.take(CACHED_MESSAGES).for_each(WireMessage::set_cache_breakpoint);
        MessageList { system: self.system, messages: self.messages }
    }

    /// Links a result to its call. A result without a call becomes user text.
    fn add_result(&mut self, message: &Message) {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let open = self.calls.iter_mut().find(|call| call.id == id && call.result.is_none());
        match open {
            Some(call) => call.result = Some(message.content.clone()),
            None => {
                let tool = message.tool_name.as_deref().unwrap_or("a tool");
                self.user_texts.push(format!("Result of {tool}:\n{}", message.content));
            }
        }
    }

    fn close_user_message(&mut self) {
        let results = self.calls.drain(..).map(OpenCall::into_result);
        let texts =
            self.user_texts.drain(..).filter_map(|text| TextBlock::new(&text)).map(ContentBlock::Text);
        let content = results.chain(texts).collect();
        self.push(WireRole::User, content);
    }

    fn push(&mut self, role: WireRole, content: Vec<ContentBlock>) {
        match self.messages.last_mut() {
            _ if content.is_empty() => {}
            Some(message) if message.role == role => message.content.extend(content),
            Some(_) | None => self.messages.push(WireMessage { role, content }),
        }
    }

    fn assistant_content(&mut self, message: &Message) -> Vec<ContentBlock> {
        let native = ProviderState::unpack(message, Anthropic::NAME, self.origin)
            .and_then(|native| serde_json::from_str::<Vec<Box<RawValue>>>(native.get()).ok());
        match native {
            Some(blocks) => blocks.into_iter().map(|raw| self.native(raw)).collect(),
            None => self.rebuilt(message),
        }
    }

    fn native(&mut self, raw: Box<RawValue>) -> ContentBlock {
        let head = BlockHeader::of(&raw);
        if head.r#type == "tool_use" {
            self.ids.insert(head.id.clone());
            self.calls.push(OpenCall { id: head.id.clone(), wire_id: head.id, result: None });
        }
        ContentBlock::Native(raw)
    }

    fn rebuilt(&mut self, message: &Message) -> Vec<ContentBlock> {
        let text = TextBlock::new(&message.content).map(ContentBlock::Text);
        let calls = message.tool_calls.iter().map(|call| ContentBlock::ToolUse(self.tool_use(call)));
        text.into_iter().chain(calls).collect()
    }

    fn tool_use(&mut self, call: &ToolCall) -> ToolUseBlock {
        let wire_id = self.free_id(&call.id);
        self.calls.push(OpenCall { id: call.id.clone(), wire_id: wire_id.clone(), result: None });
        ToolUseBlock {
            r#type: "tool_use",
            id: wire_id,
            name: wire_name(&call.name),
            input: input(&call.arguments),
        }
    }

    /// Returns a free id for a call of another vendor, in the characters that are allowed here. Ids can
    /// repeat: some vendors count from 0 in every reply.
    fn free_id(&mut self, id: &str) -> String {
        let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let sanitized: String =
            id.chars().map(|character| if allowed(character) { character } else { '_' }).collect();
        let sanitized = if sanitized.is_empty() { "call".to_owned() } else { sanitized };
        let numbered = (2..).map(|number: u64| format!("{sanitized}_{number}"));
        let mut candidates = std::iter::once(sanitized.clone()).chain(numbered);
        let free = candidates.find(|candidate| !self.ids.contains(candidate)).unwrap_or(sanitized);
        self.ids.insert(free.clone());
        free
    }
}

impl OpenCall {
    fn into_result(self) -> ContentBlock {
        let is_error = self.result.is_none().then_some(true);
        let content = self.result.unwrap_or_else(|| NO_RESULT.to_owned());
        let content = if content.trim().is_empty() { NO_OUTPUT.to_owned() } else { content };
        ContentBlock::ToolResult(ToolResultBlock {
            r#type: "tool_result",
            tool_use_id: self.wire_id,
            content,
            is_error,
            cache_control: None,
        })
    }
}

impl TextBlock {
    /// Returns a text block, or `None` for blank text, which the API rejects.
    fn new(text: &str) -> Option<Self> {
        let is_blank = text.trim().is_empty();
        (!is_blank).then(|| Self { r#type: "text", text: text.to_owned(), cache_control: None })
    }
}

impl WireMessage {
    fn set_cache_breakpoint(&mut self) {
        match self.content.last_mut() {
            Some(ContentBlock::Text(text)) => text.cache_control = Some(cache_breakpoint()),
            Some(ContentBlock::ToolResult(result)) => result.cache_control = Some(cache_breakpoint()),
            Some(ContentBlock::Native(_) | ContentBlock::ToolUse(_)) | None => {}
        }
    }
}

/// Returns arguments as an object, which the API requires. Anything else a model wrote is wrapped as text in
/// an object.
pub(super) fn input(arguments: &str) -> Box<RawValue> {
    let arguments = arguments.trim();
    let object = if arguments.is_empty() { "{}" } else { arguments };
    match serde_json::from_str::<Box<RawValue>>(object) {
        Ok(raw) if object.starts_with('{') => raw,
        Ok(_) | Err(_) => serde_json::value::to_raw_value(&json!({ "arguments": arguments }))
            .unwrap_or_else(|_| RawValue::NULL.to_owned()),
    }
}

/// The fields of a native block that are read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BlockHeader {
    r#type: String,
    id: String,
}

impl BlockHeader {
    fn of(raw: &RawValue) -> Self {
        serde_json::from_str(raw.get()).unwrap_or_default()
    }

    fn is_thinking(&self) -> bool {
        matches!(self.r#type.as_str(), "thinking" | "redacted_thinking")
    }
}

#[cfg(test)]
mod tests;
