//! The opening messages of an agent, with the results of earlier stages shortened until they fit.

use std::sync::Arc;

use tarsy_agent::{
    ChatTask, ExecutiveSummaryInput, FormattedResults, Handover, PromptAgent, PromptAlert, PromptInput,
    PromptServer, Rendered, Task, TemplateError, UnavailableServer, format_handover,
};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{Message, PromptProfile, ToolDefinition};

use crate::execution::agent_tools::AgentTools;
use crate::execution::setup::AgentAssignment;
use crate::handover::budget::PromptSize;
use crate::handover::fit::fit;
use crate::session_work::SessionWork;

/// What the opening of an agent is rendered from, apart from its assignment.
pub(crate) struct Opening<'a> {
    pub(crate) work: &'a SessionWork,
    pub(crate) agent: &'a ResolvedAgent,
    pub(crate) prompt_profile: PromptProfile,
    pub(crate) tools: &'a AgentTools,
    /// The tools that are offered from the start.
    pub(crate) offered: &'a [Arc<ToolDefinition>],
}

impl Opening<'_> {
    /// Renders the messages for an assignment.
    pub(crate) fn render(
        &self,
        assignment: AgentAssignment<'_>,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        match assignment {
            AgentAssignment::ExecutiveSummary { analysis } => {
                let input = ExecutiveSummaryInput {
                    agent: self.prompt_agent(),
                    alert_type: &self.work.session.alert_type,
                    analysis,
                };
                self.work.resources.prompts.executive_summary(&input)
            }
            AgentAssignment::Stage { earlier: handover, .. }
            | AgentAssignment::Chat { investigation: handover, .. } => {
                self.render_to_fit(assignment, handover)
            }
        }
    }

    /// Renders the messages without results first, to know how much space they leave.
    fn render_to_fit(
        &self,
        assignment: AgentAssignment<'_>,
        handover: &Handover,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        let without = self.render_with(assignment, &format_handover(&Handover::default()))?;
        if handover.is_empty() {
            return Ok(without);
        }
        let config = &self.work.resources.config;
        let size = PromptSize::of(config, self.agent, &without.prompt, self.offered);
        self.render_with(assignment, &fit(handover.clone(), size.tokens_for_results()))
    }

    fn render_with(
        &self,
        assignment: AgentAssignment<'_>,
        results: &FormattedResults,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        let (task, earlier, runbook) = match assignment {
            AgentAssignment::Stage { position, runbook, .. } => {
                let earlier = Some(results).filter(|results| !results.as_str().is_empty());
                (Task::Stage(position), earlier, runbook)
            }
            AgentAssignment::Chat { exchanges, question, runbook, .. } => {
                (Task::Chat(ChatTask { investigation: results, exchanges, question }), None, runbook)
            }
            AgentAssignment::ExecutiveSummary { .. } => return self.render(assignment),
        };
        let servers = self.servers();
        let unavailable = self.tools.unavailable.iter();
        let unavailable: Vec<UnavailableServer<'_>> =
            unavailable.map(|(name, reason)| UnavailableServer { name, reason }).collect();
        self.work.resources.prompts.opening(&PromptInput {
            strategy: self.agent.iteration_strategy,
            prompt_profile: self.prompt_profile,
            task,
            agent: self.prompt_agent(),
            servers: &servers,
            unavailable_servers: &unavailable,
            tools: self.offered,
            alert: PromptAlert {
                alert_type: &self.work.session.alert_type,
                data: &self.work.input.alert_data,
            },
            runbook,
            earlier,
        })
    }

    fn prompt_agent(&self) -> PromptAgent<'_> {
        PromptAgent { name: &self.agent.name, instructions: self.agent.custom_instructions.as_deref() }
    }

    /// Returns the servers of the agent that have instructions.
    fn servers(&self) -> Vec<PromptServer<'_>> {
        let configured = self.work.resources.config.mcp_servers();
        let names = self.work.selection.server_names(&self.agent.mcp_servers).into_iter();
        let server = |name| {
            let server = configured.get(name)?;
            Some(PromptServer { name, instructions: server.instructions.as_deref()? })
        };
        names.filter_map(server).collect()
    }
}
