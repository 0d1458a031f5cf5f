//! Decodes the events of a reply.
//!
//! Text and thinking are emitted as they arrive, tool calls when they are complete. The native form of the
//! reply is kept block by block, in order. Whether a reply is usable is not decided here.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::{ModelFailureKind, ToolCall};
use tracing::debug;

use super::Anthropic;
use super::block::{BlockDelta, ReplyBlock};
use super::event::EventEnvelope;
use super::failure;
use super::grounding::Sources;
use super::usage::UsageCounter;
use crate::error::provider_bug;
use crate::http::SseEvent;
use crate::names::NameTable;
use crate::state::ProviderState;
use crate::wire::shape::ShapeCheck;
use crate::wire::{Decode, StreamProgress, Wire};
use crate::{Chunk, ModelError, Origin};

/// Separates two texts that had another block between them.
const PARAGRAPH: &str = "\n\n";

/// The documented events.
const EVENTS: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
];

/// A reply that is being decoded.
pub(crate) struct Decoder {
    origin: Origin,
    names: NameTable,
    shape: ShapeCheck,
    blocks: Vec<ReplyBlock>,
    usage: UsageCounter,
    stop: Option<String>,
    sources: Sources,
    emitted: Emitted,
}

/// What has been emitted: bytes of text and thinking, number of tool calls.
#[derive(Default)]
struct Emitted {
    text: usize,
    thinking: usize,
    calls: usize,
    /// Whether a separator is needed before the next delta.
    text_paused: bool,
    thinking_paused: bool,
    /// Blank text before the first words.
    blank: String,
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, chunks: &mut Vec<Chunk>) -> Result<StreamProgress, ModelError> {
        if event.name == "error" {
            return Err(failure::from_event(&event.data));
        }
        let Some(envelope) = EventEnvelope::read(event)? else {
            self.check_shape(event, "");
            return Ok(StreamProgress::More);
        };
        let kind = envelope.kind(event);
        self.check_shape(event, kind);
        match kind {
            "message_start" => self.add_usage(envelope.message.get("usage"), chunks),
            "content_block_start" => {
                self.begin_block(&envelope, chunks)?;
                return Ok(StreamProgress::Writing);
            }
            "content_block_delta" => {
                self.continue_block(&envelope, chunks);
                return Ok(StreamProgress::Writing);
            }
            "content_block_stop" => self.end_block(envelope.index()),
            "message_delta" => self.apply_stop(&envelope, chunks)?,
            "message_stop" => {
                self.finish(chunks)?;
                return Ok(StreamProgress::Complete);
            }
            "error" => return Err(failure::from_event(&event.data)),
            _ => {}
        }
        Ok(StreamProgress::More)
    }

    fn end(&mut self, _: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let message = "the reply was cut off: the connection ended before the model did";
        let cut_off = || ModelError::new(ModelFailureKind::Network, message);
        Err(self.shape.error().unwrap_or_else(cut_off))
    }
}

impl Decoder {
    pub(super) fn new(origin: Origin, names: NameTable) -> Self {
        Self {
            origin,
            names,
            shape: ShapeCheck::new("Anthropic Messages"),
            blocks: Vec::new(),
            usage: UsageCounter::default(),
            stop: None,
            sources: Sources::default(),
            emitted: Emitted::default(),
        }
    }

    fn check_shape(&mut self, event: &SseEvent, kind: &str) {
        if EVENTS.contains(&kind) {
            self.shape.accept();
        } else if event.data.trim() != "[DONE]" {
            self.shape.reject(&event.data);
        }
    }

    fn add_usage(&mut self, snapshot: Option<&Value>, chunks: &mut Vec<Chunk>) {
        if let Some(snapshot) = snapshot.filter(|snapshot| snapshot.is_object()) {
            self.usage.update(snapshot);
            chunks.push(Chunk::Usage(self.usage.total()));
        }
    }

