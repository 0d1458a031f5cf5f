//! The setup of an agent: its prompt, tools and limits. It is recorded before the run starts.

use std::num::NonZeroU32;

use tarsy_agent::{
    AtLimit, ChatExchange, Handover, Limits, Rendered, RunRules, Setup, StagePosition, TemplateError,
    collected_results,
};
use tarsy_config::{Config, ResolvedAgent, RulesVersion};
use tarsy_domain::{Message, PromptProfile, TimelineEventType};
use tarsy_store::NewTimelineEvent;

use crate::execution::agent_tools::AgentTools;
use crate::execution::opening::Opening;
use crate::session_work::{SessionWork, timeline_entry};
use crate::stop::halt::Halt;

/// Largest context window, in tokens, for which the prompt profile is compact by default.
const COMPACT_WINDOW: u32 = 16_384;
/// Number of consecutive turns without news after which an agent must conclude.
const MAX_TURNS_WITHOUT_NEWS: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// The assignment of an agent.
#[derive(Clone, Copy)]
pub(crate) enum AgentAssignment<'a> {
    /// Investigate in a stage, or merge results.
    Stage { position: StagePosition<'a>, earlier: &'a Handover, runbook: Option<&'a str> },
    /// Answer a chat question.
    Chat {
        investigation: &'a Handover,
        exchanges: &'a [ChatExchange<'a>],
        question: &'a str,
        runbook: Option<&'a str>,
    },
    /// Summarize the analysis in one paragraph.
    ExecutiveSummary { analysis: &'a str },
}

impl<'a> AgentAssignment<'a> {
    /// Returns the chat question, if there is one.
    pub(crate) fn question(self) -> Option<&'a str> {
        match self {
            Self::Chat { question, .. } => Some(question),
            Self::Stage { .. } | Self::ExecutiveSummary { .. } => None,
        }
    }

    /// Returns whether there are tool results of earlier agents that `read_result` finds.
    fn has_readable_results(self) -> bool {
        match self {
            Self::Stage { earlier: handover, .. } | Self::Chat { investigation: handover, .. } => {
                collected_results(handover.stages()).next().is_some()
            }
            Self::ExecutiveSummary { .. } => false,
        }
    }

    /// Returns the rules of its run. A chat question may need no tool: the record may contain the answer.
    fn rules(self, version: RulesVersion, tools: &AgentTools, max_failed_calls: NonZeroU32) -> RunRules {
        if version < RulesVersion::DATA_REQUIRED {
            return RunRules::default();
        }
        let request_tool_call = match self {
            // Earlier results alone are no reason for a call.
            Self::Stage { .. } => tools.has_tools(),
            Self::Chat { .. } | Self::ExecutiveSummary { .. } => false,
        };
        RunRules {
            max_failed_calls: Some(max_failed_calls),
            request_tool_call,
            max_turns_without_news: Some(MAX_TURNS_WITHOUT_NEWS),
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
    max_failed_calls: NonZeroU32,
) -> Result<Prepared, Halt> {
    let offered = tools.offered(agent, assignment.has_readable_results());
    let prompt_profile = prompt_profile(&work.resources.config, agent);
    let question = assignment.question();
    let question =
        question.map(|text| timeline_entry(TimelineEventType::UserQuestion, None, text.to_owned()));
    let warnings = tools.unavailable.iter().map(|(name, reason)| unavailable_server(name, reason));
    let mut notes: Vec<NewTimelineEvent> = question.into_iter().chain(warnings).collect();
    let opening = Opening { work, agent, prompt_profile, tools, offered: &offered.tools };
    let opening = opening.render(assignment);
    let opening: Vec<Message> = rendered(opening, &mut notes)?;
    let loop_kind = agent.iteration_strategy.loop_kind();
    let conclusion = work.resources.prompts.forced_conclusion(loop_kind, agent.max_iterations);
    let setup = Setup {
        strategy: agent.iteration_strategy,
        prompt_profile,
        opening,
        conclusion_request: rendered(conclusion, &mut notes)?,
        conclusion_event: match assignment {
            AgentAssignment::ExecutiveSummary { .. } => TimelineEventType::ExecutiveSummary,
            AgentAssignment::Stage { .. } | AgentAssignment::Chat { .. } => TimelineEventType::FinalAnalysis,
        },
        tools: offered.tools,
        result_reader: offered.result_reader,
        limits: limits(work, agent, budget),
        rules: assignment.rules(work.chain.rules, tools, max_failed_calls),
    };
    Ok(Prepared { setup, notes })
}

/// Returns the configured profile, or else one that suits the context window of the model.
fn prompt_profile(config: &Config, agent: &ResolvedAgent) -> PromptProfile {
    let is_small = config.agent_context_window(agent).is_some_and(|window| window <= COMPACT_WINDOW);
    let default = if is_small { PromptProfile::Compact } else { PromptProfile::Full };
    agent.prompt_profile.unwrap_or(default)
}

fn limits(work: &SessionWork, agent: &ResolvedAgent, token_budget: Option<u64>) -> Limits {
    Limits {
        max_iterations: NonZeroU32::new(agent.max_iterations).unwrap_or(NonZeroU32::MIN),
        at_limit: if agent.force_conclusion { AtLimit::Conclude } else { AtLimit::Fail },
        token_budget,
        context_window: work.resources.config.agent_context_window(agent).map(u64::from),
    }
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
