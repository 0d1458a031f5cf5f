//! Makes the result of a tool short enough to think about, and says what it did.
//!
//! What to do is decided first, without a model: show the text, show less of it, or ask for a summary. The whole text
//! is kept by somebody else, under the id that a shortened one names; `read_result` reads in it.

pub(crate) mod read_result;
pub(crate) mod summarize;

use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::Config;
use tarsy_config::file::Summarization;
use tarsy_domain::{TokenUsage, tokens_at_most};
use tarsy_llm::{Model, Tags};
use tarsy_tools::{Reduced, reduce};
use tokio::time::Instant;

use crate::{Models, SetupError, Summarizer, Summary};

/// The most of a result that a model reads to summarise it, and what it reads if its window is not known.
const MOST_READ_TOKENS: usize = 100_000;
const USUALLY_READ_TOKENS: usize = 16_000;

/// Shortens results of one server's tools for one agent.
#[derive(Clone)]
pub struct Digester {
    /// Results of up to so many tokens are shown as they are.
    threshold_tokens: usize,
    /// None where no model may be asked.
    summarizer: Option<Summarizer>,
    /// When a summary must be complete.
    deadline: Option<Instant>,
}

/// The text of a result, with what there is to know about the call.
#[derive(Debug, Clone)]
pub struct ToolText<'a> {
    /// What `read_result` finds the whole text by.
    pub id: &'a str,
    /// The tool, `server.tool`.
    pub tool: &'a str,
    /// What it was called with, as JSON.
    pub arguments: &'a str,
    /// What the agent was thinking when it asked.
    pub purpose: Option<&'a str>,
    /// The whole text, masked.
    pub text: &'a str,
    /// Whose call a summary is. The agent's own turns should not be named like it.
    pub tags: Tags,
}

/// What an agent is shown of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// The text.
    pub shown: String,
    /// How it came about.
    pub how: Shortening,
}

/// What was done to a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Shortening {
    /// Nothing.
    None,
    /// What says little was left out.
    Reduced,
    /// A model summarised it.
    Summarised(Summary),
    /// A model should have, and could not: what says least was left out.
    SummaryFailed(Summary),
}

impl Shortening {
    /// What it cost.
    pub fn usage(&self) -> TokenUsage {
        match self {
            Self::None | Self::Reduced => TokenUsage::default(),
            Self::Summarised(summary) | Self::SummaryFailed(summary) => match &summary.answer {
                Ok(answer) => answer.reply.usage,
                Err(failure) => failure.usage,
            },
        }
    }
}

/// What is to be done with a text.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Show,
    ShowReduced(String),
    Summarise { input: String, or_else: String },
}

impl Digester {
    /// Shortens above a number of tokens, without a model.
    pub fn new(threshold_tokens: usize) -> Self {
        Self { threshold_tokens, summarizer: None, deadline: None }
    }

    /// Asks for a summary where parts would be left out otherwise.
    #[must_use]
    pub fn with_summaries(self, summarizer: Summarizer) -> Self {
        Self { summarizer: Some(summarizer), ..self }
    }

    /// As the configuration wants it for a server, without a model.
    ///
    /// `provider` is that of the agent, whose model may not be able to take as much as the server's section allows.
    pub fn for_server(config: &Config, server: &str, provider: &str) -> Self {
        let wanted = summarization(config, server).size_threshold_tokens;
        let provider = config.providers().get(provider);
        let taken = provider.and_then(|provider| provider.max_tool_result_tokens).unwrap_or(u32::MAX);
        Self::new(tokens(wanted.min(taken)))
    }

