//! The results of stages and agents that later prompts are built from, read from the record.

use std::collections::HashMap;

use tarsy_agent::{AgentResult, StageResult, ToolMetadata, TrailEntry};
use tarsy_domain::{ExecutionId, ExecutionKind, SessionId, WorkStatus};
use tarsy_store::{Execution, Stage, Store, StoreError, TimelineEvent, decode_json};

/// Number of timeline entries per query.
const PAGE_SIZE: u32 = 500;

/// The timeline entries of each execution, in order.
pub(crate) type Trails = HashMap<ExecutionId, Vec<TrailEntry>>;

/// Loads the trails of all executions of a session.
pub(crate) async fn trails(store: &Store, session_id: SessionId) -> Result<Trails, StoreError> {
    let mut trails = Trails::new();
    let mut position = 0;
    loop {
        let entries = store.timeline_list(session_id, position, PAGE_SIZE).await?;
        let Some(last) = entries.last() else { return Ok(trails) };
        position = last.position;
        for entry in entries {
            if let Some(execution_id) = entry.execution_id {
                trails.entry(execution_id).or_default().push(trail_entry(entry)?);
            }
        }
    }
}

fn trail_entry(event: TimelineEvent) -> Result<TrailEntry, StoreError> {
    let metadata: ToolMetadata =
        decode_json("metadata", event.entry.timeline_event_id, &event.entry.metadata)?;
    let tool = metadata.tool().map(|tool| tool.to_string());
    Ok(TrailEntry { event_type: event.entry.event_type, content: event.entry.content, tool })
}

/// Returns the result of a stage. Agents without an entry in `trails` get an empty trail.
pub(crate) fn stage_result(stage: &Stage, executions: &[Execution], trails: &Trails) -> StageResult {
    let of_stage = |kind: ExecutionKind| {
        let mut found: Vec<&Execution> = executions
            .iter()
            .filter(|one| one.identity.stage_id == Some(stage.stage_id) && one.identity.kind == kind)
            .collect();
        found.sort_by_key(|one| one.identity.agent_index);
        found
    };
    let synthesis = of_stage(ExecutionKind::Synthesis).into_iter().find_map(analysis);
    StageResult {
        name: stage.name.clone(),
        status: stage.status,
        reason: stage
            .error_message
            .clone()
            .or_else(|| stage.routing_reason.clone().filter(|_| stage.status == WorkStatus::Skipped)),
        agents: of_stage(ExecutionKind::Agent).into_iter().map(|one| agent_result(one, trails)).collect(),
        synthesis,
    }
}

fn agent_result(execution: &Execution, trails: &Trails) -> AgentResult {
    let identity = &execution.identity;
    AgentResult {
        name: identity.agent_name.clone(),
        provider: identity.llm_provider.clone(),
        strategy: identity.iteration_strategy,
        status: execution.status,
        analysis: analysis(execution),
        error: execution.error_message.clone(),
        trail: trails.get(&identity.execution_id).cloned().unwrap_or_default(),
    }
}

/// Returns the analysis of a completed execution. A failed execution has its last text in the same field;
/// that text is not a result.
fn analysis(execution: &Execution) -> Option<String> {
    execution.final_analysis.clone().filter(|_| execution.status == WorkStatus::Completed)
}
