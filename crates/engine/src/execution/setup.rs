//! The setup of an agent: its prompt, tools and limits. It is recorded before the run starts.

use std::num::NonZeroU32;

use tarsy_agent::{
    AtLimit, ExecutiveSummaryInput, FormattedResults, Limits, PromptAgent, PromptAlert, PromptInput,
    PromptServer, Rendered, Setup, Task, TemplateError, UnavailableServer,
};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{Message, TimelineEventType};
use tarsy_store::NewTimelineEvent;

use crate::execution::agent_tools::AgentTools;
use crate::session_work::{SessionWork, timeline_entry};
use crate::stop::halt::Halt;

/// The assignment of an agent.
#[derive(Clone, Copy)]
pub(crate) enum AgentAssignment<'a> {
    /// Investigate, merge results, or answer a chat question.
    Task { task: Task<'a>, earlier: Option<&'a FormattedResults>, runbook: Option<&'a str> },
    /// Summarize the analysis in one paragraph.
    ExecutiveSummary { analysis: &'a str },
}

impl<'a> AgentAssignment<'a> {
    /// Returns the chat question, if there is one.
    pub(crate) fn question(self) -> Option<&'a str> {
        match self {
            Self::Task { task: Task::Chat(chat), .. } => Some(chat.question),
            Self::Task { task: Task::Stage(_), .. } | Self::ExecutiveSummary { .. } => None,
        }
    }
}

/// A setup with the timeline entries that belong to it.
pub(crate) struct Prepared {
    pub(crate) setup: Setup,
    pub(crate) notes: Vec<NewTimelineEvent>,
}

/// Prepares an agent for its assignment. `budget` is its share of the session's token budget.
pub(crate) fn prepare(
    work: &SessionWork,
    agent: &ResolvedAgent,
    tools: &AgentTools,
    assignment: AgentAssignment<'_>,
    budget: Option<u64>,
) -> Result<Prepared, Halt> {
    let definitions = tools.definitions();
    let question = assignment.question();
    let question =
        question.map(|text| timeline_entry(TimelineEventType::UserQuestion, None, text.to_owned()));
    let warnings = tools.unavailable.iter().map(|(name, reason)| unavailable_server(name, reason));
    let mut notes: Vec<NewTimelineEvent> = question.into_iter().chain(warnings).collect();
    let notes_of_agent =
        PromptAgent { name: &agent.name, instructions: agent.custom_instructions.as_deref() };
    let opening = match assignment {
        AgentAssignment::ExecutiveSummary { analysis } => {
            let briefing = ExecutiveSummaryInput {
                agent: notes_of_agent,
                alert_type: &work.session.alert_type,
                analysis,
            };
            work.resources.prompts.executive_summary(&briefing)
        }
        AgentAssignment::Task { task, earlier, runbook } => {
            let servers = server_notes(work, agent);
            let unavailable: Vec<UnavailableServer<'_>> =
                tools.unavailable.iter().map(|(name, reason)| UnavailableServer { name, reason }).collect();
            work.resources.prompts.opening(&PromptInput {
                strategy: agent.iteration_strategy,
                task,
                agent: notes_of_agent,
                servers: &servers,
                unavailable_servers: &unavailable,
                tools: &definitions,
                alert: PromptAlert { alert_type: &work.session.alert_type, data: &work.input.alert_data },
                runbook,
                earlier,
            })
        }
    };
    let opening: Vec<Message> = rendered(opening, &mut notes)?;
    let loop_kind = agent.iteration_strategy.loop_kind();
    let conclusion = work.resources.prompts.forced_conclusion(loop_kind, agent.max_iterations);
    let setup = Setup {
        strategy: agent.iteration_strategy,
        opening,
        conclusion_request: rendered(conclusion, &mut notes)?,
        conclusion_event: match assignment {
            AgentAssignment::ExecutiveSummary { .. } => TimelineEventType::ExecutiveSummary,
            AgentAssignment::Task { .. } => TimelineEventType::FinalAnalysis,
        },
        tools: definitions,
        limits: limits(work, agent, budget),
    };
    Ok(Prepared { setup, notes })
}

fn limits(work: &SessionWork, agent: &ResolvedAgent, token_budget: Option<u64>) -> Limits {
    let provider = work.resources.config.providers().get(&agent.llm_provider);
    Limits {
        max_iterations: NonZeroU32::new(agent.max_iterations).unwrap_or(NonZeroU32::MIN),
        at_limit: if agent.force_conclusion { AtLimit::Conclude } else { AtLimit::Fail },
        token_budget,
        context_window: provider.and_then(|provider| provider.context_window).map(u64::from),
    }
}

fn server_notes<'a>(work: &'a SessionWork, agent: &'a ResolvedAgent) -> Vec<PromptServer<'a>> {
    let configured = work.resources.config.mcp_servers();
    let servers = work.selection.server_names(&agent.mcp_servers).into_iter();
    let servers = servers.filter_map(|name| Some((name, configured.get(name)?)));
    servers
        .filter_map(|(name, server)| {
            Some(PromptServer { name, instructions: server.instructions.as_deref()? })
        })
        .collect()
}

fn unavailable_server(name: &str, reason: &str) -> NewTimelineEvent {
    timeline_entry(
        TimelineEventType::Warning,
        None,
        format!("The tools of MCP server `{name}` are not available: {reason}"),
    )
}

/// Returns the prompt. If a template failed and the built-in one was used instead, adds a warning.
fn rendered<T>(
    rendered: Result<Rendered<T>, TemplateError>,
    notes: &mut Vec<NewTimelineEvent>,
) -> Result<T, Halt> {
    let rendered =
        rendered.map_err(|fault| Halt::Broken(format!("a built-in prompt template failed: {fault}")))?;
    if let Some(fault) = rendered.warning {
        let content = format!("A prompt template failed, and the built-in one was used instead: {fault}");
        notes.push(timeline_entry(TimelineEventType::Warning, None, content));
    }
    Ok(rendered.prompt)
}