    /// The same with summaries, unless the server's section turns them off.
    ///
    /// They are written by the model that the server's section names, or the defaults, or else by the agent's `own`.
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
        let everybodys = config.defaults().summarization.as_ref().and_then(|all| all.llm_provider.as_deref());
        let named = section.llm_provider.as_deref().or(everybodys);
        Ok(digester.with_summaries(Summarizer {
            model: named.map_or_else(own, |name| models.model(name))?,
            prompts,
            max_tokens: section.summary_max_token_limit,
            reads_tokens: reads_tokens(config, named.unwrap_or(provider)),
        }))
    }

    /// The same without asking a model.
    #[must_use]
    pub fn without_summaries(self) -> Self {
        Self { summarizer: None, ..self }
    }

    /// The same with an end to the time that a summary may take.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Above how many tokens results are shortened.
    pub fn threshold(&self) -> usize {
        self.threshold_tokens
    }

    /// Makes a text short enough if no model is needed for it.
    pub fn digest_now(&self, result: &ToolText<'_>) -> Option<Digest> {
        match self.plan(result) {
            Plan::Show => Some(Digest { shown: result.text.to_owned(), how: Shortening::None }),
            Plan::ShowReduced(shown) => Some(Digest { shown, how: Shortening::Reduced }),
            Plan::Summarise { .. } => None,
        }
    }

    fn plan(&self, result: &ToolText<'_>) -> Plan {
        let reads = self.summarizer.as_ref().map(|summarizer| summarizer.reads_tokens);
        plan(result.text, result.id, self.threshold_tokens, reads)
    }

    /// Makes a text short enough. `told` gets a summary as it is written.
    pub async fn digest(&self, result: &ToolText<'_>, told: impl FnMut(&str) + Send) -> Digest {
        let (input, or_else) = match self.plan(result) {
            Plan::Show => return Digest { shown: result.text.to_owned(), how: Shortening::None },
            Plan::ShowReduced(shown) => return Digest { shown, how: Shortening::Reduced },
            Plan::Summarise { input, or_else } => (input, or_else),
        };
        let Some(summarizer) = &self.summarizer else {
            return Digest { shown: or_else, how: Shortening::Reduced };
        };
        let summary = summarizer.summarize(result, &input, self.deadline, told).await;
        match &summary.answer {
            Ok(answer) => {
                let shown = format!("{}\n{}", answer.reply.text.trim(), note(result));
                Digest { shown, how: Shortening::Summarised(summary) }
            }
            Err(_) => Digest { shown: or_else, how: Shortening::SummaryFailed(summary) },
        }
    }
}

/// Decides what is to be done with a text. `reads` is how much of it a model would read, if one may be asked.
fn plan(text: &str, id: &str, threshold_tokens: usize, reads: Option<usize>) -> Plan {
    match (reduce(text, threshold_tokens, id), reads) {
        (Reduced::Unchanged, _) => Plan::Show,
        (Reduced::Shorter { text, .. }, None) | (Reduced::Shorter { text, left_out: 0, .. }, Some(_)) => {
            Plan::ShowReduced(text)
        }
        (Reduced::Shorter { text: or_else, .. }, Some(reads)) => {
            let input = match reduce(text, reads, id) {
                Reduced::Unchanged => text.to_owned(),
                // The note is for who can call a tool.
                Reduced::Shorter { mut text, note, .. } => {
                    text.truncate(text.len() - note.len());
                    text
                }
            };
            Plan::Summarise { input, or_else }
        }
    }
}

fn note(result: &ToolText<'_>) -> String {
    let (tokens, id) = (tokens_at_most(result.text), result.id);
    format!(
        "[A model's summary of a result of about {tokens} tokens. To read the result itself, call read_result with id \
         {id:?} and either lines (from, to) or a pattern to search for.]"
    )
}

/// How a server's results are shortened; one that nobody knows has the usual limits.
fn summarization(config: &Config, server: &str) -> Summarization {
    config.mcp_servers().get(server).map(|server| server.summarization.clone()).unwrap_or_default()
}

/// Half of a model's window is left for what it writes, and for what the estimate does not know.
fn reads_tokens(config: &Config, provider: &str) -> usize {
    let window = config.providers().get(provider).and_then(|provider| provider.context_window);
    window.map_or(USUALLY_READ_TOKENS, |window| (tokens(window) / 2).min(MOST_READ_TOKENS))
}

fn tokens(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
