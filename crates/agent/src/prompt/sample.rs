//! Sample inputs for the validation of templates: with each optional part present and absent, for every
//! strategy.
//!
//! They are only rendered to find errors and are never sent to a model.

use std::sync::Arc;

use minijinja::Value;
use serde_json::json;
use tarsy_domain::{IterationStrategy, LoopKind, PromptProfile, ToolDefinition};

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

/// Returns all samples.
pub(crate) fn all() -> Vec<Sample> {
    let inputs = IterationStrategy::ALL
        .iter()
        .flat_map(|strategy| PromptProfile::ALL.iter().flat_map(|profile| openings(*strategy, *profile)));
    inputs.chain(executive_summaries()).chain(tool_summaries()).chain(forced_conclusions()).collect()
}

/// Copies an optional part from one input to another.
type Optional = for<'a> fn(&mut PromptInput<'a>, &PromptInput<'a>);

const OPTIONAL: [Optional; 7] = [
    |input, other| input.task = other.task,
    |input, other| input.agent = other.agent,
    |input, other| input.servers = other.servers,
    |input, other| input.unavailable_servers = other.unavailable_servers,
    |input, other| input.tools = other.tools,
    |input, other| input.runbook = other.runbook,
    |input, other| input.earlier = other.earlier,
];

/// Returns the openings of a strategy: in a stage and, once per loop, in a chat.
fn openings(strategy: IterationStrategy, prompt_profile: PromptProfile) -> Vec<Sample> {
    let results = format_investigation(&[]);
    let tools = tools();
    let everything = PromptInput {
        strategy,
        prompt_profile,
        task: Task::Stage(StagePosition { name: "analysis", number: 2, total: 3 }),
        agent: PromptAgent { name: "Agent", instructions: Some("Look at the pods.") },
        servers: &[PromptServer { name: "server", instructions: "Name the namespace." }],
        unavailable_servers: &[UnavailableServer { name: "other", reason: "connection refused" }],
        tools: &tools,
        alert: PromptAlert { alert_type: "PodFailure", data: "{}" },
        runbook: Some("Look at the events."),
        earlier: Some(&results),
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
        let chat = ChatTask { investigation: &results, exchanges, question: "Why?" };
        samples.extend(between(
            PromptInput { task: Task::Chat(chat), ..everything },
            PromptInput { task: Task::Chat(ChatTask { exchanges: &[], ..chat }), ..nothing },
        ));
    }
    samples
}

/// Returns samples in which each optional part is the only one present and the only one absent, so that every
/// pair of parts occurs in all combinations. Also returns one sample for every list of tools.
fn between(everything: PromptInput<'_>, nothing: PromptInput<'_>) -> Vec<Sample> {
    let mut inputs = vec![everything, nothing];
    for copy in OPTIONAL {
        for (mut input, other) in [(everything, nothing), (nothing, everything)] {
            copy(&mut input, &other);
            inputs.push(input);
        }
    }
    let with_list = |input: &PromptInput<'_>, list| Sample {
        profile: Profile::of(input),
        variables: variables::with_tools(input, list),
    };
    let mut samples: Vec<Sample> = inputs.iter().map(|input| with_list(input, list_for(input))).collect();
    if everything.strategy.uses_tools() {
        samples.extend(lists(everything.tools).into_iter().map(|list| with_list(&everything, list)));
    }
    samples
}

fn list_for(input: &PromptInput<'_>) -> ToolList {
    if !input.strategy.uses_tools() || input.tools.is_empty() {
        return ToolList::default();
    }
    let more = MoreTools { count: 2, names: vec!["server.another".to_owned()] };
    ToolList { more: Some(more), ..list_tools(input.tools) }
}

/// Returns lists with all tools, with each tool alone, and with a tool that has too many parameters.
fn lists(tools: &[Arc<ToolDefinition>]) -> Vec<ToolList> {
    let mut lists: Vec<ToolList> = tools.chunks(1).chain([tools]).map(list_tools).collect();
    let mut too_many = list_tools(&tools[1..]);
    too_many.described.iter_mut().for_each(|tool| tool.left_out = 2);
    lists.push(too_many);
    lists
}

/// Returns a tool without parameters, and tools whose parameters have all properties, no properties, or
/// nested fields.
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
        let input = ExecutiveSummaryInput { agent, alert_type: "PodFailure", analysis: "Out of memory." };
        Sample { profile: Profile::ExecutiveSummary, variables: variables::of_executive_summary(&input) }
    };
    vec![summary(Some("Be short.")), summary(None)]
}

fn tool_summaries() -> Vec<Sample> {
    let summary = |purpose| {
        let input = ToolSummaryInput {
            tool: "server.tool",
            arguments: "{}",
            purpose,
            result: "Much.",
            max_tokens: 1_000,
        };
        Sample { profile: Profile::ToolSummary, variables: variables::of_tool_summary(&input) }
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
