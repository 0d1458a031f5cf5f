//! Digests: tool results shortened or summarized until they fit an agent's limit.
//!
//! A pure plan comes first: show the text, show a reduced text, or request a summary. The full text is not
//! kept here; a shortened one names the id under which `read_result` finds it.

pub(crate) mod read_result;
pub(crate) mod summarize;

use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::Config;
use tarsy_config::file::{LlmBackend, Summarization};
use tarsy_domain::{TokenUsage, tokens_at_most};
use tarsy_llm::{Model, Tags};
use tarsy_tools::{Reduced, reduce};
use tokio::time::Instant;

use crate::digest::summarize::{Summarizer, ToolSummary};
use crate::{Models, SetupError};

/// Maximum number of tokens of a result that is sent to a model for a summary.
const MAX_INPUT_TOKENS: usize = 100_000;
/// The same limit for a model whose context window is unknown.
const DEFAULT_INPUT_TOKENS: usize = 16_000;

/// Digests the results of one server's tools for one agent.
#[derive(Clone)]
pub struct Digester {
    /// Results with at most this many tokens are not changed.
    threshold_tokens: usize,
    /// `None` if no model may be called.
    summarizer: Option<Summarizer>,
    /// Deadline of a summary.
    deadline: Option<Instant>,
}

/// The text of a tool result, with its call.
#[derive(Debug, Clone)]
pub struct ToolText<'a> {
    /// The id under which `read_result` finds the full text.
    pub id: &'a str,
    /// The tool name, `server.tool`.
    pub tool: &'a str,
    /// The arguments of the call, as JSON text.
    pub arguments: &'a str,
    /// The reply in which the agent called the tool.
    pub purpose: Option<&'a str>,
    /// The full text, masked.
    pub text: &'a str,
    /// Tags of the summary call. They must differ from the tags of the agent's own calls.
    pub tags: Tags,
}

/// A tool result in the form that the agent gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// The text.
    pub shown: String,
    /// How it was shortened.
    pub how: Shortening,
}

/// How a text was shortened.
#[derive(Debug, Clone, PartialEq)]
pub enum Shortening {
    /// Not at all.
    None,
    /// Repeated and less relevant parts were removed.
    Reduced,
    /// A model summarized it.
    Summarized(ToolSummary),
    /// The summary failed; the text was reduced instead.
    SummaryFailed(ToolSummary),
}

impl Shortening {
    /// Returns whether the agent gets less than the full text.
    pub(crate) fn is_shorter(&self) -> bool {
        match self {
            Self::None => false,
            Self::Reduced | Self::Summarized(_) | Self::SummaryFailed(_) => true,
        }
    }

    /// Returns the tokens that a summary used.
    pub(crate) fn usage(&self) -> TokenUsage {
        match self {
            Self::None | Self::Reduced => TokenUsage::default(),
            Self::Summarized(summary) | Self::SummaryFailed(summary) => match &summary.outcome {
                Ok(assembly) => assembly.reply.usage,
                Err(failure) => failure.usage,
            },
        }
    }
}

/// The decision about a text.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Show,
    ShowReduced(String),
    Summarize {
        input: String,
        /// The text to show if the summary fails.
        fallback: String,
    },
}

impl Digester {
    /// Creates a digester that reduces results above a number of tokens, without a model.
    fn new(threshold_tokens: usize) -> Self {
        Self { threshold_tokens, summarizer: None, deadline: None }
    }

    /// Requests a summary for results that would lose content otherwise.
    fn with_summaries(self, summarizer: Summarizer) -> Self {
        Self { summarizer: Some(summarizer), ..self }
    }

    /// Creates the digester that the configuration defines for a server, without summaries.
    ///
    /// `provider` is the provider of the agent. Its `max_tool_result_tokens` may be lower than the server's
    /// threshold, and so may half of its context window: the results of the last turns must fit into it
    /// together.
    pub fn for_server(config: &Config, server: &str, provider: &str) -> Self {
        let threshold = summarization(config, server).size_threshold_tokens;
        let half_of_window = config.context_window(provider).map(|window| window / 2);
        let configured =
            config.providers().get(provider).and_then(|provider| provider.max_tool_result_tokens);
        let limits = configured.into_iter().chain(half_of_window);
        Self::new(tokens(limits.fold(threshold, u32::min)))
    }

