//! A summary of a long tool result, written by a model.
//!
//! The model is told what the agent was after. What it is given has been masked before. A model that writes too much is
//! stopped.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryFutureExt};
use tarsy_agent::{Prompts, ToolSummaryBriefing};
use tarsy_domain::{Message, ModelFailure, ModelFailureKind, TokenUsage, prose_bytes_at_most};
use tarsy_llm::{Assembly, Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use crate::digest::ToolText;
use crate::spans;

const CUT: &str = " […]";

/// Asks a model for summaries.
#[derive(Clone)]
pub struct Summarizer {
    /// The model.
    pub model: Arc<dyn Model>,
    /// How it is asked.
    pub prompts: Arc<Prompts>,
    /// How long a summary may be.
    pub max_tokens: u32,
    /// How much of a result the model reads; of a longer one it gets what matters most.
    pub reads_tokens: usize,
}

/// One call of a model for a summary, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What the model was asked.
    pub request: Vec<Arc<Message>>,
    /// What it answered, the text as far as it is used; or why it did not.
    pub answer: Result<Assembly, ModelFailure>,
    /// How long it took.
    pub duration: Duration,
    /// What it is traced by; it ends with this.
    pub(crate) span: Span,
}

impl Summarizer {
    /// Asks for a summary of `input`, which is the text of the result or what fits of it. Dropping the future ends the
    /// call. `told` gets the summary as it is written.
    pub(crate) async fn summarize(
        &self,
        result: &ToolText<'_>,
        input: &str,
        deadline: Option<Instant>,
        told: impl FnMut(&str) + Send,
    ) -> Summary {
        let began = Instant::now();
        let request = match self.request(result, input) {
            Ok(request) => request,
            Err(failure) => {
                let (request, span) = (Vec::new(), Span::none());
                return Summary { request, answer: Err(failure), duration: began.elapsed(), span };
            }
        };
        let stream = self.model.stream(ModelRequest {
            messages: request.clone(),
            tools: Arc::new([]),
            native_tools: NativeTools::default(),
            tags: result.tags.clone(),
        });
        let span = spans::chat(&result.tags.session_id, &self.model.origin());
        let listening = listen(stream, self.max_bytes(), told).map_err(|error| error.failure);
        let listening = listening.instrument(span.clone());
        let answer = match deadline {
            Some(deadline) => timeout_at(deadline, listening).await.unwrap_or_else(|_| Err(out_of_time())),
            None => listening.await,
        };
        Summary { request, answer: answer.and_then(not_empty), duration: began.elapsed(), span }
    }

    fn max_bytes(&self) -> usize {
        prose_bytes_at_most(usize::try_from(self.max_tokens).unwrap_or(usize::MAX))
    }

    fn request(&self, result: &ToolText<'_>, input: &str) -> Result<Vec<Arc<Message>>, ModelFailure> {
        let briefing = ToolSummaryBriefing {
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

/// Puts the reply together until it is complete or has used up its bytes.
async fn listen(
    mut stream: ChunkStream,
    max_bytes: usize,
    mut told: impl FnMut(&str) + Send,
) -> Result<Assembly, ModelError> {
    let mut assembly = Assembly::default();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        if let Chunk::Text(text) = &chunk {
            told(text);
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
    failure(ModelFailureKind::Timeout, "the summary was not complete within the iteration's time".to_owned())
}

fn not_empty(assembly: Assembly) -> Result<Assembly, ModelFailure> {
    if assembly.reply.text.trim().is_empty() {
        return Err(failure(ModelFailureKind::EmptyReply, "the summary is empty".to_owned()));
    }
    Ok(assembly)
}

fn failure(kind: ModelFailureKind, message: String) -> ModelFailure {
    ModelFailure { kind, message, partial_text: String::new(), usage: TokenUsage::default() }
}
