//! The tools of a recorded session: what each MCP server offered, and what it answered.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use tarsy_config::Config;
use tarsy_domain::{ToolDefinition, ToolResult, resolve_tool_name};
use tarsy_store::{StoreError, ToolRun};
use utoipa::ToSchema;

use super::recorded::{RecordedExecution, RecordedSession};
use crate::view::investigation::recorded_json;

/// The one tool that no server has: it reads in results, and a replay does so again.
const READ_RESULT: &str = "tarsy.read_result";

/// An MCP server as the agents of a session knew it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CassetteServer {
    /// What agents are told about it, as it is configured now.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    /// How long results are made short, as it is configured now.
    #[serde(skip_serializing_if = "Option::is_none")]
    summarization: Option<CassetteSummarization>,
    /// Its tools as agents saw them.
    definitions: Vec<CassetteTool>,
    /// What it was asked and answered, execution by execution, in order.
    calls: Vec<CassetteToolCall>,
}

/// How long results are made short.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteSummarization {
    enabled: bool,
    size_threshold_tokens: u32,
    summary_max_token_limit: u32,
}

/// A tool.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteTool {
    /// Its name at its server.
    name: String,
    description: String,
    /// The JSON Schema of its arguments.
    input_schema: Value,
}

/// A call of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteToolCall {
    /// Who called, `stage/agent`.
    agent: String,
    /// The tool's name at its server.
    tool: String,
    /// The arguments: an object, or else the text that the model wrote.
    arguments: Value,
    /// All that came back, masked, before it was made shorter.
    result: String,
    /// What kind of failure it was, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    duration_ms: u64,
}

/// The servers of a session, by name.
pub(super) fn servers(
    recorded: &RecordedSession,
    config: &Config,
) -> Result<BTreeMap<String, CassetteServer>, StoreError> {
    let mut servers = BTreeMap::new();
    for one in recorded.investigating() {
        for tool in tools(one) {
            offer(&mut servers, tool, config);
        }
        let agent = recorded.name_of(&one.execution);
        for (_, run) in recorded.tool_calls(&one.execution) {
            answer(&mut servers, one, &agent, run)?;
        }
    }
    Ok(servers)
}

fn tools(one: &RecordedExecution) -> impl Iterator<Item = &ToolDefinition> {
    one.setup.tools.iter().filter(|tool| tool.name != READ_RESULT)
}

