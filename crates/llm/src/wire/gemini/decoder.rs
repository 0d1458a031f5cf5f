//! Decodes the events of a reply.
//!
//! Each event is a complete response object with further parts. A finish reason does not end the stream: some
//! servers send it in every event, so a reply is complete when the stream has ended and a finish reason was
//! seen.

use serde_json::value::RawValue;
use tarsy_domain::{Grounding, ModelFailureKind, TokenUsage, ToolCall};
use tracing::debug;

use super::Gemini;
use super::call_ids::ReplyCallIds;
use super::failure::from_event;
use super::fields::JsonFields;
use super::finish::{GeminiFinish, filtered};
use super::grounding::{RunningCode, add_grounding};
use super::native_turn::NativeTurn;
use super::shape::has_shape;
use super::streamed_call::StreamedCall;
use super::usage::usage_of;
use crate::error::provider_bug;
use crate::http::SseEvent;
use crate::names::NameTable;
use crate::state::ProviderState;
use crate::wire::shape::{ShapeCheck, invalid_json};
use crate::wire::{Decode, StreamProgress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin};

/// A reply that is being decoded.
#[derive(Debug)]
pub(crate) struct Decoder {
    origin: Origin,
    names: NameTable,
    ids: ReplyCallIds,
    shape: ShapeCheck,
    turn: NativeTurn,
    /// A tool call whose arguments are being streamed.
    streamed_call: Option<StreamedCall>,
    running: RunningCode,
    grounding: Grounding,
    usage: TokenUsage,
    /// Whether the reply has text or a tool call.
    has_content: bool,
    finish: Option<GeminiFinish>,
}

impl Decoder {
    /// Returns a decoder for the reply to a request.
    pub(super) fn new(origin: &Origin, request: &ModelRequest) -> Self {
        Self {
            origin: origin.clone(),
            names: NameTable::new(request),
            ids: ReplyCallIds::new(request),
            shape: ShapeCheck::new("Gemini"),
            turn: NativeTurn::default(),
            streamed_call: None,
            running: RunningCode::default(),
            grounding: Grounding::default(),
            usage: TokenUsage::default(),
            has_content: false,
            finish: None,
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, chunks: &mut Vec<Chunk>) -> Result<StreamProgress, ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(StreamProgress::More);
        }
        if event.name == "error" {
            return Err(from_event(&event.data));
        }
        // An error without `data:` can follow the last event without an empty line between them.
        let texts = serde_json::Deserializer::from_str(&event.data).into_iter::<Box<RawValue>>();
        for text in texts {
            let text = text.map_err(|error| invalid_json("an event", &event.data, &error))?;
            self.apply_responses(&text, chunks)?;
        }
        Ok(if self.streamed_call.is_some() { StreamProgress::Writing } else { StreamProgress::More })
    }

    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let Some(finish) = self.finish else {
            let message = "the reply was cut off: the stream ended without a finish reason";
            let cut_off = || ModelError::new(ModelFailureKind::Network, message);
            return Err(self.shape.error().unwrap_or_else(cut_off));
        };
        match finish {
            GeminiFinish::Done => self.end_streamed_call(chunks)?,
            GeminiFinish::MaxTokens if self.streamed_call.take().is_some() => {
                debug!(model = %self.origin, "the token limit truncated a tool call; it is dropped");
            }
            GeminiFinish::MaxTokens => {}
        }
        if !self.has_content {
            self.shape.error().map_or(Ok(()), Err)?;
        }
        if finish == GeminiFinish::MaxTokens && !self.has_content {
            return Err(no_text_within_limit(self.usage));
        }
        chunks.extend(self.running.rest().into_iter().map(Chunk::CodeExecution));
        if self.grounding != Grounding::default() {
            chunks.push(Chunk::Grounding(std::mem::take(&mut self.grounding)));
        }
        if finish == GeminiFinish::MaxTokens {
            chunks.push(Chunk::CutOff);
        }
        let native = self.turn.native();
        chunks.extend(
            native
                .and_then(|native| ProviderState::pack(Gemini::NAME, &self.origin, native))
                .map(Chunk::State),
        );
        Ok(())
    }
}

impl Decoder {
    /// Applies one response object, or a list of them, which Gemini sends without `alt=sse`.
    fn apply_responses(&mut self, text: &RawValue, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        match serde_json::from_str::<Vec<Box<RawValue>>>(text.get()) {
            Ok(list) if !list.iter().any(|response| response.get().starts_with('{')) => {
                self.shape.reject(text.get());
                Ok(())
            }
            Ok(list) => list.iter().try_for_each(|response| self.apply_response(response, chunks)),
            Err(_) => self.apply_response(text, chunks),
        }
    }

