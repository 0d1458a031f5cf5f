//! Decodes the events of a reply.
//!
//! Text and reasoning are emitted as they arrive; the final content of each item is in
//! `response.output_item.done`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::ToolCall;
use tracing::debug;

use super::Responses;
use super::item::{Item, ItemKind};
use super::item_index::ItemIndexes;
use super::usage::usage_of;
use crate::error::provider_bug;
use crate::http::SseEvent;
use crate::names::NameTable;
use crate::state::ProviderState;
use crate::wire::openai;
use crate::wire::shape::ShapeCheck;
use crate::wire::{Decode, StreamProgress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin, Settings};

/// A reply that is being decoded.
pub(crate) struct Decoder {
    names: NameTable,
    origin: Origin,
    shape: ShapeCheck,
    indexes: ItemIndexes,
    /// Complete items by their index.
    items: BTreeMap<u64, Item>,
    text: StreamedText,
    thinking: StreamedText,
    has_calls: bool,
}

/// Text of one kind that has been emitted.
#[derive(Default)]
struct StreamedText {
    /// By the index of the item.
    by_item: BTreeMap<u64, String>,
    /// The item and its part with the last delta.
    last: Option<(u64, u64)>,
}

/// How a usable reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyEnd {
    Complete,
    CutOff,
}

#[derive(Deserialize)]
struct RawItem {
    item: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct RawOutput {
    output: Option<Vec<Box<RawValue>>>,
}

#[derive(Deserialize)]
struct RawResponse {
    response: Option<RawOutput>,
}

impl Decoder {
    pub(super) fn new(settings: &Settings, request: &ModelRequest) -> Self {
        Self {
            names: NameTable::new(request),
            origin: settings.origin.clone(),
            shape: ShapeCheck::new("OpenAI Responses"),
            indexes: ItemIndexes::default(),
            items: BTreeMap::new(),
            text: StreamedText::default(),
            thinking: StreamedText::default(),
            has_calls: false,
        }
    }

    fn emit_text(&mut self, event: &Value, chunks: &mut Vec<Chunk>) {
        let delta = event["delta"].as_str().unwrap_or_default();
        self.text.emit(self.indexes.of_delta(event), 0, delta, chunks, Chunk::Text);
    }

    fn emit_thinking(&mut self, event: &Value, part: &str, chunks: &mut Vec<Chunk>) {
        let delta = event["delta"].as_str().unwrap_or_default();
        let part = event[part].as_u64().unwrap_or_default();
        self.thinking.emit(self.indexes.of_delta(event), part, delta, chunks, Chunk::Thinking);
    }

    fn apply_item(
        &mut self,
        index: u64,
        raw: Box<RawValue>,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let item = Item::new(raw);
        match item.kind() {
            ItemKind::Message => self.text.complete(index, &item.text(), chunks, Chunk::Text),
            ItemKind::Reasoning => self.thinking.complete(index, &item.thinking(), chunks, Chunk::Thinking),
            ItemKind::Call if item.is_truncated() => {
                debug!("the token limit truncated a tool call; it is dropped");
            }
            ItemKind::Call => {
                chunks.push(Chunk::ToolCall(self.call(&item)?));
                self.has_calls = true;
            }
            ItemKind::Other => {}
        }
        self.items.insert(index, item);
        Ok(())
    }

    fn call(&self, item: &Item) -> Result<ToolCall, ModelError> {
        let (id, name) = (item.call_id(), item.text_at("name"));
        if id.is_empty() || name.is_empty() {
            return Err(provider_bug("a tool call of the reply has no id or no name"));
        }
        let arguments = item.text_at("arguments");
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        Ok(ToolCall { id: id.to_owned(), name: self.names.canonical(name), arguments: arguments.to_owned() })
    }

    /// Handles the last event of a reply.
    fn finish(
        &mut self,
        event: &SseEvent,
        response: &Value,
        chunks: &mut Vec<Chunk>,
    ) -> Result<StreamProgress, ModelError> {
        if self.items.is_empty() {
            self.apply_output(&event.data, chunks)?;
        }
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            chunks.push(Chunk::Usage(usage_of(usage)));
        }
        if response["status"] == "failed" || response["error"].is_object() {
            return Err(openai::event_error(&response["error"]));
        }
        if self.check_end(response)? == ReplyEnd::CutOff {
            chunks.push(Chunk::CutOff);
        }
        if let Some(state) = self.state() {
            chunks.push(Chunk::State(state));
        }
        Ok(StreamProgress::Complete)
    }

