//! The executions of stages in the history.

use serde::Serialize;
use tarsy_domain::{Timestamp, WorkStatus};
use tarsy_store::Execution;
use utoipa::ToSchema;

use super::chain::ExecutionType;
use super::routing::{RoutingDecisionResponse, execution_path};
use crate::view::investigation::{InvestigationStage, execution_ms};

/// The execution of a stage.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StageExecutionResponse {
    /// Name of the stage, as in `chain.nodes`.
    stage_id: String,
    /// Status of the stage.
    status: WorkStatus,
    /// When the stage started.
    started_at_us: Option<Timestamp>,
    /// When the stage ended.
    completed_at_us: Option<Timestamp>,
    /// Duration of the stage; null until it ends.
    duration_ms: Option<u64>,
    /// Number of model calls.
    llm_interaction_count: u64,
    /// Number of tool calls.
    mcp_communication_count: u64,
    /// Result of the stage.
    stage_output: Option<String>,
    /// Why the stage failed.
    error_message: Option<String>,
    /// How the stage runs.
    pub(super) execution_type: ExecutionType,
    /// Name of its agent; null if there are several.
    agent: Option<String>,
    /// Names of all its agents.
    agents: Vec<String>,
    /// Results of the individual agents; null if there is only one.
    parallel_results: Option<Vec<ParallelResultResponse>>,
    /// Why the stage ran or was skipped; null if it runs unconditionally.
    routing_decision: Option<RoutingDecisionResponse>,
    /// Names of the stages that have started, up to this one; null if the chain has no conditions.
    execution_path: Option<Vec<String>>,
}

/// The result of one of several agents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ParallelResultResponse {
    /// Name of the agent.
    agent: String,
    /// Status of the execution.
    status: WorkStatus,
    /// Duration of the execution; null until it ends.
    duration_ms: Option<u64>,
    /// Result of the agent.
    result: Option<String>,
    /// Why the execution failed.
    error_message: Option<String>,
}

/// Converts the stages of an investigation.
pub(super) fn stage_executions(stages: &[InvestigationStage]) -> Vec<StageExecutionResponse> {
    (0..stages.len()).filter_map(|index| stage_execution(stages, index)).collect()
}

fn stage_execution(stages: &[InvestigationStage], index: usize) -> Option<StageExecutionResponse> {
    let stage = stages.get(index)?;
    let is_parallel = stage.agents.len() > 1;
    Some(StageExecutionResponse {
        stage_id: stage.stage.name.clone(),
        status: stage.stage.status,
        started_at_us: stage.stage.started_at,
        completed_at_us: stage.stage.completed_at,
        duration_ms: stage.duration_ms(),
        llm_interaction_count: stage.executions.iter().map(|execution| execution.llm_interactions).sum(),
        mcp_communication_count: stage.executions.iter().map(|execution| execution.mcp_interactions).sum(),
        stage_output: stage.stage.analysis.clone(),
        error_message: stage.stage.error_message.clone(),
        execution_type: ExecutionType::of(stage),
        agent: stage.agents.first().filter(|_| !is_parallel).cloned(),
        agents: stage.agents.clone(),
        parallel_results: is_parallel.then(|| stage.agent_executions().map(parallel_result).collect()),
        routing_decision: RoutingDecisionResponse::new(stage),
        execution_path: execution_path(stages, index),
    })
}

fn parallel_result(execution: &Execution) -> ParallelResultResponse {
    ParallelResultResponse {
        agent: execution.identity.agent_name.clone(),
        status: execution.status,
        duration_ms: execution_ms(execution),
        result: execution.final_analysis.clone(),
        error_message: execution.error_message.clone(),
    }
}