    fn apply_response(&mut self, text: &RawValue, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let response = JsonFields::read(text.get());
        let is_flat_error = response.raw("candidates").is_none() && response.text("message").is_some();
        if is_flat_error || response.raw("error").is_some() {
            return Err(from_event(text.get()));
        }
        if has_shape(&response) {
            self.shape.accept();
        } else {
            self.shape.reject(text.get());
        }
        if let Some(usage) = response.object("usageMetadata") {
            self.apply_usage(usage_of(&usage), chunks);
        }
        if let Some(feedback) = response.object("promptFeedback") {
            check_feedback(&feedback)?;
        }
        match response.objects("candidates").first() {
            Some(candidate) => self.apply_candidate(candidate, chunks),
            None => Ok(()),
        }
    }

    fn apply_candidate(&mut self, candidate: &JsonFields, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let content = candidate.object("content").unwrap_or_default();
        for raw in content.list("parts") {
            self.apply_part(&raw, chunks)?;
        }
        if let Some(metadata) = candidate.object("groundingMetadata") {
            add_grounding(&mut self.grounding, &metadata);
        }
        if let Some(reason) = candidate.text("finishReason") {
            let message = candidate.text("finishMessage");
            self.finish = GeminiFinish::read(&reason, message.as_deref())?.or(self.finish);
        }
        Ok(())
    }

    fn apply_part(&mut self, raw: &RawValue, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let part = JsonFields::read(raw.get());
        if let Some(call) = part.object("functionCall") {
            return self.apply_call(raw, &part, &call, chunks);
        }
        self.turn.add(raw, &part);
        if let Some(text) = part.text("text").filter(|text| !text.is_empty()) {
            let is_thought = part.flag("thought");
            self.has_content |= !is_thought && !text.trim().is_empty();
            chunks.push(if is_thought { Chunk::Thinking(text) } else { Chunk::Text(text) });
        }
        if let Some(code) = part.object("executableCode") {
            self.running.begin(&code);
        }
        if let Some(result) = part.object("codeExecutionResult") {
            chunks.push(Chunk::CodeExecution(self.running.end(&result)));
        }
        Ok(())
    }

    /// Applies a tool call: a complete one, or a fragment of one.
    fn apply_call(
        &mut self,
        raw: &RawValue,
        part: &JsonFields,
        call: &JsonFields,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        if self.streamed_call.as_ref().is_some_and(|partial| partial.is_interrupted_by(call)) {
            self.end_streamed_call(chunks)?;
        }
        match self.streamed_call.take().or_else(|| StreamedCall::begin(call)) {
            Some(mut partial) => {
                let has_ended = partial.add(part, call)?;
                self.streamed_call = Some(partial);
                if has_ended { self.end_streamed_call(chunks) } else { Ok(()) }
            }
            // The end of a streamed call that has ended already.
            None if call.is_empty() => Ok(()),
            None => {
                self.turn.add(raw, part);
                chunks.push(Chunk::ToolCall(self.tool_call(call)?));
                Ok(())
            }
        }
    }

    /// Emits a streamed call after its last fragment.
    fn end_streamed_call(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let Some(partial) = self.streamed_call.take() else { return Ok(()) };
        if !partial.is_complete() {
            let message = format!("the arguments of a call of {} are incomplete", partial.name());
            return Err(provider_bug(message));
        }
        let raw = partial.into_part().ok_or_else(|| provider_bug("a streamed tool call is not JSON"))?;
        let part = JsonFields::read(raw.get());
        self.turn.add(&raw, &part);
        let call = part.object("functionCall").unwrap_or_default();
        chunks.push(Chunk::ToolCall(self.tool_call(&call)?));
        Ok(())
    }

    fn tool_call(&mut self, call: &JsonFields) -> Result<ToolCall, ModelError> {
        let name = call.text("name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| provider_bug("the model called a tool without naming it"))?;
        self.has_content = true;
        Ok(ToolCall {
            id: self.ids.next(call.text("id")),
            name: self.names.canonical(&name),
            arguments: call.raw("args").map_or("{}", RawValue::get).to_owned(),
        })
    }

    fn apply_usage(&mut self, usage: TokenUsage, chunks: &mut Vec<Chunk>) {
        if usage != self.usage {
            self.usage = usage;
            chunks.push(Chunk::Usage(usage));
        }
    }
}

fn check_feedback(feedback: &JsonFields) -> Result<(), ModelError> {
    match feedback.text("blockReason").as_deref() {
        None | Some("" | "BLOCK_REASON_UNSPECIFIED") => Ok(()),
        Some(reason) => {
            let details = feedback.text("blockReasonMessage").map(|message| format!(": {message}"));
            Err(filtered(&format!(
                "Gemini does not answer this conversation ({reason}){}",
                details.unwrap_or_default()
            )))
        }
    }
}

fn no_text_within_limit(usage: TokenUsage) -> ModelError {
    let message = format!(
        "the model wrote as much as it may before it came to an answer ({} tokens, {} of them thinking); \
         allow more output tokens or less thinking",
        usage.output_tokens, usage.thinking_tokens
    );
    ModelError::new(ModelFailureKind::EmptyReply, message)
}
