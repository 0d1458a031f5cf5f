//! Reads the events of an answer.
//!
//! Text and thinking are passed on as they arrive, calls once they are whole. What the reply looks like in the
//! vendor's own words is kept block by block, in order. It does not judge whether a reply is useful.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tarsy_domain::{ModelFailureKind, ToolCall};
use tracing::debug;

use super::Anthropic;
use super::block::{Added, Block};
use super::event::Envelope;
use super::failure;
use super::grounding::Sources;
use super::usage::Usage;
use crate::error::provider_bug;
use crate::http::Event;
use crate::names::NameTable;
use crate::state::State;
use crate::wire::{Decode, Progress, Wire};
use crate::{Chunk, ModelError, Origin};

/// What lies between two texts that something else came between.
const PARAGRAPH: &str = "\n\n";

/// A reply that is being read.
pub(crate) struct Decoder {
    origin: Origin,
    names: NameTable,
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<String>,
    sources: Sources,
    said: Said,
}

/// What has been passed on.
#[derive(Default)]
struct Said {
    text: usize,
    thinking: usize,
    calls: usize,
    /// Where a paragraph must end before the next piece.
    text_paused: bool,
    thinking_paused: bool,
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event, chunks: &mut Vec<Chunk>) -> Result<Progress, ModelError> {
        let Some(envelope) = Envelope::read(event)? else { return Ok(Progress::More) };
        match envelope.kind(event) {
            "message_start" => self.add_usage(envelope.message.get("usage"), chunks),
            "content_block_start" => {
                self.begin_block(&envelope, chunks)?;
                return Ok(Progress::Writing);
            }
            "content_block_delta" => {
                self.continue_block(&envelope, chunks);
                return Ok(Progress::Writing);
            }
            "content_block_stop" => self.end_block(envelope.index()),
            "message_delta" => self.take_stop(&envelope, chunks)?,
            "message_stop" => {
                self.finish(chunks)?;
                return Ok(Progress::Complete);
            }
            "error" => return Err(failure::of_event(&event.data)),
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let message = "the reply was cut off: the connection ended before the model did";
        Err(ModelError::new(ModelFailureKind::Network, message))
    }
}

impl Decoder {
    pub(super) fn new(origin: Origin, names: NameTable) -> Self {
        Self {
            origin,
            names,
            blocks: Vec::new(),
            usage: Usage::default(),
            stop: None,
            sources: Sources::default(),
            said: Said::default(),
        }
    }

    fn add_usage(&mut self, snapshot: Option<&Value>, chunks: &mut Vec<Chunk>) {
        if let Some(snapshot) = snapshot.filter(|snapshot| snapshot.is_object()) {
            self.usage.update(snapshot);
            chunks.push(Chunk::Usage(self.usage.total()));
        }
    }

    fn begin_block(&mut self, envelope: &Envelope, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let Some(start) = &envelope.content_block else { return Ok(()) };
        // Something follows, so the calls before were not cut off.
        self.pass_calls_on(Calls::Ended, chunks);
        let block = Block::begin(envelope.index(), start)
            .map_err(|error| provider_bug(format!("a block of the reply is no object: {error}")))?;
        self.said.text_paused |= block.kind != "text";
        self.said.thinking_paused = true;
        let opening = block.opening();
        self.blocks.push(block);
        self.said.add(opening, chunks);
        Ok(())
    }

    fn continue_block(&mut self, envelope: &Envelope, chunks: &mut Vec<Chunk>) {
        match self.block(envelope.index()) {
            Some(place) => {
                let added = self.blocks[place].add(&envelope.delta);
                self.said.add(added, chunks);
            }
            None => debug!("a piece of a reply belongs to no block"),
        }
    }

    fn end_block(&mut self, index: Option<u64>) {
        if let Some(place) = self.block(index) {
            self.blocks[place].has_ended = true;
            self.sources.take(&self.blocks[place], self.said.text);
        }
    }

    /// The block at an index; the newest one where none is given.
    fn block(&self, index: Option<u64>) -> Option<usize> {
        let newest = self.blocks.len().checked_sub(1)?;
        match index {
            None => Some(newest),
            Some(_) => self.blocks.iter().rposition(|block| block.index == index),
        }
    }

    /// Passes calls on in order, each once.
    fn pass_calls_on(&mut self, which: Calls, chunks: &mut Vec<Chunk>) {
        let calls = self.blocks.iter().filter(|block| block.kind == "tool_use");
        for block in calls.skip(self.said.calls) {
            if which == Calls::Ended && !block.has_ended {
                break;
            }
            let name = self.name(block);
            // They may be no JSON. That is for whoever runs the tool to tell the model, which made the mistake.
            let arguments = block.arguments();
            let arguments = if arguments.is_empty() { "{}".to_owned() } else { arguments };
            let id = block.string("id").unwrap_or_default();
            chunks.push(Chunk::ToolCall(ToolCall { id, name, arguments }));
            self.said.calls += 1;
        }
    }

    fn name(&self, call: &Block) -> String {
        self.names.canonical(&call.string("name").unwrap_or_default())
    }

