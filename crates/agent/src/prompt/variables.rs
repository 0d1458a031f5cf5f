//! The variables of templates: a prompt input whose untrusted texts are fenced, escaped or reduced to one
//! line.
//!
//! Because this is done here and not in the templates, an override cannot omit it. The field names are the
//! names of the template variables and are documented in `docs/prompts.md`.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;
use tarsy_domain::{LoopKind, PromptProfile};

use super::fence::fenced;
use super::input::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    StagePosition, Task, ToolSummaryInput, UnavailableServer,
};
use super::tool_list::{ListedTool, MoreTools, ToolList, list_tools};
use crate::FormattedResults;
use crate::escape::{escape_comments, one_line, short_line};

const MAX_NAME: usize = 120;
const MAX_REASON: usize = 300;

#[derive(Serialize)]
struct OpeningVariables<'a> {
    loop_kind: &'static str,
    prompt_profile: PromptProfile,
    agent: AgentVariables<'a>,
    servers: Vec<ServerVariables>,
    unavailable_servers: Vec<UnavailableVariables>,
    tools: Vec<ListedTool>,
    more_tools: Option<MoreTools>,
    alert: AlertVariables,
    runbook: Option<String>,
    earlier: Option<&'a str>,
    stage: Option<StageVariables>,
    chat: Option<ChatVariables<'a>>,
}

#[derive(Serialize)]
struct AgentVariables<'a> {
    name: String,
    instructions: Option<&'a str>,
}

#[derive(Serialize)]
struct ServerVariables {
    name: String,
    instructions: String,
}

#[derive(Serialize)]
struct UnavailableVariables {
    name: String,
    reason: String,
}

#[derive(Serialize)]
struct AlertVariables {
    r#type: String,
    /// The data in a code fence.
    block: String,
}

#[derive(Serialize)]
struct StageVariables {
    name: String,
    number: usize,
    total: usize,
}

#[derive(Serialize)]
struct ChatVariables<'a> {
    investigation: &'a str,
    exchanges: Vec<ExchangeVariables>,
    question: String,
}

#[derive(Serialize)]
struct ExchangeVariables {
    question: String,
    answer: String,
}

#[derive(Serialize)]
struct ExecutiveSummaryVariables<'a> {
    agent: AgentVariables<'a>,
    alert_type: String,
    analysis: String,
}

#[derive(Serialize)]
struct ToolSummaryVariables {
    tool: String,
    arguments: String,
    purpose: Option<String>,
    /// The result in a code fence.
    result: String,
    max_tokens: u32,
}

#[derive(Serialize)]
struct ForcedConclusionVariables {
    loop_kind: &'static str,
    iterations: u32,
}

/// Returns the variables of the opening messages of an agent.
pub(crate) fn of_opening(input: &PromptInput<'_>) -> Value {
    // A strategy with a single call has no turn in which it could use tools.
    let uses_tools = input.strategy.uses_tools();
    with_tools(input, if uses_tools { list_tools(input.tools) } else { ToolList::default() })
}

/// Returns the variables of the opening messages with a given list of tools.
pub(crate) fn with_tools(input: &PromptInput<'_>, tools: ToolList) -> Value {
    let (stage, chat) = match input.task {
        Task::Stage(stage) => (Some(stage_variables(stage)), None),
        Task::Chat(chat) => (None, Some(chat_variables(chat))),
    };
    Value::from(Serde(OpeningVariables {
        loop_kind: loop_name(input.strategy.loop_kind()),
        prompt_profile: input.prompt_profile,
        agent: agent_variables(input.agent),
        servers: input.servers.iter().filter_map(server_variables).collect(),
        unavailable_servers: input.unavailable_servers.iter().map(unavailable_variables).collect(),
        tools: tools.described,
        more_tools: tools.more,
        alert: alert_variables(input.alert),
        runbook: present(input.runbook).map(|text| escape_comments(text.trim_matches(['\r', '\n']))),
        earlier: input.earlier.map(FormattedResults::as_str),
        stage,
        chat,
    }))
}

/// Returns the variables of the executive summary.
pub(crate) fn of_executive_summary(input: &ExecutiveSummaryInput<'_>) -> Value {
    Value::from(Serde(ExecutiveSummaryVariables {
        agent: agent_variables(input.agent),
        alert_type: short_line(input.alert_type, MAX_NAME),
        analysis: escape_comments(input.analysis),
    }))
}

/// Returns the variables of the summary of a tool result.
pub(crate) fn of_tool_summary(input: &ToolSummaryInput<'_>) -> Value {
    Value::from(Serde(ToolSummaryVariables {
        tool: short_line(input.tool, MAX_NAME),
        arguments: one_line(input.arguments),
        purpose: present(input.purpose).map(escape_comments),
        result: fenced(input.result),
        max_tokens: input.max_tokens,
    }))
}

/// Returns the variables of the forced conclusion.
pub(crate) fn of_forced_conclusion(loop_kind: LoopKind, iterations: u32) -> Value {
    Value::from(Serde(ForcedConclusionVariables { loop_kind: loop_name(loop_kind), iterations }))
}

const fn loop_name(loop_kind: LoopKind) -> &'static str {
    match loop_kind {
        LoopKind::React => "react",
        LoopKind::FunctionCalling => "function-calling",
        LoopKind::SingleShot => "single-shot",
    }
}

fn agent_variables(agent: PromptAgent<'_>) -> AgentVariables<'_> {
    let instructions = present(agent.instructions).map(str::trim);
    AgentVariables { name: short_line(agent.name, MAX_NAME), instructions }
}

fn server_variables(server: &PromptServer<'_>) -> Option<ServerVariables> {
    let instructions = present(Some(server.instructions)).map(|text| escape_comments(text.trim()))?;
    Some(ServerVariables { name: short_line(server.name, MAX_NAME), instructions })
}

fn unavailable_variables(server: &UnavailableServer<'_>) -> UnavailableVariables {
    UnavailableVariables {
        name: short_line(server.name, MAX_NAME),
        reason: short_line(server.reason, MAX_REASON),
    }
}

fn alert_variables(alert: PromptAlert<'_>) -> AlertVariables {
    AlertVariables { r#type: short_line(alert.alert_type, MAX_NAME), block: fenced(alert.data) }
}

fn stage_variables(stage: StagePosition<'_>) -> StageVariables {
    StageVariables { name: short_line(stage.name, MAX_NAME), number: stage.number, total: stage.total }
}

fn chat_variables(chat: ChatTask<'_>) -> ChatVariables<'_> {
    let exchange = |exchange: &ChatExchange<'_>| ExchangeVariables {
        question: escape_comments(exchange.question),
        answer: escape_comments(exchange.answer),
    };
    ChatVariables {
        investigation: chat.investigation.as_str(),
        exchanges: chat.exchanges.iter().map(exchange).collect(),
        question: escape_comments(chat.question),
    }
}

/// Returns the text, unless it is blank.
fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}