/// Puts a tool onto its server, once.
fn offer(servers: &mut BTreeMap<String, CassetteServer>, tool: &ToolDefinition, config: &Config) {
    let Some((server, name)) = tool.name.split_once('.') else { return };
    let known =
        servers.entry(server.to_owned()).or_insert_with(|| CassetteServer::configured(config, server));
    if known.definitions.iter().all(|known| known.name != name) {
        known.definitions.push(CassetteTool {
            name: name.to_owned(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
        });
    }
}

/// Puts a call onto the server that answered it. A name that no tool has was answered by no server.
fn answer(
    servers: &mut BTreeMap<String, CassetteServer>,
    one: &RecordedExecution,
    agent: &str,
    run: &ToolRun,
) -> Result<(), StoreError> {
    let tool = run.tool.as_deref().unwrap_or_default();
    let written = if run.server.is_empty() { tool.to_owned() } else { format!("{}.{tool}", run.server) };
    let known = one.setup.tools.iter().map(|tool| tool.name.as_str());
    let Ok(name) = resolve_tool_name(&written, known) else { return Ok(()) };
    let server = name.split_once('.').and_then(|(server, tool)| Some((servers.get_mut(server)?, tool)));
    if let Some((server, tool)) = server.filter(|_| name != READ_RESULT) {
        server.calls.push(CassetteToolCall {
            agent: agent.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments(run.arguments.as_deref().unwrap_or_default()),
            result: result(run)?,
            error: run.error_message.clone(),
            duration_ms: run.duration_ms,
        });
    }
    Ok(())
}

fn arguments(text: &str) -> Value {
    let object = serde_json::from_str(text).ok().filter(Value::is_object);
    object.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The whole result, so that a replay makes it short by itself and can read in it. Of a call whose outcome is unknown
/// there is only what the agent was told.
fn result(run: &ToolRun) -> Result<String, StoreError> {
    match (&run.result, &run.told) {
        (Some(result), _) => Ok(result.clone()),
        (None, Some(told)) => Ok(recorded_json::<ToolResult>(told, "told")?.content),
        (None, None) => Ok(String::new()),
    }
}

impl CassetteServer {
    /// A server with what the configuration says about it; nobody recorded that.
    fn configured(config: &Config, name: &str) -> Self {
        let Some(server) = config.mcp_servers().get(name) else { return Self::default() };
        let summarization = CassetteSummarization {
            enabled: server.summarization.enabled,
            size_threshold_tokens: server.summarization.size_threshold_tokens,
            summary_max_token_limit: server.summarization.summary_max_token_limit,
        };
        Self {
            instructions: server.instructions.clone(),
            summarization: Some(summarization),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_config::Environment;
    use tarsy_domain::{ExecutionKind, SessionStatus, WorkStatus};
    use tarsy_store::{Happening, McpInteraction};
    use tarsy_testkit::tool_run;

    use super::*;
    use crate::view::fixture::{at, execution, input, session};

    const SETUP: &str = r#"{ "tools": [
        { "name": "kubernetes-server.pods_list", "description": "Lists.", "input_schema": {} },
        { "name": "tarsy.read_result", "description": "Reads.", "input_schema": {} }
    ] }"#;

    /// A session in which an agent made these calls.
    fn recorded(calls: Vec<ToolRun>) -> RecordedSession {
        let execution = execution("A", ExecutionKind::Agent, WorkStatus::Completed);
        let execution_id = execution.identity.execution_id;
        let tool_calls = (1..).zip(calls).map(|(step, run)| McpInteraction { execution_id, step, run });
        RecordedSession {
            session: session(SessionStatus::Completed),
            input: input(),
            runbook: String::new(),
            stages: Vec::new(),
            tool_calls: tool_calls.collect(),
            executions: vec![RecordedExecution::read(execution, Some(SETUP), Vec::new()).unwrap()],
            model_calls: Vec::new(),
        }
    }

    fn call(server: &str, tool: &str, arguments: &str) -> ToolRun {
        let Happening::Tool(run) = tool_run(tarsy_domain::ExecutionId::new(), "three pods", at(1)).happening
        else {
            panic!("a tool answers")
        };
        ToolRun {
            server: server.to_owned(),
            tool: Some(tool.to_owned()),
            arguments: Some(arguments.to_owned()),
            ..run
        }
    }

    fn servers_of(calls: Vec<ToolRun>) -> Value {
        let config = Config::load(None, &Environment::default()).unwrap().config;
        serde_json::to_value(servers(&recorded(calls), &config).unwrap()).unwrap()
    }

    #[test]
    fn a_server_has_its_tools_and_the_calls_that_reached_it() {
        let calls = vec![
            call("kubernetes-server", "pods_list", r#"{"namespace":"shop"}"#),
            call("", "pods_list", "{cut off"),
            call("tarsy", "read_result", r#"{"id":"r1"}"#),
            call("kubernetes-server", "pods_eat", "{}"),
        ];
        let servers = servers_of(calls);
        let [name] = servers.as_object().unwrap().keys().collect::<Vec<_>>()[..] else { panic!("{servers}") };
        assert_eq!(name, "kubernetes-server");
        let server = &servers["kubernetes-server"];
        assert!(server["summarization"]["size_threshold_tokens"].is_u64(), "{server}");
        assert_eq!(
            server["definitions"],
            json!([{ "name": "pods_list", "description": "Lists.", "input_schema": {} }])
        );
        let expected = json!([
            { "agent": "A", "tool": "pods_list", "arguments": { "namespace": "shop" }, "result": "three pods", "duration_ms": 12 },
            { "agent": "A", "tool": "pods_list", "arguments": "{cut off", "result": "three pods", "duration_ms": 12 },
        ]);
        assert_eq!(server["calls"], expected);
    }

    #[test]
    fn of_a_call_with_an_unknown_outcome_there_is_what_the_agent_was_told() {
        let unknown = ToolRun {
            result: None,
            error_message: Some("the outcome is unknown".to_owned()),
            ..call("kubernetes-server", "pods_list", "{}")
        };
        let call = &servers_of(vec![unknown])["kubernetes-server"]["calls"][0];
        assert_eq!(
            (&call["result"], &call["error"]),
            (&json!("three pods"), &json!("the outcome is unknown"))
        );
    }
}
