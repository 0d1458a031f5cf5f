//! Briefings to try templates with: with everything, with next to nothing, and in between, for every strategy.
//!
//! Templates are only rendered with these to see whether they can be. No model ever sees them.

use std::sync::Arc;

use minijinja::Value;
use serde_json::json;
use tarsy_domain::{IterationStrategy, LoopKind, ToolDefinition};

use super::input::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    StagePosition, Task, ToolSummaryInput, UnavailableServer,
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

/// Copies something that an agent may or may not have from one briefing to another.
type Optional = for<'a> fn(&mut PromptInput<'a>, &PromptInput<'a>);

const OPTIONAL: [Optional; 7] = [
    |briefing, other| briefing.task = other.task,
    |briefing, other| briefing.agent = other.agent,
    |briefing, other| briefing.servers = other.servers,
    |briefing, other| briefing.unavailable_servers = other.unavailable_servers,
    |briefing, other| briefing.tools = other.tools,
    |briefing, other| briefing.runbook = other.runbook,
    |briefing, other| briefing.earlier = other.earlier,
];

/// What an agent with a strategy begins with, in a stage and, once for each loop, in a chat.
fn openings(strategy: IterationStrategy) -> Vec<Sample> {
    let handed_on = format_investigation(&[]);
    let tools = tools();
    let everything = PromptInput {
        strategy,
        task: Task::Stage(StagePosition { name: "analysis", number: 2, total: 3 }),
        agent: PromptAgent { name: "Agent", instructions: Some("Look at the pods.") },
        servers: &[PromptServer { name: "server", instructions: "Name the namespace." }],
        unavailable_servers: &[UnavailableServer { name: "other", reason: "connection refused" }],
        tools: &tools,
        alert: PromptAlert { alert_type: "PodFailure", data: "{}" },
        runbook: Some("Look at the events."),
        earlier: Some(&handed_on),
    };
    let nothing = PromptInput {
        task: Task::Stage(StagePosition { name: "analysis", number: 1, total: 1 }),
        agent: PromptAgent { instructions: None, ..everything.agent },
        servers: &[],
        unavailable_servers: &[],
        tools: &[],
        runbook: None,
        earlier: None,
        ..everything
    };
    let mut samples = between(everything, nothing);
    if Profile::of(&everything) == Profile::Investigation {
        let exchanges = &[ChatExchange { question: "Since when?", answer: "Since 10:02." }];
        let chat = ChatTask { investigation: &handed_on, exchanges, question: "Why?" };
        samples.extend(between(
            PromptInput { task: Task::Chat(chat), ..everything },
            PromptInput { task: Task::Chat(ChatTask { exchanges: &[], ..chat }), ..nothing },
        ));
    }
    samples
}

/// Each optional thing there while the others are not, and the other way round, so that any two of them meet in every
/// way; and every list of tools.
fn between(everything: PromptInput<'_>, nothing: PromptInput<'_>) -> Vec<Sample> {
    let mut briefings = vec![everything, nothing];
    for copy in OPTIONAL {
        for (mut briefing, other) in [(everything, nothing), (nothing, everything)] {
            copy(&mut briefing, &other);
            briefings.push(briefing);
        }
    }
    let with_list = |briefing: &PromptInput<'_>, list| Sample {
        profile: Profile::of(briefing),
        variables: variables::with_tools(briefing, list),
    };
    let mut samples: Vec<Sample> =
        briefings.iter().map(|briefing| with_list(briefing, list_for(briefing))).collect();
    if everything.strategy.uses_tools() {
        samples.extend(lists(everything.tools).into_iter().map(|list| with_list(&everything, list)));
    }
    samples
}

fn list_for(briefing: &PromptInput<'_>) -> ToolList {
    if !briefing.strategy.uses_tools() || briefing.tools.is_empty() {
        return ToolList::default();
    }
    let more = MoreTools { count: 2, names: vec!["server.another".to_owned()] };
    ToolList { more: Some(more), ..list_tools(briefing.tools) }
}

/// All tools without more of them, each tool alone, and one that has too many parameters.
fn lists(tools: &[Arc<ToolDefinition>]) -> Vec<ToolList> {
    let mut lists: Vec<ToolList> = tools.chunks(1).chain([tools]).map(list_tools).collect();
    let mut too_many = list_tools(&tools[1..]);
    too_many.described.iter_mut().for_each(|tool| tool.left_out = 2);
    lists.push(too_many);
    lists
}

/// A tool without parameters, and some with parameters that have everything, nothing, or fields.
fn tools() -> Vec<Arc<ToolDefinition>> {
    let everything = json!({"type": "string", "description": "Which.", "default": "a", "enum": ["a", "b"]});
    let fields = json!({"properties": {"a": everything, "b": {}}, "required": ["a"]});
    let tool = |name: &str, description: &str, input_schema| {
        let (name, description) = (name.to_owned(), description.to_owned());
        Arc::new(ToolDefinition { name, description, input_schema })
    };
    vec![
        tool("server.nothing", "", json!({})),
        tool("server.all", "Reads.", json!({"properties": {"all": everything}, "required": ["all"]})),
        tool("server.bare", "", json!({"properties": {"bare": {}}})),
        tool("server.nested", "Reads.", json!({"properties": {"in": fields, "list": {"items": fields}}})),
    ]
}

fn executive_summaries() -> Vec<Sample> {
    let summary = |instructions| {
        let agent = PromptAgent { name: "Agent", instructions };
        let briefing = ExecutiveSummaryInput { agent, alert_type: "PodFailure", analysis: "Out of memory." };
        Sample { profile: Profile::ExecutiveSummary, variables: variables::of_executive_summary(&briefing) }
    };
    vec![summary(Some("Be short.")), summary(None)]
}

fn tool_summaries() -> Vec<Sample> {
    let summary = |purpose| {
        let briefing = ToolSummaryInput {
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
