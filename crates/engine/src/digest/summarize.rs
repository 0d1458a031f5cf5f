//! Summaries of long tool results, written by a model.
//!
//! The prompt includes the reply in which the agent called the tool. The result was masked before. A summary
//! that exceeds its limit is truncated and its stream is closed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryFutureExt};
use tarsy_agent::{Prompts, ToolSummaryInput};
use tarsy_domain::{Message, ModelFailure, ModelFailureKind, TokenUsage, prose_bytes_at_most};
use tarsy_llm::{Assembly, Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use crate::digest::ToolText;
use crate::spans;

const CUT: &str = " […]";

/// Requests summaries from a model.
#[derive(Clone)]
pub(crate) struct Summarizer {
    /// The model.
    pub(crate) model: Arc<dyn Model>,
    /// The prompt templates.
    pub(crate) prompts: Arc<Prompts>,
    /// Maximum length of a summary.
    pub(crate) max_tokens: u32,
    /// Maximum length of the input; longer results are reduced first.
    pub(crate) max_input_tokens: usize,
}

/// One summary call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSummary {
    /// The messages that were sent.
    pub request: Vec<Arc<Message>>,
    /// The reply, truncated to the limit, or the failure.
    pub outcome: Result<Assembly, ModelFailure>,
    /// Duration of the call.
    pub duration: Duration,
    /// Tracing span of the call; it closes when this is dropped.
    pub(crate) span: Span,
}

impl Summarizer {
    /// Requests a summary of `input`, the text of the result or the part of it that fits. Dropping the future
    /// cancels the call. `on_text` receives the summary while it is streamed.
    pub(crate) async fn summarize(
        &self,
        result: &ToolText<'_>,
        input: &str,
        deadline: Option<Instant>,
        on_text: impl FnMut(&str) + Send,
    ) -> ToolSummary {
        let began = Instant::now();
        let request = match self.request(result, input) {
            Ok(request) => request,
            Err(failure) => {
                let (request, span) = (Vec::new(), Span::none());
                return ToolSummary { request, outcome: Err(failure), duration: began.elapsed(), span };
            }
        };
        let stream = self.model.stream(ModelRequest {
            stop_sequences: &[],
            messages: request.clone(),
            tools: Arc::new([]),
            native_tools: NativeTools::default(),
            tags: result.tags.clone(),
        });
        let span = spans::chat(&result.tags.session_id, &self.model.origin());
        let receiving = receive(stream, self.max_bytes(), on_text).map_err(|error| error.failure);
        let receiving = receiving.instrument(span.clone());
        let outcome = match deadline {
            Some(deadline) => timeout_at(deadline, receiving).await.unwrap_or_else(|_| Err(out_of_time())),
            None => receiving.await,
        };
        ToolSummary { request, outcome: outcome.and_then(not_empty), duration: began.elapsed(), span }
    }

    fn max_bytes(&self) -> usize {
        prose_bytes_at_most(usize::try_from(self.max_tokens).unwrap_or(usize::MAX))
    }

    fn request(&self, result: &ToolText<'_>, input: &str) -> Result<Vec<Arc<Message>>, ModelFailure> {
        let briefing = ToolSummaryInput {
            tool: result.tool,
            arguments: result.arguments,
            purpose: result.purpose,
            result: input,
            max_tokens: self.max_tokens,
        };
        let rendered = self.prompts.tool_summary(&briefing);
        let rendered =
            rendered.map_err(|fault| failure(ModelFailureKind::InvalidRequest, fault.to_string()))?;
        Ok(rendered.prompt.into_iter().map(Arc::new).collect())
    }
}

/// Assembles the reply until it is complete or exceeds `max_bytes`.
async fn receive(
    mut stream: ChunkStream,
    max_bytes: usize,
    mut on_text: impl FnMut(&str) + Send,
) -> Result<Assembly, ModelError> {
    let mut assembly = Assembly::default();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        if let Chunk::Text(text) = &chunk {
            on_text(text);
        }
        assembly.add(chunk);
        let text = &mut assembly.reply.text;
        if text.len() > max_bytes {
            text.truncate(text[..text.floor_char_boundary(max_bytes)].trim_end().len());
            text.push_str(CUT);
            break;
        }
    }
    Ok(assembly)
}

fn out_of_time() -> ModelFailure {
    failure(ModelFailureKind::Timeout, "the summary was not complete in time".to_owned())
}

fn not_empty(assembly: Assembly) -> Result<Assembly, ModelFailure> {
    if assembly.reply.text.trim().is_empty() {
        return Err(failure(ModelFailureKind::EmptyReply, "the summary is empty".to_owned()));
    }
    Ok(assembly)
}

fn failure(kind: ModelFailureKind, message: String) -> ModelFailure {
    ModelFailure {
        retry_after_ms: None,
        kind,
        message,
        partial_text: String::new(),
        usage: TokenUsage::default(),
    }
}