    fn begin_block(&mut self, envelope: &EventEnvelope, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let Some(start) = &envelope.content_block else { return Ok(()) };
        // Another block follows, so the calls before it are complete.
        self.emit_calls(PendingCalls::Ended, chunks);
        let block = ReplyBlock::begin(envelope.index(), start)
            .map_err(|error| provider_bug(format!("a block of the reply is no object: {error}")))?;
        self.emitted.text_paused |= block.kind != "text";
        self.emitted.thinking_paused = true;
        let opening = block.opening();
        self.blocks.push(block);
        self.emitted.add(opening, chunks);
        Ok(())
    }

    fn continue_block(&mut self, envelope: &EventEnvelope, chunks: &mut Vec<Chunk>) {
        match self.block(envelope.index()) {
            Some(position) => {
                let delta = self.blocks[position].add(&envelope.delta);
                self.emitted.add(delta, chunks);
            }
            None => debug!("a delta belongs to no block"),
        }
    }

    fn end_block(&mut self, index: Option<u64>) {
        if let Some(position) = self.block(index) {
            self.blocks[position].has_ended = true;
            self.sources.add(&self.blocks[position], self.emitted.text);
        }
    }

    /// Returns the position of the block with an index, or of the newest block if no index is given.
    fn block(&self, index: Option<u64>) -> Option<usize> {
        let newest = self.blocks.len().checked_sub(1)?;
        match index {
            None => Some(newest),
            Some(_) => self.blocks.iter().rposition(|block| block.index == index),
        }
    }

    /// Emits tool calls in order, each once.
    fn emit_calls(&mut self, which: PendingCalls, chunks: &mut Vec<Chunk>) {
        let calls = self.blocks.iter().filter(|block| block.kind == "tool_use");
        for block in calls.skip(self.emitted.calls) {
            if which == PendingCalls::Ended && !block.has_ended {
                break;
            }
            let name = self.name(block);
            // They may be invalid JSON. The model made the mistake, so it is reported as the result of the
            // call.
            let arguments = block.arguments();
            let arguments = if arguments.is_empty() { "{}".to_owned() } else { arguments };
            let id = block.string("id").unwrap_or_default();
            chunks.push(Chunk::ToolCall(ToolCall { id, name, arguments }));
            self.emitted.calls += 1;
        }
    }

    fn name(&self, call: &ReplyBlock) -> String {
        self.names.canonical(&call.string("name").unwrap_or_default())
    }

    /// Applies the stop reason and the final usage.
    fn apply_stop(&mut self, envelope: &EventEnvelope, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        self.add_usage(Some(&envelope.usage), chunks);
        if let Some(reason) = envelope.delta.get("stop_reason").and_then(Value::as_str) {
            self.stop = Some(reason.to_owned());
        }
        match self.stop.as_deref() {
            Some("refusal") => Err(refusal(&envelope.delta)),
            Some("end_turn" | "tool_use" | "stop_sequence") | None => Ok(()),
            Some(reason) => {
                debug!(reason, "the reply ended early");
                Ok(())
            }
        }
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let truncation = Truncation::from_stop_reason(self.stop.as_deref());
        if let Some(truncation) = truncation {
            self.check_last_call(truncation)?;
        }
        self.emit_calls(PendingCalls::All, chunks);
        if let (Some(truncation), true) = (truncation, self.emitted.is_empty()) {
            return Err(truncation.error("before anything was said", ModelFailureKind::EmptyReply));
        }
        chunks.extend(self.sources.complete().map(Chunk::Grounding));
        if truncation.is_some() {
            chunks.push(Chunk::CutOff);
        }
        let native = self.native(truncation);
        let state = native.and_then(|native| ProviderState::pack(Anthropic::NAME, &self.origin, native));
        chunks.extend(state.map(Chunk::State));
        Ok(())
    }

