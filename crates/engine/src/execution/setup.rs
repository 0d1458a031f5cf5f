//! What an agent begins with: its prompt, its tools and its limits. It is recorded before anything happens.

use std::num::NonZeroU32;

use tarsy_agent::{
    AgentNotes, Alert, AtLimit, Briefing, ExecutiveSummaryBriefing, HandedOn, Limits, Rendered, ServerNotes,
    Setup, Task, TemplateFault, UnavailableServer,
};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{Message, TimelineEventType};
use tarsy_store::NewTimelineEvent;

use crate::execution::agent_tools::AgentTools;
use crate::stop::halt::Halt;
use crate::work::{Work, note};

/// What an agent is to do.
#[derive(Clone, Copy)]
pub(crate) enum Assignment<'a> {
    /// Investigate, merge, or answer.
    Task { task: Task<'a>, earlier: Option<&'a HandedOn>, runbook: Option<&'a str> },
    /// Say in a paragraph what was found.
    ExecutiveSummary { analysis: &'a str },
}

impl<'a> Assignment<'a> {
    /// The question that somebody asked, if this is to answer one.
    pub(crate) fn question(self) -> Option<&'a str> {
        match self {
            Self::Task { task: Task::Chat(chat), .. } => Some(chat.question),
            Self::Task { task: Task::Stage(_), .. } | Self::ExecutiveSummary { .. } => None,
        }
    }
}

/// A setup, and what people should know about it.
pub(crate) struct Prepared {
    pub(crate) setup: Setup,
    pub(crate) notes: Vec<NewTimelineEvent>,
}

/// Prepares an agent for its assignment. `budget` is what it may use of the session's tokens.
pub(crate) fn prepare(
    work: &Work,
    agent: &ResolvedAgent,
    tools: &AgentTools,
    assignment: Assignment<'_>,
    budget: Option<u64>,
) -> Result<Prepared, Halt> {
    let definitions = tools.definitions();
    let question = assignment.question();
    let question = question.map(|text| note(TimelineEventType::UserQuestion, None, text.to_owned()));
    let absences = tools.unavailable.iter().map(|(name, why)| absence(name, why));
    let mut notes: Vec<NewTimelineEvent> = question.into_iter().chain(absences).collect();
    let notes_of_agent = AgentNotes { name: &agent.name, instructions: agent.custom_instructions.as_deref() };
    let opening = match assignment {
        Assignment::ExecutiveSummary { analysis } => {
            let briefing = ExecutiveSummaryBriefing {
                agent: notes_of_agent,
                alert_type: &work.session.alert_type,
                analysis,
            };
            work.parts.prompts.executive_summary(&briefing)
        }
        Assignment::Task { task, earlier, runbook } => {
            let servers = server_notes(work, agent);
            let unavailable: Vec<UnavailableServer<'_>> =
                tools.unavailable.iter().map(|(name, reason)| UnavailableServer { name, reason }).collect();
            work.parts.prompts.opening(&Briefing {
                strategy: agent.iteration_strategy,
                task,
                agent: notes_of_agent,
                servers: &servers,
                unavailable_servers: &unavailable,
                tools: &definitions,
                alert: Alert { alert_type: &work.session.alert_type, data: &work.input.alert_data },
                runbook,
                earlier,
            })
        }
    };
    let opening: Vec<Message> = rendered(opening, &mut notes)?;
    let loop_kind = agent.iteration_strategy.loop_kind();
    let conclusion = work.parts.prompts.forced_conclusion(loop_kind, agent.max_iterations);
    let setup = Setup {
        strategy: agent.iteration_strategy,
        opening,
        conclusion_request: rendered(conclusion, &mut notes)?,
        conclusion_event: match assignment {
            Assignment::ExecutiveSummary { .. } => TimelineEventType::ExecutiveSummary,
            Assignment::Task { .. } => TimelineEventType::FinalAnalysis,
        },
        tools: definitions,
        limits: limits(work, agent, budget),
    };
    Ok(Prepared { setup, notes })
}

fn limits(work: &Work, agent: &ResolvedAgent, token_budget: Option<u64>) -> Limits {
    let provider = work.parts.config.providers().get(&agent.llm_provider);
    Limits {
        max_iterations: NonZeroU32::new(agent.max_iterations).unwrap_or(NonZeroU32::MIN),
        at_limit: if agent.force_conclusion { AtLimit::Conclude } else { AtLimit::Fail },
        token_budget,
        context_window: provider.and_then(|provider| provider.context_window).map(u64::from),
    }
}

fn server_notes<'a>(work: &'a Work, agent: &'a ResolvedAgent) -> Vec<ServerNotes<'a>> {
    let configured = work.parts.config.mcp_servers();
    let servers = work.selection.server_names(&agent.mcp_servers).into_iter();
    let servers = servers.filter_map(|name| Some((name, configured.get(name)?)));
    servers
        .filter_map(|(name, server)| {
            Some(ServerNotes { name, instructions: server.instructions.as_deref()? })
        })
        .collect()
}

fn absence(name: &str, why: &str) -> NewTimelineEvent {
    note(
        TimelineEventType::Warning,
        None,
        format!("The tools of MCP server `{name}` are not available: {why}"),
    )
}

/// A prompt; a template that failed and was replaced by the built-in one is a warning.
fn rendered<T>(
    rendered: Result<Rendered<T>, TemplateFault>,
    notes: &mut Vec<NewTimelineEvent>,
) -> Result<T, Halt> {
    let rendered =
        rendered.map_err(|fault| Halt::Broken(format!("a built-in prompt has a fault: {fault}")))?;
    if let Some(fault) = rendered.warning {
        let content = format!("A prompt template failed, and the built-in one was used instead: {fault}");
        notes.push(note(TimelineEventType::Warning, None, content));
    }
    Ok(rendered.prompt)
}
