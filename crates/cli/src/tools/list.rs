//! `tarsy tools`: servers, their health and their tools.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};
use tarsy_domain::ToolName;
use tarsy_tools::{ServerHealth, ServerState, ToolInfo};
use tokio_util::sync::CancellationToken;

use super::Bench;
use crate::arguments::ListToolsArguments;
use crate::exit_status::{INTERRUPTED, MISUSED};
use crate::terminal::{line_of, say};

/// How much of a description stands beside a tool.
const DESCRIPTION_CHARACTERS: usize = 90;

/// A server with its tools.
struct Row {
    health: ServerHealth,
    tools: Vec<ToolInfo>,
}

/// Prints servers with their tools; a server that cannot be used makes the exit status 1.
pub(super) async fn list(
    bench: &Bench,
    arguments: &ListToolsArguments,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let servers = if arguments.server.is_empty() { bench.server_names() } else { arguments.server.clone() };
    let toolbox = match bench.open(&servers, stop).await {
        Ok(Some(toolbox)) => toolbox,
        Ok(None) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(unknown) => {
            say(&unknown)?;
            return Ok(ExitCode::from(MISUSED));
        }
    };
    let tools = toolbox.tools();
    let rows: Vec<Row> = toolbox.health().into_iter().map(|health| row(health, &tools)).collect();
    let text = if arguments.json { format!("{:#}\n", as_json(&rows)) } else { as_text(&rows) };
    write!(std::io::stdout(), "{text}").context("writing the list")?;
    toolbox.close().await;
    let all_ready = rows.iter().all(|row| row.health.state == ServerState::Ready);
    Ok(if all_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn row(health: ServerHealth, tools: &[ToolInfo]) -> Row {
    let own = |tool: &&ToolInfo| {
        ToolName::parse(&tool.definition.name).server() == Some(health.name.as_str())
    };
    Row { tools: tools.iter().filter(own).cloned().collect(), health }
}

fn as_text(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "No MCP servers are configured.\n".to_owned();
    }
    let blocks: Vec<String> = rows.iter().map(block).collect();
    blocks.join("\n")
}

/// A server on a line, its tools below it.
fn block(row: &Row) -> String {
    let health = &row.health;
    let mut text = format!("{}  {}", health.name, health.state.as_str());
    // Writing to a String cannot fail.
    if let (Some(server), Some(version)) = (&health.server, &health.protocol_version) {
        let _ = write!(text, ", {} tools  ({}, MCP {version})", row.tools.len(), line_of(server, 60));
    }
    text.push('\n');
    if let Some(error) = &health.last_error {
        let _ = writeln!(text, "  {}", line_of(error, usize::MAX));
    }
    let width = row.tools.iter().map(|tool| tool.definition.name.chars().count()).max().unwrap_or_default();
    for tool in &row.tools {
        let (name, effect) = (&tool.definition.name, effect(tool));
        let description = line_of(&tool.definition.description, DESCRIPTION_CHARACTERS);
        let line = format!("  {name:width$}  {effect:9}  {description}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// What the server says a tool does to what is there.
fn effect(tool: &ToolInfo) -> &'static str {
    match (tool.read_only, tool.destructive) {
        (true, _) => "reads",
        (false, false) => "adds",
        (false, true) => "changes",
    }
}

fn as_json(rows: &[Row]) -> Value {
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
    let server = |row: &Row| {
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
