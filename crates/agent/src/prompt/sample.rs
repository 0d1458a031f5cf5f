//! Briefings to try templates with: one that has everything and one that has next to nothing, for every strategy.
//!
//! Templates are only rendered with these to see whether they can be. No model ever sees them.

use minijinja::Value;
use serde_json::json;
use tarsy_domain::{IterationStrategy, LoopKind, ToolDefinition};

use super::briefing::{
    AgentNotes, Alert, Briefing, Chat, Exchange, ExecutiveSummaryBriefing, ServerNotes, StagePosition, Task,
    ToolSummaryBriefing, UnavailableServer,
};
use super::template::Profile;
use super::tool_list::{MoreTools, ToolList, list_tools};
use super::variables;
use crate::context::format_investigation;

/// The variables of one rendering.
pub(crate) struct Sample {
    pub(crate) profile: Profile,
    pub(crate) variables: Value,
}

/// Every sample.
pub(crate) fn all() -> Vec<Sample> {
    let openings = IterationStrategy::ALL.iter().flat_map(|strategy| openings(*strategy));
    openings.chain(executive_summaries()).chain(tool_summaries()).chain(forced_conclusions()).collect()
}

/// What an agent with a strategy begins with, in a stage and in a chat.
fn openings(strategy: IterationStrategy) -> Vec<Sample> {
    let handed_on = format_investigation(&[]);
    let tools = [tool()];
    let everything = Briefing {
        strategy,
        task: Task::Stage(StagePosition { name: "analysis", number: 2, total: 3 }),
        agent: AgentNotes { name: "Agent", instructions: Some("Look at the pods.") },
        servers: &[ServerNotes { name: "server", instructions: "Name the namespace." }],
        unavailable_servers: &[UnavailableServer { name: "other", reason: "connection refused" }],
        tools: &tools,
        alert: Alert { alert_type: "PodFailure", data: "{}" },
        runbook: Some("Look at the events."),
        earlier: Some(&handed_on),
    };
    let nothing = Briefing {
        task: Task::Stage(StagePosition { name: "analysis", number: 1, total: 1 }),
        agent: AgentNotes { instructions: None, ..everything.agent },
        servers: &[],
        unavailable_servers: &[],
        tools: &[],
        runbook: None,
        earlier: None,
        ..everything
    };
    let exchanges = &[Exchange { question: "Since when?", answer: "Since 10:02." }];
    let chat = Chat { investigation: &handed_on, exchanges, question: "Why?" };
    let briefings = [
        everything,
        nothing,
        Briefing { task: Task::Chat(chat), ..everything },
        Briefing { task: Task::Chat(Chat { exchanges: &[], ..chat }), ..nothing },
    ];
    let sample = |briefing: &Briefing<'_>| {
        let tools = if strategy.uses_tools() { list(briefing.tools) } else { ToolList::default() };
        Sample { profile: Profile::of(briefing), variables: variables::with_tools(briefing, tools) }
    };
    briefings.iter().map(sample).collect()
}

/// The tools, and some that were too many.
fn list(tools: &[ToolDefinition]) -> ToolList {
    let more = MoreTools { count: 2, names: vec!["server.another".to_owned()] };
    ToolList { more: Some(more).filter(|_| !tools.is_empty()), ..list_tools(tools) }
}

/// A tool with a parameter that has everything.
fn tool() -> ToolDefinition {
    let parameter = json!({"type": "string", "description": "Which.", "default": "a", "enum": ["a", "b"]});
    ToolDefinition {
        name: "server.tool".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: json!({"properties": {"parameter": parameter}, "required": ["parameter"]}),
    }
}

fn executive_summaries() -> Vec<Sample> {
    let summary = |instructions| {
        let agent = AgentNotes { name: "Agent", instructions };
        let briefing =
            ExecutiveSummaryBriefing { agent, alert_type: "PodFailure", analysis: "Out of memory." };
        Sample { profile: Profile::ExecutiveSummary, variables: variables::of_executive_summary(&briefing) }
    };
    vec![summary(Some("Be short.")), summary(None)]
}

fn tool_summaries() -> Vec<Sample> {
    let summary = |purpose| {
        let briefing = ToolSummaryBriefing {
            tool: "server.tool",
            arguments: "{}",
            purpose,
            result: "Much.",
            max_tokens: 1_000,
        };
        Sample { profile: Profile::ToolSummary, variables: variables::of_tool_summary(&briefing) }
    };
    vec![summary(Some("Look at the events.")), summary(None)]
}

fn forced_conclusions() -> Vec<Sample> {
    let loops = [LoopKind::React, LoopKind::FunctionCalling, LoopKind::SingleShot];
    let conclusion = |loop_kind| Sample {
        profile: Profile::ForcedConclusion,
        variables: variables::of_forced_conclusion(loop_kind, 20),
    };
    loops.into_iter().map(conclusion).collect()
}
