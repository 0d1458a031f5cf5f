//! What finished stages hand on, read back from the record.

use std::collections::HashMap;

use serde_json::Value;
use tarsy_agent::{AgentResult, StageResult, TrailEntry};
use tarsy_domain::{ExecutionId, ExecutionKind, SessionId, ToolName, WorkStatus};
use tarsy_store::{Execution, Stage, Store, StoreError, TimelineEvent, decode_json};

/// Entries of a timeline that are read at a time.
const PAGE: u32 = 500;

/// What each execution did, step by step.
pub(crate) type Trails = HashMap<ExecutionId, Vec<TrailEntry>>;

/// Reads the trails of all executions of a session.
pub(crate) async fn trails(store: &Store, session_id: SessionId) -> Result<Trails, StoreError> {
    let mut trails = Trails::new();
    let mut position = 0;
    loop {
        let entries = store.timeline_list(session_id, position, PAGE).await?;
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
    let metadata: Value = decode_json("metadata", event.entry.timeline_event_id, &event.entry.metadata)?;
    let name = |key: &str| metadata[key].as_str().filter(|name| !name.is_empty());
    let tool = name("tool_name")
        .map(|tool| ToolName::from_parts(name("server_name").unwrap_or_default(), tool).to_string());
    Ok(TrailEntry { event_type: event.entry.event_type, content: event.entry.content, tool })
}

/// A stage as it is handed on; its agents without trails if none are given.
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
        model: None,
        strategy: identity.iteration_strategy,
        status: execution.status,
        analysis: analysis(execution),
        error: execution.error_message.clone(),
        trail: trails.get(&identity.execution_id).cloned().unwrap_or_default(),
    }
}

/// Only a completed execution has an analysis; what a failed one last said is no result.
fn analysis(execution: &Execution) -> Option<String> {
    execution.final_analysis.clone().filter(|_| execution.status == WorkStatus::Completed)
}
