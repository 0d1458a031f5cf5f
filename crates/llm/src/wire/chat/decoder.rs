//! Reads the events of a reply.

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use tracing::debug;

use super::Chat;
use super::reasoning::Reasoning;
use super::think_tags::{Split, ThinkFilter};
use super::tool_deltas::{FinishedCall, ToolDeltas};
use super::usage::usage_of;
use crate::http::Event;
use crate::names::NameTable;
use crate::state::State;
use crate::wire::openai::{self, CallIds};
use crate::wire::{Decode, Progress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin, Settings};

/// What an event holds that is not an error.
const CONTENT: &[&str] = &["choices", "usage"];

/// Reads one reply.
pub(crate) struct Decoder {
    names: NameTable,
    ids: CallIds,
    origin: Origin,
    think: ThinkFilter,
    reasoning: Reasoning,
    calls: ToolDeltas,
    text: String,
    refusal: String,
    finish: Option<Finish>,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    /// It had said everything.
    Done,
    /// It had no more tokens.
    Length,
    /// It was stopped for what it said.
    Filtered,
    /// The server gave up on it.
    Failed,
}

impl Decoder {
    pub(super) fn new(settings: &Settings, request: &ModelRequest) -> Self {
        Self {
            names: NameTable::new(request),
            ids: CallIds::new(request),
            origin: settings.origin.clone(),
            think: ThinkFilter::default(),
            reasoning: Reasoning::default(),
            calls: ToolDeltas::default(),
            text: String::new(),
            refusal: String::new(),
            finish: None,
        }
    }

    fn take_choice(&mut self, choice: &Value, chunks: &mut Vec<Chunk>) {
        // A server that knows no streams sends the whole message.
        let delta = [choice.get("delta"), choice.get("message")]
            .into_iter()
            .flatten()
            .find(|delta| delta.is_object());
        if let Some(delta) = delta {
            self.take_delta(delta, chunks);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish = Some(Finish::read(reason));
        }
    }

    fn take_delta(&mut self, delta: &Value, chunks: &mut Vec<Chunk>) {
        show(chunks, Chunk::Thinking, self.reasoning.push(delta));
        match &delta["content"] {
            Value::String(text) => self.take_text(text, chunks),
            Value::Array(parts) => parts.iter().for_each(|part| self.take_part(part, chunks)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        self.calls.push(delta);
    }

    fn take_text(&mut self, text: &str, chunks: &mut Vec<Chunk>) {
        let split = self.think.push(text);
        self.show_split(split, chunks);
    }

    /// Mistral's content is a list of parts once it reasons.
    fn take_part(&mut self, part: &Value, chunks: &mut Vec<Chunk>) {
        let thoughts = part["thinking"].as_array().into_iter().flatten();
        for thought in thoughts.filter_map(|thought| thought["text"].as_str()) {
            show(chunks, Chunk::Thinking, thought.to_owned());
        }
        if let Some(text) = part["text"].as_str() {
            self.take_text(text, chunks);
        }
    }

    fn show_split(&mut self, split: Split, chunks: &mut Vec<Chunk>) {
        show(chunks, Chunk::Thinking, split.thinking);
        self.text.push_str(&split.text);
        show(chunks, Chunk::Text, split.text);
    }

    /// The reply has ended.
    fn complete(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let split = self.think.end();
        self.show_split(split, chunks);
        let is_cut = self.finish == Some(Finish::Length);
        let calls = self.calls.finish(is_cut, &mut self.ids, &self.names);
        chunks.extend(calls.iter().map(|finished| Chunk::ToolCall(finished.call.clone())));
        self.check_end(calls.is_empty())?;
        if !calls.is_empty() || !self.reasoning.is_empty() {
            chunks.extend(self.state(calls).map(Chunk::State));
        }
        Ok(())
    }

    fn check_end(&self, no_calls: bool) -> Result<(), ModelError> {
        let empty = no_calls && self.text.trim().is_empty();
        match self.finish {
            Some(Finish::Filtered) => Err(openai::withheld("content_filter")),
            Some(Finish::Failed) => {
                Err(openai::event_fault(&json!({"message": "the server gave up on the reply"})))
            }
            Some(Finish::Length) if empty => Err(openai::nothing_within_limit()),
            Some(Finish::Done | Finish::Length) | None if empty && !self.refusal.is_empty() => {
                Err(openai::withheld(&self.refusal))
            }
            Some(Finish::Length) => {
                debug!("the reply reached its token limit and is taken as it is");
                Ok(())
            }
            Some(Finish::Done) | None => Ok(()),
        }
    }

    /// The reply as one message. The stream never holds it whole, so it is put together as the server would.
    fn state(&self, calls: Vec<FinishedCall>) -> Option<String> {
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("assistant"));
        let content = if self.text.is_empty() { Value::Null } else { json!(self.text) };
        message.insert("content".to_owned(), content);
        self.reasoning.write(&mut message, !calls.is_empty());
        if !calls.is_empty() {
            message
                .insert("tool_calls".to_owned(), calls.into_iter().map(|finished| finished.native).collect());
        }
        State::pack(Chat::NAME, &self.origin, to_raw_value(&message).ok()?)
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event, chunks: &mut Vec<Chunk>) -> Result<Progress, ModelError> {
        if event.data.trim() == "[DONE]" {
            if self.finish.is_none() {
                debug!("the reply ended without a finish_reason");
            }
            self.complete(chunks)?;
            return Ok(Progress::Complete);
        }
        let value = openai::json_of(event)?;
        let choice = value["choices"].get(0).unwrap_or(&Value::Null);
        chunks.extend(usage_of(&value).map(Chunk::Usage));
        self.take_choice(choice, chunks);
        if openai::is_fault(event, &value, CONTENT) {
            return Err(openai::event_fault(&value));
        }
        if choice["error"].is_object() {
            return Err(openai::event_fault(choice));
        }
        Ok(if self.calls.is_empty() { Progress::More } else { Progress::Writing })
    }

    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        if self.finish.is_none() {
            return Err(openai::cut_off("finish_reason and [DONE]"));
        }
        self.complete(chunks)
    }
}

impl Finish {
    fn read(reason: &str) -> Self {
        match reason {
            "length" | "max_tokens" => Self::Length,
            "content_filter" => Self::Filtered,
            "error" | "insufficient_system_resource" => Self::Failed,
            _ => Self::Done,
        }
    }
}

fn show(chunks: &mut Vec<Chunk>, chunk: fn(String) -> Chunk, text: String) {
    if !text.is_empty() {
        chunks.push(chunk(text));
    }
}
