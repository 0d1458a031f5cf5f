//! The MCP servers of a recorded session: the tools that each offered, and the calls it received.

use std::collections::BTreeMap;

use serde_json::Value;
use tarsy_config::Config;
use tarsy_domain::{
    READ_RESULT, RecordedServer, RecordedSummarization, RecordedTool, RecordedToolCall, ToolDefinition,
    ToolName, resolve_tool_name,
};
use tarsy_store::ToolRun;

use super::records::{ExecutionRecords, SessionRecords};

/// Returns the servers of a session by name.
pub(super) fn servers(records: &SessionRecords, config: &Config) -> BTreeMap<String, RecordedServer> {
    let mut servers = BTreeMap::new();
    for one in records.investigating() {
        for tool in tools(one) {
            add_tool(&mut servers, tool, config);
        }
        let agent = records.name_of(&one.execution);
        for (_, run) in records.tool_calls(&one.execution) {
            add_call(&mut servers, one, &agent, run);
        }
    }
    servers
}

fn tools(one: &ExecutionRecords) -> impl Iterator<Item = &ToolDefinition> {
    one.setup.tools.iter().filter(|tool| tool.name != READ_RESULT)
}

/// Adds a tool to its server unless it is known.
fn add_tool(servers: &mut BTreeMap<String, RecordedServer>, tool: &ToolDefinition, config: &Config) {
    let name = ToolName::parse(&tool.name);
    let (Some(server), name) = (name.server(), name.tool()) else { return };
    let known = servers.entry(server.to_owned()).or_insert_with(|| configured_server(config, server));
    if known.definitions.iter().all(|known| known.name != name) {
        known.definitions.push(RecordedTool {
            name: name.to_owned(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
        });
    }
}

/// Adds a call to the server that received it. A call of an unknown tool reached no server.
fn add_call(
    servers: &mut BTreeMap<String, RecordedServer>,
    one: &ExecutionRecords,
    agent: &str,
    run: &ToolRun,
) {
    let tool = run.tool.as_deref().unwrap_or_default();
    let written = ToolName::from_parts(&run.server, tool).to_string();
    let known = one.setup.tools.iter().map(|tool| tool.name.as_str());
    let Ok(name) = resolve_tool_name(&written, known) else { return };
    if name == READ_RESULT {
        return;
    }
    let (server, tool) = ToolName::parse(name).into_parts();
    if let Some(server) = servers.get_mut(server) {
        server.calls.push(RecordedToolCall {
            agent: agent.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments(run.arguments.as_deref().unwrap_or_default()),
            result: result(run),
            error: run.error_message.clone(),
            duration_ms: run.duration_ms,
        });
    }
}

fn arguments(text: &str) -> Value {
    let object = serde_json::from_str(text).ok().filter(Value::is_object);
    object.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Returns the complete result, because a replay shortens it again and lets agents read in it. If the outcome
/// of the call is unknown, returns the text that was delivered to the agent.
fn result(run: &ToolRun) -> String {
    let delivered = || run.delivered.as_ref().map(|result| result.content.clone());
    run.result.clone().or_else(delivered).unwrap_or_default()
}

/// Creates a server with its configured instructions and limits, which are not recorded with a session.
fn configured_server(config: &Config, name: &str) -> RecordedServer {
    let Some(server) = config.mcp_servers().get(name) else { return RecordedServer::default() };
    let summarization = RecordedSummarization {
        enabled: server.summarization.enabled,
        size_threshold_tokens: server.summarization.size_threshold_tokens,
        summary_max_token_limit: server.summarization.summary_max_token_limit,
    };
    RecordedServer {
        instructions: server.instructions.clone(),
        summarization: Some(summarization),
        ..RecordedServer::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_config::Environment;
    use tarsy_domain::{ExecutionKind, SessionStatus, WorkStatus};
    use tarsy_store::{McpInteraction, StepPayload};
    use tarsy_testkit::tool_step;

    use super::*;
    use crate::view::fixture::{at, execution, input, session};

    const SETUP: &str = r#"{ "tools": [
        { "name": "kubernetes-server.pods_list", "description": "Lists.", "input_schema": {} },
        { "name": "tarsy.read_result", "description": "Reads.", "input_schema": {} }
    ] }"#;

    /// A session in which an agent made these calls.
    fn recorded(calls: Vec<ToolRun>) -> SessionRecords {
        let execution = execution("A", ExecutionKind::Agent, WorkStatus::Completed);
        let execution_id = execution.identity.execution_id;
        let tool_calls = (1..).zip(calls).map(|(step, run)| McpInteraction { execution_id, step, run });
        SessionRecords {
            session: session(SessionStatus::Completed),
            input: input(),
            runbook: String::new(),
            stages: Vec::new(),
            tool_calls: tool_calls.collect(),
            executions: vec![ExecutionRecords::read(execution, Some(SETUP), Vec::new()).unwrap()],
            model_calls: Vec::new(),
        }
    }

    fn call(server: &str, tool: &str, arguments: &str) -> ToolRun {
        let StepPayload::Tool(run) = tool_step(tarsy_domain::ExecutionId::new(), "three pods", at(1)).payload
        else {
            panic!("not a tool step")
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
        serde_json::to_value(servers(&recorded(calls), &config)).unwrap()
    }

    #[test]
    fn lists_the_tools_of_a_server_and_the_calls_that_reached_it() {
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
    fn a_call_with_an_unknown_outcome_keeps_the_delivered_text() {
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