    /// The model has stopped, and says why.
    fn take_stop(&mut self, envelope: &Envelope, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        self.add_usage(Some(&envelope.usage), chunks);
        if let Some(reason) = envelope.delta.get("stop_reason").and_then(Value::as_str) {
            self.stop = Some(reason.to_owned());
        }
        match self.stop.as_deref() {
            Some("refusal") => Err(refused(&envelope.delta)),
            Some("end_turn" | "tool_use" | "stop_sequence") | None => Ok(()),
            Some(reason) => {
                debug!(reason, "the model stopped before its end");
                Ok(())
            }
        }
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let cut = Cut::by(self.stop.as_deref());
        if let Some(cut) = cut {
            self.check_cut(cut)?;
        }
        self.pass_calls_on(Calls::All, chunks);
        if let (Some(cut), true) = (cut, self.said.nothing()) {
            return Err(cut.error("before anything was said", ModelFailureKind::EmptyReply));
        }
        chunks.extend(self.sources.complete().map(Chunk::Grounding));
        let state = self.native(cut).and_then(|native| State::pack(Anthropic::NAME, &self.origin, native));
        chunks.extend(state.map(Chunk::State));
        Ok(())
    }

    /// A call at the very end of a reply that was cut off may be half a call, even one without arguments.
    fn check_cut(&self, cut: Cut) -> Result<(), ModelError> {
        match self.blocks.last() {
            Some(block)
                if block.kind == "tool_use"
                    && (block.arguments().is_empty() || !block.has_whole_arguments()) =>
            {
                let place = format!("in the middle of a call of {}", self.name(block));
                Err(cut.error(&place, ModelFailureKind::ProviderBug))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The reply as it goes back, in order, without what the vendor refuses to see again.
    fn native(&self, cut: Option<Cut>) -> Option<Box<RawValue>> {
        let mut blocks: Vec<&Block> =
            self.blocks.iter().filter(|block| self.may_go_back(block, cut)).collect();
        while blocks.last().is_some_and(|last| last.is_thinking()) {
            blocks.pop();
        }
        let blocks: Option<Vec<_>> = blocks.into_iter().map(Block::native).collect();
        to_raw_value(&blocks.filter(|blocks| !blocks.is_empty())?).ok()
    }

    /// Blank text, thinking that was cut off before it was signed, and calls of the vendor's own tools without their
    /// results would be refused.
    fn may_go_back(&self, block: &Block, cut: Option<Cut>) -> bool {
        let is_result =
            |other: &Block| other.string("tool_use_id").is_some_and(|id| Some(id) == block.string("id"));
        match block.kind.as_str() {
            "text" => !block.text.trim().is_empty(),
            "thinking" => cut.is_none() || block.is_signed(),
            "server_tool_use" => self.blocks.iter().any(is_result),
            _ => true,
        }
    }
}

impl Said {
    fn add(&mut self, added: Added, chunks: &mut Vec<Chunk>) {
        match added {
            Added::Text(text) => {
                if std::mem::take(&mut self.text_paused) && self.text > 0 {
                    self.text += PARAGRAPH.len();
                    chunks.push(Chunk::Text(PARAGRAPH.to_owned()));
                }
                self.text += text.len();
                chunks.push(Chunk::Text(text));
            }
            Added::Thinking(thinking) => {
                if std::mem::take(&mut self.thinking_paused) && self.thinking > 0 {
                    chunks.push(Chunk::Thinking(PARAGRAPH.to_owned()));
                }
                self.thinking += thinking.len();
                chunks.push(Chunk::Thinking(thinking));
            }
            Added::Nothing => {}
        }
    }

    fn nothing(&self) -> bool {
        self.text == 0 && self.calls == 0
    }
}

/// Which calls are known to be whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Calls {
    Ended,
    All,
}

/// What cut a reply off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    LongestReply,
    Window,
}

impl Cut {
    fn by(stop: Option<&str>) -> Option<Self> {
        match stop {
            Some("max_tokens") => Some(Self::LongestReply),
            Some("model_context_window_exceeded") => Some(Self::Window),
            Some(_) | None => None,
        }
    }

    fn error(self, place: &str, kind: ModelFailureKind) -> ModelError {
        match self {
            Self::LongestReply => ModelError::new(
                kind,
                format!(
                    "the reply reached the most tokens it may have {place}; a larger max_output_tokens helps"
                ),
            ),
            Self::Window => ModelError::new(
                ModelFailureKind::ContextTooLong,
                format!("the conversation filled the model's window {place}"),
            ),
        }
    }
}

/// The model or its vendor will not answer this.
fn refused(delta: &Value) -> ModelError {
    let detail = |key: &str| delta.pointer(&format!("/stop_details/{key}")).and_then(Value::as_str);
    let category = detail("category").map(|category| format!(" ({category})")).unwrap_or_default();
    let explanation = detail("explanation").unwrap_or("no reason was given");
    let message = format!("the provider refused to answer{category}: {explanation}");
    ModelError::new(ModelFailureKind::ContentFiltered, message)
}
