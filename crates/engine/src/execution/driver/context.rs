//! What the driver of one execution works with. It does not change while the execution runs.

use std::sync::Arc;

use tarsy_config::ResolvedAgent;
use tarsy_domain::{ExecutionId, InteractionId, StageId};
use tarsy_llm::{Model, Tags};
use tarsy_store::LiveTextScope;
use tokio::time::Instant;

use crate::execution::agent_tools::AgentTools;
use crate::session_work::SessionWork;
use crate::stop::Stop;

/// The execution, its agent, and access to models, tools and the record.
pub(crate) struct DriverContext<'a> {
    pub(crate) work: &'a SessionWork,
    pub(crate) agent: &'a ResolvedAgent,
    pub(crate) execution_id: ExecutionId,
    pub(crate) stage_id: Option<StageId>,
    /// The name of the stage, for recordings.
    pub(crate) stage_name: &'a str,
    /// The chat question that is answered, for recordings.
    pub(crate) question: Option<&'a str>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: &'a AgentTools,
    pub(crate) stop: Stop,
}

impl DriverContext<'_> {
    /// Returns the end of a summary that starts now.
    pub(super) fn summary_deadline(&self) -> Instant {
        Instant::now() + self.agent.iteration_timeout.duration()
    }

    /// Returns the tags by which a recording identifies a model call.
    pub(super) fn tags(&self, agent: &str, turn: u32) -> Tags {
        Tags {
            session_id: self.work.session.session_id.to_string(),
            execution_id: self.execution_id.to_string(),
            stage: self.stage_name.to_owned(),
            agent: agent.to_owned(),
            turn,
            question: self.question.map(str::to_owned),
        }
    }

    /// Returns the address of a text that is streamed to clients.
    pub(super) fn live_scope(&self, interaction_id: InteractionId) -> LiveTextScope {
        LiveTextScope {
            session_id: self.work.session.session_id,
            stage_id: self.stage_id,
            execution_id: self.execution_id,
            interaction_id,
        }
    }
}
