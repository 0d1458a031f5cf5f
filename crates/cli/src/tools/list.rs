//! `tarsy tools`: lists servers with their health and tools.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};
use tarsy_domain::ToolName;
use tarsy_tools::{ServerHealth, ServerState, ToolInfo};
use tokio_util::sync::CancellationToken;

use super::ToolContext;
use crate::arguments::ListToolsArguments;
use crate::exit_status::{INTERRUPTED, USAGE_ERROR};
use crate::terminal::{eprint_line, single_line};

/// The maximum length of a description.
const DESCRIPTION_CHARACTERS: usize = 90;

/// A server with its tools.
struct ServerTools {
    health: ServerHealth,
    tools: Vec<ToolInfo>,
}

/// Prints servers with their tools. The exit status is 1 if a server is not ready.
pub(super) async fn list(
    context: &ToolContext,
    arguments: &ListToolsArguments,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let servers = if arguments.server.is_empty() { context.server_names() } else { arguments.server.clone() };
    let toolbox = match context.open(&servers, stop).await {
        Ok(Some(toolbox)) => toolbox,
        Ok(None) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(unknown) => {
            eprint_line(&unknown)?;
            return Ok(ExitCode::from(USAGE_ERROR));
        }
    };
    let tools = toolbox.tools();
    let rows: Vec<ServerTools> = toolbox.health().into_iter().map(|health| row(health, &tools)).collect();
    let text = if arguments.json { format!("{:#}\n", as_json(&rows)) } else { as_text(&rows) };
    write!(std::io::stdout(), "{text}").context("writing the list")?;
    toolbox.close().await;
    let all_ready = rows.iter().all(|row| row.health.state == ServerState::Ready);
    Ok(if all_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn row(health: ServerHealth, tools: &[ToolInfo]) -> ServerTools {
    let own =
        |tool: &&ToolInfo| ToolName::parse(&tool.definition.name).server() == Some(health.name.as_str());
    ServerTools { tools: tools.iter().filter(own).cloned().collect(), health }
}

fn as_text(rows: &[ServerTools]) -> String {
    if rows.is_empty() {
        return "No MCP servers are configured.\n".to_owned();
    }
    let blocks: Vec<String> = rows.iter().map(block).collect();
    blocks.join("\n")
}

/// Formats a server and its tools.
fn block(row: &ServerTools) -> String {
    let health = &row.health;
    let mut text = format!("{}  {}", health.name, health.state.as_str());
    // Writing to a String cannot fail.
    if let (Some(server), Some(version)) = (&health.server, &health.protocol_version) {
        let _ = write!(text, ", {} tools  ({}, MCP {version})", row.tools.len(), single_line(server, 60));
    }
    text.push('\n');
    if let Some(error) = &health.last_error {
        let _ = writeln!(text, "  {}", single_line(error, usize::MAX));
    }
    let width = row.tools.iter().map(|tool| tool.definition.name.chars().count()).max().unwrap_or_default();
    for tool in &row.tools {
        let (name, effect) = (&tool.definition.name, effect(tool));
        let description = single_line(&tool.definition.description, DESCRIPTION_CHARACTERS);
        let line = format!("  {name:width$}  {effect:9}  {description}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns the effect of a tool according to its server.
fn effect(tool: &ToolInfo) -> &'static str {
    match (tool.read_only, tool.destructive) {
        (true, _) => "reads",
        (false, false) => "adds",
        (false, true) => "changes",
    }
}

fn as_json(rows: &[ServerTools]) -> Value {
    let tool = |tool: &ToolInfo| {
        json!({
            "name": tool.definition.name,
            "title": tool.title,
            "description": tool.definition.description,
            "input_schema": tool.definition.input_schema,
            "read_only": tool.read_only,
            "idempotent": tool.idempotent,
            "destructive": tool.destructive,
            "open_world": tool.open_world,
        })
    };
    let server = |row: &ServerTools| {
        json!({
            "name": row.health.name,
            "state": row.health.state.as_str(),
            "last_error": row.health.last_error,
            "server": row.health.server,
            "protocol_version": row.health.protocol_version,
            "tools": row.tools.iter().map(tool).collect::<Vec<_>>(),
        })
    };
    json!({ "servers": rows.iter().map(server).collect::<Vec<_>>() })
}
