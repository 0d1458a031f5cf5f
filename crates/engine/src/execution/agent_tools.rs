//! The tools of one execution: those of its MCP servers, and `read_result`.

use std::sync::Arc;

use tarsy_config::ResolvedAgent;
use tarsy_domain::{READ_RESULT, ToolDefinition, ToolName, resolve_tool_name};
use tarsy_tools::{ServerState, ToolBox, ToolInfo};
use tracing::warn;

use crate::Caller;
use crate::digest::read_result::read_result_definition;
use crate::session_work::SessionWork;

/// The tools of an execution.
pub(crate) struct AgentTools {
    /// `None` for an agent that calls no tools.
    pub(crate) toolbox: Option<ToolBox>,
    tools: Vec<ToolInfo>,
    /// Servers of the agent that are not available, with the reason.
    pub(crate) unavailable: Vec<(String, String)>,
}

/// The tools that a model gets.
pub(crate) struct ToolOffer {
    /// The tools that are offered from the start.
    pub(crate) tools: Vec<Arc<ToolDefinition>>,
    /// `read_result`, if it is offered later.
    pub(crate) result_reader: Option<Arc<ToolDefinition>>,
}

impl AgentTools {
    /// Connects to the servers of an agent. An unreachable server is not an error.
    pub(crate) async fn open(work: &SessionWork, agent: &ResolvedAgent, caller: Caller<'_>) -> Self {
        let mut unavailable = Vec::new();
        let wanted = work.selection.server_names(&agent.mcp_servers);
        if !agent.iteration_strategy.uses_tools() || wanted.is_empty() {
            return Self { toolbox: None, tools: Vec::new(), unavailable };
        }
        let configured = work.resources.config.mcp_servers();
        let (known, unknown): (Vec<String>, Vec<String>) =
            wanted.into_iter().map(str::to_owned).partition(|name| configured.contains_key(name));
        unavailable.extend(unknown.into_iter().map(|name| (name, "it is not configured".to_owned())));
        let toolbox = match work.resources.servers.open(&known, caller, &work.mask).await {
            Ok(toolbox) => toolbox,
            Err(error) => {
                warn!(%error, "cannot open the toolbox; the agent runs without tools");
                return Self { toolbox: None, tools: Vec::new(), unavailable };
            }
        };
        let down = toolbox.health().into_iter().filter(|health| health.state != ServerState::Ready);
        unavailable.extend(down.map(|health| {
            (health.name, health.last_error.unwrap_or_else(|| "the server is still starting".to_owned()))
        }));
        let allowed = toolbox.tools().into_iter();
        let tools =
            allowed.filter(|tool| work.selection.allows(ToolName::parse(&tool.definition.name))).collect();
        Self { toolbox: Some(toolbox), tools, unavailable }
    }

    /// Returns whether the servers of the agent have tools.
    pub(crate) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Returns the tools for the model. `read_result` is among them if there are results of earlier agents;
    /// otherwise it is offered after the first result that was shortened.
    pub(crate) fn offered(&self, agent: &ResolvedAgent, readable_results: bool) -> ToolOffer {
        let tools = self.tools.iter().map(|tool| Arc::clone(&tool.definition));
        let mut offer = ToolOffer { tools: tools.collect(), result_reader: None };
        if readable_results && agent.iteration_strategy.uses_tools() {
            offer.tools.push(read_result_definition());
        } else if !offer.tools.is_empty() {
            offer.result_reader = Some(read_result_definition());
        }
        offer
    }

    /// Returns whether a call with an unknown outcome may be repeated.
    pub(crate) fn may_repeat(&self, name: &str) -> bool {
        let names = self.tools.iter().map(|tool| tool.definition.name.as_str()).chain([READ_RESULT]);
        match resolve_tool_name(name, names) {
            Ok(name) => {
                name == READ_RESULT
                    || self.tools.iter().any(|tool| tool.definition.name == name && tool.may_repeat())
            }
            // A tool of this name may appear between now and the call.
            Err(_) => false,
        }
    }

    /// Stops the servers that belong to this execution only.
    pub(crate) async fn close(&self) {
        if let Some(toolbox) = &self.toolbox {
            toolbox.close().await;
        }
    }
}
