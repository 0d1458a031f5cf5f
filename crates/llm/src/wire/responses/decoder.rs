//! Reads the events of a reply.
//!
//! Text and reasoning are shown as they arrive; what counts is each item's last word, `response.output_item.done`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::{TokenUsage, ToolCall};
use tracing::debug;

use super::Responses;
use super::item::{Item, ItemKind};
use super::item_index::Places;
use crate::error::provider_bug;
use crate::http::Event;
use crate::names::NameTable;
use crate::state::State;
use crate::wire::openai::{self, count};
use crate::wire::{Decode, Progress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin, Settings};

/// Reads one reply.
pub(crate) struct Decoder {
    names: NameTable,
    origin: Origin,
    places: Places,
    /// Complete items by their place in the reply.
    items: BTreeMap<u64, Item>,
    text: Spoken,
    thinking: Spoken,
    has_calls: bool,
}

/// What has been shown of one kind.
#[derive(Default)]
struct Spoken {
    /// By the place of the item that said it.
    by_item: BTreeMap<u64, String>,
    /// The item and the part of it that spoke last.
    last: Option<(u64, u64)>,
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
            places: Places::default(),
            items: BTreeMap::new(),
            text: Spoken::default(),
            thinking: Spoken::default(),
            has_calls: false,
        }
    }

    fn show_delta(&mut self, event: &Value, chunks: &mut Vec<Chunk>) {
        let delta = event["delta"].as_str().unwrap_or_default();
        self.text.say(self.places.of_delta(event), 0, delta, chunks, Chunk::Text);
    }

    fn show_thinking(&mut self, event: &Value, part: &str, chunks: &mut Vec<Chunk>) {
        let delta = event["delta"].as_str().unwrap_or_default();
        let part = event[part].as_u64().unwrap_or_default();
        self.thinking.say(self.places.of_delta(event), part, delta, chunks, Chunk::Thinking);
    }

    fn take_item(
        &mut self,
        place: u64,
        raw: Box<RawValue>,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let item = Item::new(raw);
        match item.kind() {
            ItemKind::Message => self.text.complete(place, &item.text(), chunks, Chunk::Text),
            ItemKind::Reasoning => self.thinking.complete(place, &item.thinking(), chunks, Chunk::Thinking),
            ItemKind::Call if item.is_cut() => {
                debug!("a tool call was cut by the token limit and is left out");
            }
            ItemKind::Call => {
                chunks.push(Chunk::ToolCall(self.call(&item)?));
                self.has_calls = true;
            }
            ItemKind::Other => {}
        }
        self.items.insert(place, item);
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

    /// The reply has ended, in whatever way.
    fn finish(
        &mut self,
        event: &Event,
        response: &Value,
        chunks: &mut Vec<Chunk>,
    ) -> Result<Progress, ModelError> {
        if self.items.is_empty() {
            self.take_output(&event.data, chunks)?;
        }
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            chunks.push(Chunk::Usage(usage_of(usage)));
        }
        if response["status"] == "failed" || response["error"].is_object() {
            return Err(openai::event_fault(&response["error"]));
        }
        self.check_end(response)?;
        if let Some(state) = self.state() {
            chunks.push(Chunk::State(state));
        }
        Ok(Progress::Complete)
    }

    /// Some servers give the items only once, at the end.
    fn take_output(&mut self, data: &str, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let nested = serde_json::from_str(data).ok().and_then(|RawResponse { response }| response);
        let output =
            nested.or_else(|| serde_json::from_str(data).ok()).and_then(|RawOutput { output }| output);
        for (place, raw) in (0..).zip(output.unwrap_or_default()) {
            self.take_item(place, raw, chunks)?;
        }
        Ok(())
    }

    fn check_end(&self, response: &Value) -> Result<(), ModelError> {
        let refusal: String = self.items.values().map(Item::refusal).collect();
        if !refusal.is_empty() {
            return Err(openai::withheld(&refusal));
        }
        match response.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("content_filter") => Err(openai::withheld("content_filter")),
            Some("max_output_tokens") if !self.has_calls && self.text.is_blank() => {
                Err(openai::nothing_within_limit())
            }
            Some(reason) => {
                debug!(reason, "the reply is incomplete and taken as it is");
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The items as they go back. Reasoning at the very end belongs to nothing, which the vendor refuses.
    fn state(&self) -> Option<String> {
        let mut items: Vec<_> =
            self.items.values().filter_map(|item| Some((item.kind(), item.replay()?))).collect();
        while items.last().is_some_and(|(kind, _)| *kind == ItemKind::Reasoning) {
            items.pop();
        }
        let items: Vec<_> = items.into_iter().map(|(_, raw)| raw).collect();
        if items.is_empty() {
            return None;
        }
        State::pack(Responses::NAME, &self.origin, to_raw_value(&items).ok()?)
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event, chunks: &mut Vec<Chunk>) -> Result<Progress, ModelError> {
        if event.data == "[DONE]" {
            return Ok(Progress::More);
        }
        let value = openai::json_of(event)?;
        match value["type"].as_str().unwrap_or(&event.name) {
            "response.output_text.delta" => self.show_delta(&value, chunks),
            "response.reasoning_summary_text.delta" => self.show_thinking(&value, "summary_index", chunks),
            "response.reasoning_text.delta" => self.show_thinking(&value, "content_index", chunks),
            "response.output_item.done" => {
                let raw = serde_json::from_str(&event.data).ok().and_then(|RawItem { item }| item);
                let raw =
                    raw.ok_or_else(|| provider_bug("an item of the reply is missing from its event"))?;
                let place = self.places.of_item(&value);
                self.take_item(place, raw, chunks)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                return self.finish(event, &value["response"], chunks);
            }
            "response.function_call_arguments.delta" => return Ok(Progress::Writing),
            "error" => return Err(openai::event_fault(&value)),
            // An answer that is not a stream, from a server that knows no other.
            "" if value["object"] == "response" => return self.finish(event, &value, chunks),
            kind if !kind.starts_with("response.") && openai::is_fault(event, &value, &[]) => {
                return Err(openai::event_fault(&value));
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _: &mut Vec<Chunk>) -> Result<(), ModelError> {
        Err(openai::cut_off("response.completed"))
    }
}

impl Spoken {
    /// Shows more of a part of an item, set off from what another part said before.
    fn say(
        &mut self,
        place: u64,
        part: u64,
        delta: &str,
        chunks: &mut Vec<Chunk>,
        chunk: fn(String) -> Chunk,
    ) {
        if delta.is_empty() {
            return;
        }
        let parted = self.last.is_some_and(|last| last != (place, part));
        let own = self.by_item.entry(place).or_default();
        let text = if parted { format!("\n\n{delta}") } else { delta.to_owned() };
        own.push_str(if own.is_empty() { delta } else { &text });
        self.last = Some((place, part));
        chunks.push(chunk(text));
    }

    /// Shows what an item's last word adds to what was shown of it.
    fn complete(&mut self, place: u64, whole: &str, chunks: &mut Vec<Chunk>, chunk: fn(String) -> Chunk) {
        let shown = self.by_item.get(&place).map_or("", String::as_str);
        let Some(rest) = whole.strip_prefix(shown) else {
            debug!("an item's text differs from what was streamed of it");
            return;
        };
        let rest = rest.to_owned();
        let part = self.last.filter(|(last, _)| *last == place).map_or(0, |(_, part)| part);
        self.say(place, part, &rest, chunks, chunk);
    }

    fn is_blank(&self) -> bool {
        self.by_item.values().all(|text| text.trim().is_empty())
    }
}

fn usage_of(usage: &Value) -> TokenUsage {
    TokenUsage {
        input_tokens: count(usage, "/input_tokens"),
        output_tokens: count(usage, "/output_tokens"),
        thinking_tokens: count(usage, "/output_tokens_details/reasoning_tokens"),
        cached_tokens: count(usage, "/input_tokens_details/cached_tokens"),
    }
}