    /// Rejects an incomplete tool call at the end of a truncated reply; one without arguments may be
    /// incomplete too.
    fn check_last_call(&self, truncation: Truncation) -> Result<(), ModelError> {
        match self.blocks.last() {
            Some(block)
                if block.kind == "tool_use"
                    && (block.arguments().is_empty() || !block.has_complete_arguments()) =>
            {
                let position = format!("in the middle of a call of {}", self.name(block));
                Err(truncation.error(&position, ModelFailureKind::ProviderBug))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the reply as it is sent back, in order, without blocks that the API rejects.
    fn native(&self, truncation: Option<Truncation>) -> Option<Box<RawValue>> {
        let mut blocks: Vec<&ReplyBlock> =
            self.blocks.iter().filter(|block| self.may_be_sent_back(block, truncation)).collect();
        while blocks.last().is_some_and(|last| last.is_thinking()) {
            blocks.pop();
        }
        let blocks: Option<Vec<_>> = blocks.into_iter().map(ReplyBlock::native).collect();
        to_raw_value(&blocks.filter(|blocks| !blocks.is_empty())?).ok()
    }

    /// Returns whether the API accepts a block in a later request. It rejects blank text, thinking that was
    /// truncated before its signature, and calls of the vendor's own tools without a result.
    fn may_be_sent_back(&self, block: &ReplyBlock, truncation: Option<Truncation>) -> bool {
        let is_result =
            |other: &ReplyBlock| other.string("tool_use_id").is_some_and(|id| Some(id) == block.string("id"));
        match block.kind.as_str() {
            "text" => !block.text.trim().is_empty(),
            "thinking" => truncation.is_none() || block.is_signed(),
            "server_tool_use" => self.blocks.iter().any(is_result),
            _ => true,
        }
    }
}

impl Emitted {
    fn add(&mut self, delta: BlockDelta, chunks: &mut Vec<Chunk>) {
        match delta {
            BlockDelta::Text(text) => {
                let text = self.without_blank_start(text);
                if text.is_empty() {
                    return;
                }
                if std::mem::take(&mut self.text_paused) && self.text > 0 {
                    self.text += PARAGRAPH.len();
                    chunks.push(Chunk::Text(PARAGRAPH.to_owned()));
                }
                self.text += text.len();
                chunks.push(Chunk::Text(text));
            }
            BlockDelta::Thinking(thinking) => {
                if std::mem::take(&mut self.thinking_paused) && self.thinking > 0 {
                    chunks.push(Chunk::Thinking(PARAGRAPH.to_owned()));
                }
                self.thinking += thinking.len();
                chunks.push(Chunk::Thinking(thinking));
            }
            BlockDelta::Nothing => {}
        }
    }

    /// Removes blank lines before the first words: some replies begin with a blank block.
    fn without_blank_start(&mut self, text: String) -> String {
        if self.text > 0 {
            return text;
        }
        self.blank.push_str(&text);
        if self.blank.trim().is_empty() {
            return String::new();
        }
        let text = std::mem::take(&mut self.blank);
        let words = text.len() - text.trim_start().len();
        let line = text[..words].rfind('\n').map_or(0, |line_end| line_end + 1);
        text[line..].to_owned()
    }

    fn is_empty(&self) -> bool {
        self.text == 0 && self.calls == 0
    }
}

/// Which tool calls are known to be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingCalls {
    Ended,
    All,
}

/// The limit that truncated a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truncation {
    OutputTokens,
    ContextWindow,
}

impl Truncation {
    fn from_stop_reason(stop: Option<&str>) -> Option<Self> {
        match stop {
            Some("max_tokens") => Some(Self::OutputTokens),
            Some("model_context_window_exceeded") => Some(Self::ContextWindow),
            Some(_) | None => None,
        }
    }

    fn error(self, position: &str, kind: ModelFailureKind) -> ModelError {
        match self {
            Self::OutputTokens => ModelError::new(
                kind,
                format!(
                    "the reply reached the most tokens it may have {position}; a larger max_output_tokens helps"
                ),
            ),
            Self::ContextWindow => ModelError::new(
                ModelFailureKind::ContextTooLong,
                format!("the conversation filled the model's window {position}"),
            ),
        }
    }
}

/// Returns the error for a refusal by the model or the vendor.
fn refusal(delta: &Value) -> ModelError {
    let detail = |key: &str| delta.pointer(&format!("/stop_details/{key}")).and_then(Value::as_str);
    let category = detail("category").map(|category| format!(" ({category})")).unwrap_or_default();
    let explanation = detail("explanation").unwrap_or("no reason was given");
    let message = format!("the provider refused to answer{category}: {explanation}");
    ModelError::new(ModelFailureKind::ContentFiltered, message)
}
