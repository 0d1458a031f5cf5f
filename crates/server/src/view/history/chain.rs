//! The chain of a session in the history: a graph with one node per stage.

use serde::Serialize;
use tarsy_config::ResolvedChain;
use tarsy_domain::{ExecutionKind, WorkStatus};
use tarsy_store::{Session, SessionOutline, StageOutline};
use utoipa::ToSchema;

use crate::view::investigation::{InvestigationStage, decode_chain};

/// The chain of a session.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HistoryChainResponse {
    /// Id of the chain.
    id: String,
    /// The most complex execution type of its stages.
    #[serde(rename = "type")]
    pub(super) kind: ExecutionType,
    /// The stages, in order.
    pub(super) nodes: Vec<ChainNodeResponse>,
}

/// A stage in the graph of the chain.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ChainNodeResponse {
    /// Name of the stage.
    pub(super) id: String,
    /// Names of its agents, separated by commas.
    agent: String,
    /// Status of the stage.
    status: WorkStatus,
    /// Whether the stage or one of its executions failed.
    pub(super) has_errors: bool,
}

/// How a stage runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExecutionType {
    /// One agent, after the previous stage.
    Sequential,
    /// Several agents in parallel.
    Parallel,
    /// Only if its condition holds.
    Conditional,
}

impl HistoryChainResponse {
    /// Converts the stages of an investigation.
    pub(crate) fn new(id: &str, stages: &[InvestigationStage]) -> Self {
        let kind = stages.iter().map(ExecutionType::of).max();
        let nodes = stages.iter().map(ChainNodeResponse::new).collect();
        Self { id: id.to_owned(), kind: kind.unwrap_or(ExecutionType::Sequential), nodes }
    }

    /// Converts the outline of a listed session.
    pub(crate) fn of_outline(session: &Session, outline: &SessionOutline) -> Self {
        let chain = decode_chain(session.session_id, &outline.chain_snapshot);
        let stages = outline.stages.iter().map(|stage| outlined(chain.as_ref(), stage));
        let (kinds, nodes): (Vec<_>, Vec<_>) = stages.unzip();
        let kind = kinds.into_iter().max().unwrap_or(ExecutionType::Sequential);
        Self { id: session.chain_id.clone(), kind, nodes }
    }

    /// Returns the number of stages with the status `completed`.
    pub(crate) fn completed_stages(&self) -> u64 {
        self.nodes.iter().filter(|node| node.status == WorkStatus::Completed).count() as u64
    }
}

impl ExecutionType {
    pub(crate) fn of(stage: &InvestigationStage) -> Self {
        Self::new(stage.condition.is_some(), stage.agents.len())
    }

    fn new(is_conditional: bool, agents: usize) -> Self {
        match (is_conditional, agents) {
            (true, _) => Self::Conditional,
            (false, 2..) => Self::Parallel,
            (false, 0 | 1) => Self::Sequential,
        }
    }
}

impl ChainNodeResponse {
    pub(super) fn new(stage: &InvestigationStage) -> Self {
        let failed = stage.executions.iter().any(|execution| is_failure(execution.status));
        Self {
            id: stage.stage.name.clone(),
            agent: stage.agents.join(", "),
            status: stage.stage.status,
            has_errors: failed || is_failure(stage.stage.status),
        }
    }
}

/// Returns the type and the node of a stage. The agents of a chain that cannot be read are those that have
/// started.
fn outlined(chain: Option<&ResolvedChain>, stage: &StageOutline) -> (ExecutionType, ChainNodeResponse) {
    let planned = chain.and_then(|chain| chain.stages.iter().find(|planned| planned.name == stage.name));
    let started = stage.executions.iter().filter(|execution| execution.kind == ExecutionKind::Agent);
    let agents: Vec<&str> = match planned {
        Some(planned) => planned.agents.iter().map(|agent| agent.name.as_str()).collect(),
        None => started.map(|execution| execution.agent_name.as_str()).collect(),
    };
    let is_conditional = planned.is_some_and(|planned| planned.when.is_some());
    let failed = stage.executions.iter().any(|execution| is_failure(execution.status));
    let node = ChainNodeResponse {
        id: stage.name.clone(),
        agent: agents.join(", "),
        status: stage.status,
        has_errors: failed || is_failure(stage.status),
    };
    (ExecutionType::new(is_conditional, agents.len()), node)
}

fn is_failure(status: WorkStatus) -> bool {
    matches!(status, WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled)
}
