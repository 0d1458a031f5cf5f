//! The conversation as the vendor wants it: turns of users and assistants, one after the other.
//!
//! Every tool call is answered in the turn right after it, before anything else is said: a call whose result never
//! came (its run was stopped) is told so. Own earlier turns go back byte for byte.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tarsy_domain::{Message, Role, ToolCall};

use super::Anthropic;
use super::thinking::Continuation;
use crate::names::wire_name;
use crate::state::State;
use crate::wire::Wire;
use crate::{ModelRequest, Origin};

const NO_RESULT: &str = "No result: the run was stopped before this call was answered.";
const NO_OUTPUT: &str = "(no output)";
/// The last word is always the user's: newer models refuse to go on with their own.
const GO_ON: &str = "Continue.";
/// How many of the last user turns are marked for the cache: the newest, and the one the last request ended with.
const MARKED_TURNS: usize = 2;

/// A conversation in the vendor's words.
#[derive(Debug)]
pub(super) struct Conversation {
    /// The instructions.
    pub(super) system: Vec<TextBlock>,
    /// What was said.
    pub(super) turns: Vec<Turn>,
}

/// All that one side says before the other does.
#[derive(Debug, Serialize)]
pub(super) struct Turn {
    role: Side,
    content: Vec<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Side {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Block {
    /// In the vendor's own words.
    Native(Box<RawValue>),
    Text(TextBlock),
    ToolUse(ToolUse),
    ToolResult(ToolResult),
}

/// A piece of text.
#[derive(Debug, Serialize)]
pub(super) struct TextBlock {
    r#type: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

#[derive(Debug, Serialize)]
struct ToolUse {
    r#type: &'static str,
    id: String,
    name: String,
    input: Box<RawValue>,
}

#[derive(Debug, Serialize)]
struct ToolResult {
    r#type: &'static str,
    tool_use_id: String,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

/// A mark for the vendor's cache.
pub(super) fn cache_mark() -> Value {
    json!({ "type": "ephemeral" })
}

impl Conversation {
    /// Puts the messages of a request in order.
    pub(super) fn new(request: &ModelRequest, origin: &Origin) -> Self {
        let mut writer = Writer {
            origin,
            system: Vec::new(),
            turns: Vec::new(),
            calls: Vec::new(),
            said: Vec::new(),
            ids: HashSet::new(),
        };
        for message in &request.messages {
            writer.take(message);
        }
        writer.end()
    }

    /// Whether the model may think: where it goes on with calls, the first of them must have come with thinking.
    pub(super) fn continuation(&self) -> Continuation {
        let mut first = None;
        for pair in self.turns.rchunks(2) {
            let [Turn { role: Side::Assistant, content: calls }, Turn { content: answers, .. }] = pair else {
                break;
            };
            if !matches!(answers.first(), Some(Block::ToolResult(_))) {
                break;
            }
            first = calls.first();
        }
        match first {
            None => Continuation::Free,
            Some(Block::Native(raw)) if Head::of(raw).is_thinking() => Continuation::Free,
            Some(Block::Native(_) | Block::Text(_) | Block::ToolUse(_) | Block::ToolResult(_)) => {
                Continuation::WithoutThinking
            }
        }
    }
}

/// Writes turns, message by message.
struct Writer<'a> {
    origin: &'a Origin,
    system: Vec<TextBlock>,
    turns: Vec<Turn>,
    /// The calls of the last assistant turn, with what is known of their results.
    calls: Vec<OpenCall>,
    /// What the user said since.
    said: Vec<String>,
    /// Ids that are taken: the vendor wants every call to have its own.
    ids: HashSet<String>,
}

struct OpenCall {
    id: String,
    wire_id: String,
    result: Option<String>,
}

impl Writer<'_> {
    fn take(&mut self, message: &Message) {
        match message.role {
            Role::System => self.system.extend(TextBlock::new(&message.content)),
            Role::User => self.said.push(message.content.clone()),
            Role::Tool => self.take_result(message),
            Role::Assistant => {
                self.close_user_turn();
                let content = self.assistant_content(message);
                self.push(Side::Assistant, content);
            }
        }
    }

    fn end(mut self) -> Conversation {
        self.close_user_turn();
        if self.turns.last().is_some_and(|turn| turn.role == Side::Assistant) {
            self.push(Side::User, TextBlock::new(GO_ON).map(Block::Text).into_iter().collect());
        }
        if let Some(last) = self.system.last_mut() {
            last.cache_control = Some(cache_mark());
        }
        let user_turns = self.turns.iter_mut().rev().filter(|turn| turn.role == Side::User);
        user_turns.take(MARKED_TURNS).for_each(Turn::mark);
        Conversation { system: self.system, turns: self.turns }
    }

    /// Links a result to its call. Without one it is only something that is said.
    fn take_result(&mut self, message: &Message) {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let open = self.calls.iter_mut().find(|call| call.id == id && call.result.is_none());
        match open {
            Some(call) => call.result = Some(message.content.clone()),
            None => {
                let tool = message.tool_name.as_deref().unwrap_or("a tool");
                self.said.push(format!("Result of {tool}:\n{}", message.content));
            }
        }
    }

    fn close_user_turn(&mut self) {
        let results = self.calls.drain(..).map(OpenCall::answer);
        let texts = self.said.drain(..).filter_map(|text| TextBlock::new(&text)).map(Block::Text);
        let content = results.chain(texts).collect();
        self.push(Side::User, content);
    }

    fn push(&mut self, role: Side, content: Vec<Block>) {
        match self.turns.last_mut() {
            _ if content.is_empty() => {}
            Some(turn) if turn.role == role => turn.content.extend(content),
            Some(_) | None => self.turns.push(Turn { role, content }),
        }
    }

    fn assistant_content(&mut self, message: &Message) -> Vec<Block> {
        let native = State::unpack(message, Anthropic::NAME, self.origin)
            .and_then(|native| serde_json::from_str::<Vec<Box<RawValue>>>(native.get()).ok());
        match native {
            Some(blocks) => blocks.into_iter().map(|raw| self.native(raw)).collect(),
            None => self.portable(message),
        }
    }

    fn native(&mut self, raw: Box<RawValue>) -> Block {
        let head = Head::of(&raw);
        if head.r#type == "tool_use" {
            self.ids.insert(head.id.clone());
            self.calls.push(OpenCall { id: head.id.clone(), wire_id: head.id, result: None });
        }
        Block::Native(raw)
    }

    fn portable(&mut self, message: &Message) -> Vec<Block> {
        let text = TextBlock::new(&message.content).map(Block::Text);
        let calls = message.tool_calls.iter().map(|call| Block::ToolUse(self.tool_use(call)));
        text.into_iter().chain(calls).collect()
    }

    fn tool_use(&mut self, call: &ToolCall) -> ToolUse {
        let wire_id = self.free_id(&call.id);
        self.calls.push(OpenCall { id: call.id.clone(), wire_id: wire_id.clone(), result: None });
        ToolUse {
            r#type: "tool_use",
            id: wire_id,
            name: wire_name(&call.name),
            input: input(&call.arguments),
        }
    }

    /// Another vendor's id, in the letters that are allowed here and used once: some count from 0 in every reply.
    fn free_id(&mut self, id: &str) -> String {
        let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let legible: String =
            id.chars().map(|character| if allowed(character) { character } else { '_' }).collect();
        let legible = if legible.is_empty() { "call".to_owned() } else { legible };
        let numbered = (2..).map(|number: u64| format!("{legible}_{number}"));
        let mut candidates = std::iter::once(legible.clone()).chain(numbered);
        let free = candidates.find(|candidate| !self.ids.contains(candidate)).unwrap_or(legible);
        self.ids.insert(free.clone());
        free
    }
}

impl OpenCall {
    fn answer(self) -> Block {
        let is_error = self.result.is_none().then_some(true);
        let content = self.result.unwrap_or_else(|| NO_RESULT.to_owned());
        let content = if content.trim().is_empty() { NO_OUTPUT.to_owned() } else { content };
        Block::ToolResult(ToolResult {
            r#type: "tool_result",
            tool_use_id: self.wire_id,
            content,
            is_error,
            cache_control: None,
        })
    }
}

impl TextBlock {
    /// A text, unless it is blank: the vendor refuses blocks that hold nothing to read.
    fn new(text: &str) -> Option<Self> {
        let is_blank = text.trim().is_empty();
        (!is_blank).then(|| Self { r#type: "text", text: text.to_owned(), cache_control: None })
    }
}

impl Turn {
    fn mark(&mut self) {
        match self.content.last_mut() {
            Some(Block::Text(text)) => text.cache_control = Some(cache_mark()),
            Some(Block::ToolResult(result)) => result.cache_control = Some(cache_mark()),
            Some(Block::Native(_) | Block::ToolUse(_)) | None => {}
        }
    }
}

/// Arguments must be an object here; what a model wrote instead is kept as text in one.
pub(super) fn input(arguments: &str) -> Box<RawValue> {
    let arguments = arguments.trim();
    let object = if arguments.is_empty() { "{}" } else { arguments };
    match serde_json::from_str::<Box<RawValue>>(object) {
        Ok(raw) if object.starts_with('{') => raw,
        Ok(_) | Err(_) => serde_json::value::to_raw_value(&json!({ "arguments": arguments }))
            .unwrap_or_else(|_| RawValue::NULL.to_owned()),
    }
}

/// What is looked at in a native block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    r#type: String,
    id: String,
}

impl Head {
    fn of(raw: &RawValue) -> Self {
        serde_json::from_str(raw.get()).unwrap_or_default()
    }

    fn is_thinking(&self) -> bool {
        matches!(self.r#type.as_str(), "thinking" | "redacted_thinking")
    }
}

#[cfg(test)]
mod tests;
