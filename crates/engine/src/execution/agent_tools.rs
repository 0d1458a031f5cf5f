//! The tools that one execution has at hand: those of its MCP servers, and reading in long results.

use std::sync::Arc;

use tarsy_config::ResolvedAgent;
use tarsy_domain::{READ_RESULT, ToolDefinition, ToolName, resolve_tool_name};
use tarsy_tools::{ServerState, ToolBox, ToolInfo};
use tracing::warn;

use crate::Caller;
use crate::digest::read_result::read_result_definition;
use crate::work::Work;

/// The tools of an execution.
pub(crate) struct AgentTools {
    /// None for an agent that calls no tools.
    pub(crate) toolbox: Option<ToolBox>,
    tools: Vec<ToolInfo>,
    /// Servers that should be there, and why they are not.
    pub(crate) unavailable: Vec<(String, String)>,
}

impl AgentTools {
    /// Connects to the servers of an agent. One that cannot be reached is no error.
    pub(crate) async fn open(work: &Work, agent: &ResolvedAgent, caller: Caller<'_>) -> Self {
        let mut unavailable = Vec::new();
        let wanted = work.selection.server_names(&agent.mcp_servers);
        if !agent.iteration_strategy.uses_tools() || wanted.is_empty() {
            return Self { toolbox: None, tools: Vec::new(), unavailable };
        }
        let configured = work.parts.config.mcp_servers();
        let (known, gone): (Vec<String>, Vec<String>) =
            wanted.into_iter().map(str::to_owned).partition(|name| configured.contains_key(name));
        unavailable.extend(gone.into_iter().map(|name| (name, "it is not configured".to_owned())));
        let toolbox = match work.parts.servers.open(&known, caller, &work.mask).await {
            Ok(toolbox) => toolbox,
            Err(error) => {
                warn!(%error, "an agent has no tools");
                return Self { toolbox: None, tools: Vec::new(), unavailable };
            }
        };
        let down = toolbox.health().into_iter().filter(|health| health.state != ServerState::Ready);
        unavailable.extend(down.map(|health| {
            (health.name, health.last_error.unwrap_or_else(|| "it is still being started".to_owned()))
        }));
        let allowed = toolbox.tools().into_iter();
        let tools = allowed.filter(|tool| work.selection.allows(ToolName::parse(&tool.definition.name))).collect();
        Self { toolbox: Some(toolbox), tools, unavailable }
    }

    /// The tools as they are described to a model.
    pub(crate) fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        let mut definitions: Vec<Arc<ToolDefinition>> =
            self.tools.iter().map(|tool| Arc::clone(&tool.definition)).collect();
        if !definitions.is_empty() {
            definitions.push(read_result_definition());
        }
        definitions
    }

    /// Whether a call whose end nobody knows may be made again.
    pub(crate) fn may_repeat(&self, name: &str) -> bool {
        let names = self.tools.iter().map(|tool| tool.definition.name.as_str()).chain([READ_RESULT]);
        match resolve_tool_name(name, names) {
            Ok(name) => {
                name == READ_RESULT
                    || self.tools.iter().any(|tool| tool.definition.name == name && tool.may_repeat())
            }
            // No tool had the name when this was opened, but one may have by the time it is called.
            Err(_) => false,
        }
    }

    /// Ends the servers that are this execution's alone.
    pub(crate) async fn close(&self) {
        if let Some(toolbox) = &self.toolbox {
            toolbox.close().await;
        }
    }
}