    /// Like [`Digester::for_server`], with summaries unless the server's section disables them.
    ///
    /// The server's section selects the model of summaries, or else the defaults; if neither does, it is
    /// `own`, the model of the agent.
    pub fn summarizing_for_server(
        models: &Models,
        prompts: Arc<Prompts>,
        server: &str,
        provider: &str,
        own: impl FnOnce() -> Result<Arc<dyn Model>, SetupError>,
    ) -> Result<Self, SetupError> {
        let config = models.config();
        let digester = Self::for_server(config, server, provider);
        let section = summarization(config, server);
        if !section.enabled {
            return Ok(digester);
        }
        let defaults = config.defaults().summarization.as_ref();
        let default = defaults.and_then(|all| all.llm_provider.as_deref());
        let named = section.llm_provider.as_deref().or(default);
        let backend = section.llm_backend.or_else(|| defaults.and_then(|all| all.llm_backend));
        let backend = backend.unwrap_or(LlmBackend::Langchain);
        Ok(digester.with_summaries(Summarizer {
            model: named.map_or_else(own, |name| models.selected_model(name, None, backend))?,
            prompts,
            max_tokens: section.summary_max_token_limit,
            max_input_tokens: max_input_tokens(config, named.unwrap_or(provider)),
        }))
    }

    /// Sets the deadline of summaries.
    pub(crate) fn with_deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Returns the number of tokens above which results are shortened.
    pub(crate) fn threshold(&self) -> usize {
        self.threshold_tokens
    }

    /// Digests a text; returns `None` if that needs a model.
    pub(crate) fn digest_without_model(&self, result: &ToolText<'_>) -> Option<Digest> {
        match self.plan(result) {
            Plan::Show => Some(Digest { shown: result.text.to_owned(), how: Shortening::None }),
            Plan::ShowReduced(shown) => Some(Digest { shown, how: Shortening::Reduced }),
            Plan::Summarize { .. } => None,
        }
    }

    fn plan(&self, result: &ToolText<'_>) -> Plan {
        let max_input = self.summarizer.as_ref().map(|summarizer| summarizer.max_input_tokens);
        plan(result.text, result.id, self.threshold_tokens, max_input)
    }

    /// Digests a text. `on_text` receives the summary while it is streamed.
    pub async fn digest(&self, result: &ToolText<'_>, on_text: impl FnMut(&str) + Send) -> Digest {
        let (input, fallback) = match self.plan(result) {
            Plan::Show => return Digest { shown: result.text.to_owned(), how: Shortening::None },
            Plan::ShowReduced(shown) => return Digest { shown, how: Shortening::Reduced },
            Plan::Summarize { input, fallback } => (input, fallback),
        };
        let Some(summarizer) = &self.summarizer else {
            return Digest { shown: fallback, how: Shortening::Reduced };
        };
        let summary = summarizer.summarize(result, &input, self.deadline, on_text).await;
        match &summary.outcome {
            Ok(assembly) => {
                let shown = format!("{}\n{}", assembly.reply.text.trim(), note(result));
                Digest { shown, how: Shortening::Summarized(summary) }
            }
            Err(_) => Digest { shown: fallback, how: Shortening::SummaryFailed(summary) },
        }
    }
}

/// Decides how to digest a text. `max_input` is the maximum number of its tokens that may be sent to a model;
/// `None` means that no model may be called.
fn plan(text: &str, id: &str, threshold_tokens: usize, max_input: Option<usize>) -> Plan {
    match (reduce(text, threshold_tokens, id), max_input) {
        (Reduced::Unchanged, _) => Plan::Show,
        (Reduced::Shorter { text, .. }, None) | (Reduced::Shorter { text, left_out: 0, .. }, Some(_)) => {
            Plan::ShowReduced(text)
        }
        (Reduced::Shorter { text: fallback, .. }, Some(max_input)) => {
            let input = match reduce(text, max_input, id) {
                Reduced::Unchanged => text.to_owned(),
                // The note is for a reader that can call `read_result`.
                Reduced::Shorter { mut text, note, .. } => {
                    text.truncate(text.len() - note.len());
                    text
                }
            };
            Plan::Summarize { input, fallback }
        }
    }
}

fn note(result: &ToolText<'_>) -> String {
    let (tokens, id) = (tokens_at_most(result.text), result.id);
    format!(
        "[This is a summary, written by a model, of a result of about {tokens} tokens. To read the result itself, call \
         read_result with id {id:?} and either lines (from, to) or a pattern to search for.]"
    )
}

/// Returns the section of a server, or the defaults for an unknown one.
fn summarization(config: &Config, server: &str) -> Summarization {
    config.mcp_servers().get(server).map(|server| server.summarization.clone()).unwrap_or_default()
}

/// Returns the maximum number of tokens that are sent for a summary. Half of the context window is reserved
/// for the reply and for errors of the token estimate.
fn max_input_tokens(config: &Config, provider: &str) -> usize {
    config
        .context_window(provider)
        .map_or(DEFAULT_INPUT_TOKENS, |window| (tokens(window) / 2).min(MAX_INPUT_TOKENS))
}

fn tokens(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
