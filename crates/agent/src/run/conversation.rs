//! The conversation as it is sent, kept small enough for the model's window.
//!
//! When it outgrows the window the oldest tool results become one-line stubs that say what was there. The
//! opening, what the model said and the last turns stay as they are, and the record keeps the full text.

use std::collections::VecDeque;
use std::iter;
use std::sync::Arc;

use tarsy_domain::{Message, Role, ToolCall, ToolDefinition};

use super::repetition::call_key;
use super::size::ConversationSize;
use crate::escape::short_line;

/// Turns whose tool results stay in full while room is made ahead of time.
const KEPT_TURNS: u32 = 2;
/// Turns whose tool results stay in full when the provider has refused the conversation.
const KEPT_TURNS_AFTER_REFUSAL: u32 = 1;
/// Room is made above this part of the window; the rest is for the reply.
const HIGH_PERCENT: u64 = 80;
/// So much is made that the next turns fit too: each time it is made, the provider's cache is lost.
const LOW_PERCENT: u64 = 50;
const SHOWN_CALL_CHARACTERS: usize = 200;

/// A conversation under way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    messages: Vec<Arc<Message>>,
    /// The same messages in full, without stubs.
    recorded: Vec<Arc<Message>>,
    /// The tool results that are there in full, oldest first.
    results: VecDeque<FullResult>,
    /// Turns in which tools were called.
    turns: u32,
    size: ConversationSize,
    /// How much the provider has refused, by our own estimate: its window is smaller than that.
    refused: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
struct FullResult {
    index: usize,
    turn: u32,
    /// The call it answers, as [`RepeatedCalls`](super::repetition::RepeatedCalls) knows it.
    question: u64,
    stub: String,
}

impl Conversation {
    /// An empty conversation; the tools are part of what is sent.
    pub(super) fn new(tools: &[Arc<ToolDefinition>]) -> Self {
        let mut size = ConversationSize::default();
        for tool in tools {
            size.add_text(&tool.description);
            size.add_text(&tool.input_schema.to_string());
        }
        Self {
            messages: Vec::new(),
            recorded: Vec::new(),
            results: VecDeque::new(),
            turns: 0,
            size,
            refused: None,
        }
    }

    /// The messages to send.
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

    /// Tools are called; the results that follow are of this turn.
    pub(super) fn begin_turn(&mut self) {
        self.turns += 1;
    }

    /// Adds the result of a tool.
    pub(super) fn say_result(&mut self, message: Arc<Message>, call: &ToolCall) {
        let stub = stub_of(&message, call);
        if stub.len() < message.content.len() {
            self.results.push_back(FullResult {
                index: self.messages.len(),
                turn: self.turns,
                question: call_key(call),
                stub,
            });
        }
        self.say(message);
    }

    /// Learns from what the provider counted for the conversation as it is now.
    pub(super) fn measured(&mut self, input_tokens: u64) {
        self.size.calibrate(input_tokens);
    }

    /// Makes room in a window, if it is needed; answers the questions whose results were left out.
    pub(super) fn fit(&mut self, window: Option<u64>) -> Vec<u64> {
        let Some(window) = window.into_iter().chain(self.refused).min() else { return Vec::new() };
        if self.size.tokens() <= percent(window, HIGH_PERCENT) {
            return Vec::new();
        }
        let low = percent(window, LOW_PERCENT);
        iter::from_fn(|| if self.size.tokens() > low { self.stub_oldest(KEPT_TURNS) } else { None }).collect()
    }

    /// The provider found the conversation too long: makes all the room there is, and remembers.
    pub(super) fn refused(&mut self) -> Vec<u64> {
        self.refused = Some(self.size.tokens());
        iter::from_fn(|| self.stub_oldest(KEPT_TURNS_AFTER_REFUSAL)).collect()
    }

    /// Replaces the oldest result, unless it is of one of the last turns; answers its question.
    fn stub_oldest(&mut self, kept_turns: u32) -> Option<u64> {
        let turns = self.turns;
        let oldest = self.results.pop_front_if(|oldest| oldest.turn + kept_turns <= turns)?;
        let message = self.messages.get_mut(oldest.index)?;
        let stubbed = Message { content: oldest.stub, ..Message::clone(message) };
        self.size.remove(message);
        self.size.add(&stubbed);
        *message = Arc::new(stubbed);
        Some(oldest.question)
    }
}

/// One line that says what was there.
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