    /// Applies items that some servers send only in the last event.
    fn apply_output(&mut self, data: &str, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let nested = serde_json::from_str(data).ok().and_then(|RawResponse { response }| response);
        let output =
            nested.or_else(|| serde_json::from_str(data).ok()).and_then(|RawOutput { output }| output);
        for (index, raw) in (0..).zip(output.unwrap_or_default()) {
            self.apply_item(index, raw, chunks)?;
        }
        Ok(())
    }

    fn check_end(&self, response: &Value) -> Result<ReplyEnd, ModelError> {
        let refusal: String = self.items.values().map(Item::refusal).collect();
        if !refusal.is_empty() {
            return Err(openai::withheld(&refusal));
        }
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        if reason.is_none() && response["status"] != "incomplete" {
            return Ok(ReplyEnd::Complete);
        }
        match reason {
            Some("content_filter") => Err(openai::withheld("content_filter")),
            // The only other reason that is documented is the output limit.
            Some(_) | None if !self.has_calls && self.text.is_blank() => Err(openai::no_text_within_limit()),
            Some(_) | None => Ok(ReplyEnd::CutOff),
        }
    }

    /// Returns the items as they are sent back, without reasoning at the end: the API rejects reasoning that
    /// no other item follows.
    fn state(&self) -> Option<String> {
        let mut items: Vec<_> =
            self.items.values().filter_map(|item| Some((item.kind(), item.native()?))).collect();
        while items.last().is_some_and(|(kind, _)| *kind == ItemKind::Reasoning) {
            items.pop();
        }
        let items: Vec<_> = items.into_iter().map(|(_, raw)| raw).collect();
        if items.is_empty() {
            return None;
        }
        ProviderState::pack(Responses::NAME, &self.origin, to_raw_value(&items).ok()?)
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, chunks: &mut Vec<Chunk>) -> Result<StreamProgress, ModelError> {
        if event.data == "[DONE]" {
            return Ok(StreamProgress::More);
        }
        let value = openai::parse_event(event)?;
        let kind = value["type"].as_str().unwrap_or(&event.name);
        if kind.starts_with("response.") || value["object"] == "response" {
            self.shape.accept();
        } else {
            self.shape.reject(&event.data);
        }
        match kind {
            "response.output_text.delta" => self.emit_text(&value, chunks),
            "response.reasoning_summary_text.delta" => self.emit_thinking(&value, "summary_index", chunks),
            "response.reasoning_text.delta" => self.emit_thinking(&value, "content_index", chunks),
            "response.output_item.done" => {
                let raw = serde_json::from_str(&event.data).ok().and_then(|RawItem { item }| item);
                let raw =
                    raw.ok_or_else(|| provider_bug("an item of the reply is missing from its event"))?;
                let index = self.indexes.of_item(&value);
                self.apply_item(index, raw, chunks)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                return self.finish(event, &value["response"], chunks);
            }
            "response.function_call_arguments.delta" => return Ok(StreamProgress::Writing),
            "error" => return Err(openai::event_error(&value)),
            // The whole response as one object, from a server that does not stream.
            "" if value["object"] == "response" => return self.finish(event, &value, chunks),
            kind if !kind.starts_with("response.") && openai::is_error_event(event, &value, &[]) => {
                return Err(openai::event_error(&value));
            }
            _ => {}
        }
        Ok(StreamProgress::More)
    }

    fn end(&mut self, _: &mut Vec<Chunk>) -> Result<(), ModelError> {
        Err(self.shape.error().unwrap_or_else(|| openai::cut_off("response.completed")))
    }
}

impl StreamedText {
    /// Emits a delta, separated from the text of other parts.
    fn emit(
        &mut self,
        index: u64,
        part: u64,
        delta: &str,
        chunks: &mut Vec<Chunk>,
        chunk: fn(String) -> Chunk,
    ) {
        if delta.is_empty() {
            return;
        }
        let is_new_part = self.last.is_some_and(|last| last != (index, part));
        let own = self.by_item.entry(index).or_default();
        let text = if is_new_part { format!("\n\n{delta}") } else { delta.to_owned() };
        own.push_str(if own.is_empty() { delta } else { &text });
        self.last = Some((index, part));
        chunks.push(chunk(text));
    }

    /// Emits what the final text of an item adds to its deltas.
    fn complete(&mut self, index: u64, whole: &str, chunks: &mut Vec<Chunk>, chunk: fn(String) -> Chunk) {
        let emitted = self.by_item.get(&index).map_or("", String::as_str);
        let Some(rest) = whole.strip_prefix(emitted) else {
            debug!("the final text of an item differs from its deltas");
            return;
        };
        let rest = rest.to_owned();
        let part = self.last.filter(|(last, _)| *last == index).map_or(0, |(_, part)| part);
        self.emit(index, part, &rest, chunks, chunk);
    }

    fn is_blank(&self) -> bool {
        self.by_item.values().all(|text| text.trim().is_empty())
    }
}
