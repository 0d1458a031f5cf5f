//! The inputs of prompts.
//!
//! The caller fills in an input; the template follows from the task and the strategy. Texts are passed
//! unchanged; they are fenced and escaped when the template variables are built.

use std::sync::Arc;

use tarsy_domain::{IterationStrategy, PromptProfile, ToolDefinition};

use crate::FormattedResults;

/// The input of the opening messages of an agent.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    /// Iteration strategy.
    pub strategy: IterationStrategy,
    /// Profile of the prompt.
    pub prompt_profile: PromptProfile,
    /// Task of the agent.
    pub task: Task<'a>,
    /// The agent.
    pub agent: PromptAgent<'a>,
    /// MCP servers of the agent that have instructions.
    pub servers: &'a [PromptServer<'a>],
    /// MCP servers of the agent that are unavailable.
    pub unavailable_servers: &'a [UnavailableServer<'a>],
    /// Tools the agent can call.
    pub tools: &'a [Arc<ToolDefinition>],
    /// The alert.
    pub alert: PromptAlert<'a>,
    /// The runbook for the alert.
    pub runbook: Option<&'a str>,
    /// Results of earlier stages, or of the agents that are merged; see
    /// [`format_for_strategy`](crate::format_for_strategy).
    pub earlier: Option<&'a FormattedResults>,
}

/// The task of an agent.
#[derive(Debug, Clone, Copy)]
pub enum Task<'a> {
    /// Work on the alert in a stage of a chain.
    Stage(StagePosition<'a>),
    /// Reply to a question about an investigation.
    Chat(ChatTask<'a>),
}

/// The position of a stage in its chain.
#[derive(Debug, Clone, Copy)]
pub struct StagePosition<'a> {
    /// Name of the stage.
    pub name: &'a str,
    /// Number of the stage, starting at 1.
    pub number: usize,
    /// Number of stages of the chain.
    pub total: usize,
}

/// An agent and its instructions from the configuration.
#[derive(Debug, Clone, Copy)]
pub struct PromptAgent<'a> {
    /// Name of the agent.
    pub name: &'a str,
    /// Custom instructions.
    pub instructions: Option<&'a str>,
}

/// An MCP server and its instructions from the configuration.
#[derive(Debug, Clone, Copy)]
pub struct PromptServer<'a> {
    /// Name of the server.
    pub name: &'a str,
    /// How to use its tools.
    pub instructions: &'a str,
}

/// An MCP server that is unavailable.
#[derive(Debug, Clone, Copy)]
pub struct UnavailableServer<'a> {
    /// Name of the server.
    pub name: &'a str,
    /// Reason.
    pub reason: &'a str,
}

/// An alert.
#[derive(Debug, Clone, Copy)]
pub struct PromptAlert<'a> {
    /// Type of the alert.
    pub alert_type: &'a str,
    /// Data of the alert, in any format.
    pub data: &'a str,
}

/// A question in the chat about an investigation.
#[derive(Debug, Clone, Copy)]
pub struct ChatTask<'a> {
    /// The investigation, see [`format_investigation`](crate::format_investigation).
    pub investigation: &'a FormattedResults,
    /// Earlier questions and replies.
    pub exchanges: &'a [ChatExchange<'a>],
    /// The question.
    pub question: &'a str,
}

/// An earlier question and its reply.
#[derive(Debug, Clone, Copy)]
pub struct ChatExchange<'a> {
    /// The question.
    pub question: &'a str,
    /// The reply of the agent.
    pub answer: &'a str,
}

/// The input of an executive summary.
#[derive(Debug, Clone, Copy)]
pub struct ExecutiveSummaryInput<'a> {
    /// The agent that writes it.
    pub agent: PromptAgent<'a>,
    /// Type of the alert.
    pub alert_type: &'a str,
    /// The final analysis.
    pub analysis: &'a str,
}

/// The input of a summary of a long tool result.
#[derive(Debug, Clone, Copy)]
pub struct ToolSummaryInput<'a> {
    /// The tool, `server.tool`.
    pub tool: &'a str,
    /// Arguments of the call, as JSON.
    pub arguments: &'a str,
    /// Thought of the agent that led to the call.
    pub purpose: Option<&'a str>,
    /// Result of the tool.
    pub result: &'a str,
    /// Maximum number of tokens of the summary.
    pub max_tokens: u32,
}
