//! Decodes the events of a reply.

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use tracing::debug;

use super::ChatCompletions;
use super::reasoning::ReplyReasoning;
use super::think_tags::{Split, ThinkFilter};
use super::tool_deltas::{FinishedCall, ToolDeltas};
use super::usage::usage_of;
use crate::http::SseEvent;
use crate::names::NameTable;
use crate::state::ProviderState;
use crate::wire::openai::{self, CallIds};
use crate::wire::shape::ShapeCheck;
use crate::wire::{Decode, StreamProgress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin, Settings};

/// Keys of events that are not errors.
const CONTENT_KEYS: &[&str] = &["choices", "usage"];

/// A reply that is being decoded.
pub(crate) struct Decoder {
    names: NameTable,
    ids: CallIds,
    origin: Origin,
    shape: ShapeCheck,
    think: ThinkFilter,
    reasoning: ReplyReasoning,
    calls: ToolDeltas,
    text: String,
    refusal: String,
    finish: Option<ChatFinish>,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChatFinish {
    /// The reply is complete.
    Done,
    /// The reply reached its token limit.
    Length,
    /// A content filter stopped the reply.
    Filtered,
    /// The server failed.
    Failed,
}

impl Decoder {
    pub(super) fn new(settings: &Settings, request: &ModelRequest) -> Self {
        Self {
            names: NameTable::new(request),
            ids: CallIds::new(request),
            origin: settings.origin.clone(),
            shape: ShapeCheck::new("Chat Completions"),
            think: ThinkFilter::default(),
            reasoning: ReplyReasoning::default(),
            calls: ToolDeltas::default(),
            text: String::new(),
            refusal: String::new(),
            finish: None,
        }
    }

    fn apply_choice(&mut self, choice: &Value, chunks: &mut Vec<Chunk>) {
        // A server that does not stream sends the whole message.
        let delta = [choice.get("delta"), choice.get("message")]
            .into_iter()
            .flatten()
            .find(|delta| delta.is_object());
        if let Some(delta) = delta {
            self.apply_delta(delta, chunks);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish = Some(ChatFinish::read(reason));
        }
    }

    fn apply_delta(&mut self, delta: &Value, chunks: &mut Vec<Chunk>) {
        emit(chunks, Chunk::Thinking, self.reasoning.push(delta));
        match &delta["content"] {
            Value::String(text) => self.apply_text(text, chunks),
            Value::Array(parts) => parts.iter().for_each(|part| self.apply_part(part, chunks)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        self.calls.push(delta);
    }

    fn apply_text(&mut self, text: &str, chunks: &mut Vec<Chunk>) {
        let split = self.think.push(text);
        self.emit_split(split, chunks);
    }

    /// Applies a content part: Mistral's reasoning models send a list of parts.
    fn apply_part(&mut self, part: &Value, chunks: &mut Vec<Chunk>) {
        let thoughts = part["thinking"].as_array().into_iter().flatten();
        for thought in thoughts.filter_map(|thought| thought["text"].as_str()) {
            emit(chunks, Chunk::Thinking, thought.to_owned());
        }
        if let Some(text) = part["text"].as_str() {
            self.apply_text(text, chunks);
        }
    }

    fn emit_split(&mut self, split: Split, chunks: &mut Vec<Chunk>) {
        emit(chunks, Chunk::Thinking, split.thinking);
        self.text.push_str(&split.text);
        emit(chunks, Chunk::Text, split.text);
    }

    /// Handles the end of the reply.
    fn complete(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let split = self.think.end();
        self.emit_split(split, chunks);
        let is_truncated = self.finish == Some(ChatFinish::Length);
        let calls = self.calls.finish(is_truncated, &mut self.ids, &self.names);
        chunks.extend(calls.iter().map(|finished| Chunk::ToolCall(finished.call.clone())));
        self.check_end(calls.is_empty())?;
        if is_truncated {
            chunks.push(Chunk::CutOff);
        }
        if !calls.is_empty() || !self.reasoning.is_empty() {
            chunks.extend(self.state(calls).map(Chunk::State));
        }
        Ok(())
    }

    fn check_end(&self, no_calls: bool) -> Result<(), ModelError> {
        let empty = no_calls && self.text.trim().is_empty();
        if empty {
            self.shape.error().map_or(Ok(()), Err)?;
        }
        match self.finish {
            Some(ChatFinish::Filtered) => Err(openai::withheld("content_filter")),
            Some(ChatFinish::Failed) => {
                Err(openai::event_error(&json!({"message": "the server gave up on the reply"})))
            }
            Some(ChatFinish::Length) if empty => Err(openai::no_text_within_limit()),
            Some(ChatFinish::Done | ChatFinish::Length) | None if empty && !self.refusal.is_empty() => {
                Err(openai::withheld(&self.refusal))
            }
            Some(ChatFinish::Done | ChatFinish::Length) | None => Ok(()),
        }
    }

    /// Returns the reply as one message, assembled from the deltas as the server would send it without
    /// streaming.
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
        ProviderState::pack(ChatCompletions::NAME, &self.origin, to_raw_value(&message).ok()?)
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, chunks: &mut Vec<Chunk>) -> Result<StreamProgress, ModelError> {
        if event.data.trim() == "[DONE]" {
            if self.finish.is_none() {
                debug!("the reply ended without a finish_reason");
            }
            self.complete(chunks)?;
            return Ok(StreamProgress::Complete);
        }
        let value = openai::parse_event(event)?;
        let choice = value["choices"].get(0).unwrap_or(&Value::Null);
        chunks.extend(usage_of(&value).map(Chunk::Usage));
        self.apply_choice(choice, chunks);
        if openai::is_error_event(event, &value, CONTENT_KEYS) {
            return Err(openai::event_error(&value));
        }
        // Groq's place for the error of a stream.
        let groq = value.pointer("/x_groq/error").filter(|error| error.is_string() || error.is_object());
        if let Some(error) = groq {
            return Err(openai::event_error(&json!({"error": error})));
        }
        if choice["error"].is_object() {
            return Err(openai::event_error(choice));
        }
        if value["choices"].is_array() {
            self.shape.accept();
        } else {
            self.shape.reject(&event.data);
        }
        Ok(if self.calls.is_empty() { StreamProgress::More } else { StreamProgress::Writing })
    }

    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        if self.finish.is_none() {
            let cut_off = || openai::cut_off("finish_reason and [DONE]");
            return Err(self.shape.error().unwrap_or_else(cut_off));
        }
        self.complete(chunks)
    }
}

impl ChatFinish {
    fn read(reason: &str) -> Self {
        match reason.to_lowercase().as_str() {
            "length" | "max_tokens" | "max_output_tokens" | "model_length" => Self::Length,
            "content_filter" => Self::Filtered,
            "error" | "insufficient_system_resource" => Self::Failed,
            _ => Self::Done,
        }
    }
}

fn emit(chunks: &mut Vec<Chunk>, chunk: fn(String) -> Chunk, text: String) {
    if !text.is_empty() {
        chunks.push(chunk(text));
    }
}
