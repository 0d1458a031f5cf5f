//! The conversation as it is sent to the model, kept within the context window.
//!
//! When it outgrows the window, the oldest tool results are replaced by one-line stubs. The opening, the
//! replies of the model and the last turns are kept in full. The record always has the full text.

use std::collections::VecDeque;
use std::iter;
use std::sync::Arc;

use tarsy_domain::{Message, Role, ToolCall, ToolDefinition};

use super::repetition::call_key;
use super::size::ConversationSize;
use crate::escape::short_line;

/// Number of last turns whose tool results are kept when the conversation is shortened in advance.
const KEPT_TURNS: u32 = 2;
/// Number of last turns whose tool results are kept after the provider rejected the conversation as too long.
const KEPT_TURNS_AFTER_REFUSAL: u32 = 1;
/// Share of the window above which the conversation is shortened; the rest is for the reply.
const HIGH_PERCENT: u64 = 80;
/// Share of the window to which it is shortened, so that the next turns fit too: every change invalidates the
/// prompt cache of the provider.
const LOW_PERCENT: u64 = 50;
const SHOWN_CALL_CHARACTERS: usize = 200;

/// The conversation of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    messages: Vec<Arc<Message>>,
    /// The same messages in full, without stubs.
    recorded: Vec<Arc<Message>>,
    /// The tool results that are present in full, oldest first.
    results: VecDeque<FullResult>,
    /// Number of turns with tool calls.
    turns: u32,
    size: ConversationSize,
    /// Estimated size of a conversation that the provider rejected as too long.
    refused: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
struct FullResult {
    index: usize,
    turn: u32,
    /// Key of its call in [`RepeatedCalls`](super::repetition::RepeatedCalls).
    call_key: u64,
    stub: String,
}

impl Conversation {
    /// Creates an empty conversation. The tools count, because they are sent with every request.
    pub(super) fn new(tools: &[Arc<ToolDefinition>]) -> Self {
        let mut conversation = Self {
            messages: Vec::new(),
            recorded: Vec::new(),
            results: VecDeque::new(),
            turns: 0,
            size: ConversationSize::default(),
            refused: None,
        };
        tools.iter().for_each(|tool| conversation.add_tool(tool));
        conversation
    }

    /// Counts a tool that is sent with every request from now on.
    pub(super) fn add_tool(&mut self, tool: &ToolDefinition) {
        self.size.add_text(&tool.description);
        self.size.add_text(&tool.input_schema.to_string());
    }

    /// Returns the messages to send.
    pub(super) fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Returns all messages in full.
    pub(super) fn recorded(&self) -> &[Arc<Message>] {
        &self.recorded
    }

    /// Adds a message.
    pub(super) fn say(&mut self, message: Arc<Message>) {
        self.size.add(&message);
        self.recorded.push(Arc::clone(&message));
        self.messages.push(message);
    }

    /// Starts a turn; the results that follow belong to it.
    pub(super) fn begin_turn(&mut self) {
        self.turns += 1;
    }

    /// Adds the result of a tool call.
    pub(super) fn say_result(&mut self, message: Arc<Message>, call: &ToolCall) {
        let stub = stub_of(&message, call);
        if stub.len() < message.content.len() {
            self.results.push_back(FullResult {
                index: self.messages.len(),
                turn: self.turns,
                call_key: call_key(call),
                stub,
            });
        }
        self.say(message);
    }

    /// Sends the last message without its tool calls, which get no results. The provider state contains them
    /// too and is dropped. The record keeps them.
    pub(super) fn omit_last_calls(&mut self) {
        if let Some(last) = self.messages.last_mut().filter(|last| !last.tool_calls.is_empty()) {
            *last = Arc::new(Message::assistant(last.content.clone()));
        }
    }

    /// Calibrates the size estimate with the token count of the provider for the current conversation.
    pub(super) fn measured(&mut self, input_tokens: u64) {
        self.size.calibrate(input_tokens);
    }

    /// Shortens the conversation to the window, if needed; returns the keys of calls whose results were
    /// replaced.
    pub(super) fn fit(&mut self, window: Option<u64>) -> Vec<u64> {
        let Some(window) = window.into_iter().chain(self.refused).min() else { return Vec::new() };
        if self.size.tokens() <= percent(window, HIGH_PERCENT) {
            return Vec::new();
        }
        let low = percent(window, LOW_PERCENT);
        iter::from_fn(|| if self.size.tokens() > low { self.stub_oldest(KEPT_TURNS) } else { None }).collect()
    }

    /// Shortens the conversation as far as possible after the provider rejected it; returns the keys of calls
    /// whose results were replaced.
    pub(super) fn refused(&mut self) -> Vec<u64> {
        self.refused = Some(self.size.tokens());
        iter::from_fn(|| self.stub_oldest(KEPT_TURNS_AFTER_REFUSAL)).collect()
    }

    /// Replaces the oldest result, unless it belongs to one of the last turns; returns the key of its call.
    fn stub_oldest(&mut self, kept_turns: u32) -> Option<u64> {
        let turns = self.turns;
        let oldest = self.results.pop_front_if(|oldest| oldest.turn + kept_turns <= turns)?;
        let message = self.messages.get_mut(oldest.index)?;
        let stubbed = Message { content: oldest.stub, ..Message::clone(message) };
        self.size.remove(message);
        self.size.add(&stubbed);
        *message = Arc::new(stubbed);
        Some(oldest.call_key)
    }
}

/// Returns the stub that replaces a result.
fn stub_of(message: &Message, call: &ToolCall) -> String {
    let prefix = if message.role == Role::User { super::OBSERVATION } else { "" };
    let characters = message.content.chars().count();
    let asked = short_line(&format!("{} {}", call.name, call.arguments), SHOWN_CALL_CHARACTERS);
    format!(
        "{prefix}[Left out to save space: the result of {asked}, {characters} characters. Call the tool again if you need it.]"
    )
}

fn percent(window: u64, percent: u64) -> u64 {
    window / 100 * percent
}
