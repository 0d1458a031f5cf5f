//! Reads the events of one answer.
//!
//! Each event is a whole answer of its own, with more parts. A finish reason does not end the stream: some servers
//! send it on every event, so an answer is complete when the stream has ended and a reason was seen.

use serde_json::value::RawValue;
use tarsy_domain::{Grounding, ModelFailureKind, TokenUsage, ToolCall};
use tracing::debug;

use super::Gemini;
use super::call_ids::CallIds;
use super::failure::read_stream_error;
use super::fields::Fields;
use super::finish::{Finish, filtered};
use super::grounding::{RunningCode, add_grounding};
use super::turn::Turn;
use crate::error::provider_bug;
use crate::http::Event;
use crate::names::NameTable;
use crate::state::State;
use crate::wire::{Decode, Progress, Wire};
use crate::{Chunk, ModelError, ModelRequest, Origin};

/// Reads one answer.
#[derive(Debug)]
pub(crate) struct Decoder {
    origin: Origin,
    names: NameTable,
    ids: CallIds,
    turn: Turn,
    running: RunningCode,
    grounding: Grounding,
    usage: TokenUsage,
    /// Whether there was a text or a call.
    has_content: bool,
    finish: Option<Finish>,
}

impl Decoder {
    /// For the answer to a request.
    pub(super) fn new(origin: &Origin, request: &ModelRequest) -> Self {
        Self {
            origin: origin.clone(),
            names: NameTable::new(request),
            ids: CallIds::new(request),
            turn: Turn::default(),
            running: RunningCode::default(),
            grounding: Grounding::default(),
            usage: TokenUsage::default(),
            has_content: false,
            finish: None,
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &Event, chunks: &mut Vec<Chunk>) -> Result<Progress, ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(Progress::More);
        }
        // An error without `data:` can follow the last good event without an empty line between them.
        let texts = serde_json::Deserializer::from_str(&event.data).into_iter::<Box<RawValue>>();
        for text in texts {
            let text = text.map_err(|error| provider_bug(format!("an event is not valid JSON: {error}")))?;
            self.take_answers(&text, event.name == "error", chunks)?;
        }
        Ok(Progress::More)
    }

    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let Some(finish) = self.finish else {
            let message = "the reply was cut off: the stream ended without a finish reason";
            return Err(ModelError::new(ModelFailureKind::Network, message));
        };
        if finish == Finish::MaxTokens {
            if !self.has_content {
                return Err(all_thought(self.usage));
            }
            debug!(model = %self.origin, "the reply is as long as it may be, and perhaps incomplete");
        }
        chunks.extend(self.running.rest().into_iter().map(Chunk::CodeExecution));
        if self.grounding != Grounding::default() {
            chunks.push(Chunk::Grounding(std::mem::take(&mut self.grounding)));
        }
        let native = self.turn.native();
        chunks.extend(
            native.and_then(|native| State::pack(Gemini::NAME, &self.origin, native)).map(Chunk::State),
        );
        Ok(())
    }
}

impl Decoder {
    /// One answer, or a list of them, which is how Gemini writes when it is not asked for events.
    fn take_answers(
        &mut self,
        text: &RawValue,
        is_error: bool,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        match serde_json::from_str::<Vec<Box<RawValue>>>(text.get()) {
            Ok(answers) => answers.iter().try_for_each(|answer| self.take_answer(answer, is_error, chunks)),
            Err(_) => self.take_answer(text, is_error, chunks),
        }
    }

    fn take_answer(
        &mut self,
        text: &RawValue,
        is_error: bool,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let answer = Fields::read(text.get());
        let is_flat_error = answer.raw("candidates").is_none() && answer.text("message").is_some();
        if is_error || is_flat_error || answer.raw("error").is_some() {
            return Err(read_stream_error(text.get()));
        }
        if let Some(usage) = answer.object("usageMetadata") {
            self.take_usage(&usage, chunks);
        }
        if let Some(feedback) = answer.object("promptFeedback") {
            check_feedback(&feedback)?;
        }
        match answer.objects("candidates").first() {
            Some(candidate) => self.take_candidate(candidate, chunks),
            None => Ok(()),
        }
    }

    fn take_candidate(&mut self, candidate: &Fields, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let content = candidate.object("content").unwrap_or_default();
        for raw in content.list("parts") {
            self.take_part(&raw, chunks)?;
        }
        if let Some(metadata) = candidate.object("groundingMetadata") {
            add_grounding(&mut self.grounding, &metadata);
        }
        if let Some(reason) = candidate.text("finishReason") {
            let message = candidate.text("finishMessage");
            self.finish = Finish::read(&reason, message.as_deref())?.or(self.finish);
        }
        Ok(())
    }

    fn take_part(&mut self, raw: &RawValue, chunks: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let part = Fields::read(raw.get());
        self.turn.add(raw, &part);
        if let Some(text) = part.text("text").filter(|text| !text.is_empty()) {
            let is_thought = part.flag("thought");
            self.has_content |= !is_thought && !text.trim().is_empty();
            chunks.push(if is_thought { Chunk::Thinking(text) } else { Chunk::Text(text) });
        }
        if let Some(call) = part.object("functionCall") {
            chunks.push(Chunk::ToolCall(self.tool_call(&call)?));
        }
        if let Some(code) = part.object("executableCode") {
            self.running.begin(&code);
        }
        if let Some(result) = part.object("codeExecutionResult") {
            chunks.push(Chunk::CodeExecution(self.running.end(&result)));
        }
        Ok(())
    }

    fn tool_call(&mut self, call: &Fields) -> Result<ToolCall, ModelError> {
        let name = call.text("name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| provider_bug("the model called a tool without naming it"))?;
        self.has_content = true;
        Ok(ToolCall {
            id: self.ids.next(call.text("id")),
            name: self.names.canonical(&name),
            arguments: call.raw("args").map_or("{}", RawValue::get).to_owned(),
        })
    }

    /// Every event says what the call has cost so far. Google counts thoughts and what its own tools read apart.
    fn take_usage(&mut self, said: &Fields, chunks: &mut Vec<Chunk>) {
        let count = |name| said.count(name).unwrap_or_default();
        let thinking_tokens = count("thoughtsTokenCount");
        let usage = TokenUsage {
            input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
            output_tokens: count("candidatesTokenCount").saturating_add(thinking_tokens),
            thinking_tokens,
            cached_tokens: count("cachedContentTokenCount"),
        };
        if usage != self.usage {
            self.usage = usage;
            chunks.push(Chunk::Usage(usage));
        }
    }
}

fn check_feedback(feedback: &Fields) -> Result<(), ModelError> {
    match feedback.text("blockReason").as_deref() {
        None | Some("" | "BLOCK_REASON_UNSPECIFIED") => Ok(()),
        Some(reason) => {
            let said = feedback.text("blockReasonMessage").map(|message| format!(": {message}"));
            Err(filtered(&format!(
                "Gemini does not answer this conversation ({reason}){}",
                said.unwrap_or_default()
            )))
        }
    }
}

fn all_thought(usage: TokenUsage) -> ModelError {
    let message = format!(
        "the model wrote as much as it may before it came to an answer ({} tokens, {} of them thinking); \
         allow more output tokens or less thinking",
        usage.output_tokens, usage.thinking_tokens
    );
    ModelError::new(ModelFailureKind::EmptyReply, message)
}
