//! What a prompt is made from: everything that one agent, or one small job, is told.
//!
//! Whoever starts an agent fills in a briefing; which template it goes into follows from the task and the strategy.
//! Texts are given as they are. Fencing and escaping happen on the way into the template.

use std::sync::Arc;

use tarsy_domain::{IterationStrategy, ToolDefinition};

use crate::FormattedResults;

/// What an agent is told before it begins.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    /// How the agent works.
    pub strategy: IterationStrategy,
    /// What it is to do.
    pub task: Task<'a>,
    /// Who it is.
    pub agent: PromptAgent<'a>,
    /// The servers whose tools it may use, as far as there is something to say about them.
    pub servers: &'a [PromptServer<'a>],
    /// The servers whose tools it should have had.
    pub unavailable_servers: &'a [UnavailableServer<'a>],
    /// The tools it may call.
    pub tools: &'a [Arc<ToolDefinition>],
    /// The alert.
    pub alert: PromptAlert<'a>,
    /// The runbook for the alert.
    pub runbook: Option<&'a str>,
    /// What earlier stages, or the agents whose results are merged, hand on; see [`format_for_strategy`](crate::format_for_strategy).
    pub earlier: Option<&'a FormattedResults>,
}

/// What an agent is to do.
#[derive(Debug, Clone, Copy)]
pub enum Task<'a> {
    /// Work on an alert, in a stage of a chain.
    Stage(StagePosition<'a>),
    /// Answer a question about an investigation.
    Chat(ChatTask<'a>),
}

/// Where a stage stands in its chain.
#[derive(Debug, Clone, Copy)]
pub struct StagePosition<'a> {
    /// The stage's name.
    pub name: &'a str,
    /// Its number, from 1.
    pub number: usize,
    /// How many stages the chain has.
    pub total: usize,
}

/// An agent, and what the configuration tells it.
#[derive(Debug, Clone, Copy)]
pub struct PromptAgent<'a> {
    /// Its name.
    pub name: &'a str,
    /// The custom instructions.
    pub instructions: Option<&'a str>,
}

/// What the configuration says about a tool server.
#[derive(Debug, Clone, Copy)]
pub struct PromptServer<'a> {
    /// The server's name.
    pub name: &'a str,
    /// How to use its tools.
    pub instructions: &'a str,
}

/// A tool server that could not be reached.
#[derive(Debug, Clone, Copy)]
pub struct UnavailableServer<'a> {
    /// The server's name.
    pub name: &'a str,
    /// What went wrong.
    pub reason: &'a str,
}

/// An alert as it came in.
#[derive(Debug, Clone, Copy)]
pub struct PromptAlert<'a> {
    /// Its type.
    pub alert_type: &'a str,
    /// Its text, whatever that is.
    pub data: &'a str,
}

/// A conversation about an investigation.
#[derive(Debug, Clone, Copy)]
pub struct ChatTask<'a> {
    /// What was investigated, see [`format_investigation`](crate::format_investigation).
    pub investigation: &'a FormattedResults,
    /// What was asked and answered before.
    pub exchanges: &'a [ChatExchange<'a>],
    /// The question to answer.
    pub question: &'a str,
}

/// A question and its answer.
#[derive(Debug, Clone, Copy)]
pub struct ChatExchange<'a> {
    /// What somebody asked.
    pub question: &'a str,
    /// What the agent answered.
    pub answer: &'a str,
}

/// What the executive summary is made from.
#[derive(Debug, Clone, Copy)]
pub struct ExecutiveSummaryInput<'a> {
    /// Who writes it.
    pub agent: PromptAgent<'a>,
    /// The type of the alert.
    pub alert_type: &'a str,
    /// The final analysis.
    pub analysis: &'a str,
}

/// What the summary of a long tool result is made from.
#[derive(Debug, Clone, Copy)]
pub struct ToolSummaryInput<'a> {
    /// The tool, `server.tool`.
    pub tool: &'a str,
    /// What it was called with, as JSON.
    pub arguments: &'a str,
    /// What the agent was thinking when it asked.
    pub purpose: Option<&'a str>,
    /// What the tool answered.
    pub result: &'a str,
    /// How long the summary may be.
    pub max_tokens: u32,
}
