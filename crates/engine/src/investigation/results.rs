//! The results of stages and agents that later prompts are built from, read from the record.

use std::collections::{HashMap, VecDeque};

use serde::Deserialize;
use tarsy_agent::{AgentResult, CollectedResult, ResultId, StageResult, ToolMetadata, TrailEntry};
use tarsy_domain::{ExecutionId, ExecutionKind, SessionId, TimelineEventType, ToolStatus, WorkStatus};
use tarsy_store::{Execution, RecordedResult, Stage, Store, StoreError, TimelineEvent, decode_json};

/// Number of timeline entries per query.
const PAGE_SIZE: u32 = 500;

/// The recorded work of a session.
pub(crate) struct SessionRecord {
    pub(crate) stages: Vec<Stage>,
    pub(crate) executions: Vec<Execution>,
    /// The timeline entries of each execution, in order.
    trails: HashMap<ExecutionId, Vec<TimelineEvent>>,
    /// The tool results of each execution, in order.
    results: HashMap<ExecutionId, Vec<RecordedResult>>,
}

/// The outcome in the metadata of a tool result.
#[derive(Deserialize)]
struct ResultMetadata {
    status: Option<ToolStatus>,
}

impl SessionRecord {
    /// Loads the record of a session.
    pub(crate) async fn load(store: &Store, session_id: SessionId) -> Result<Self, StoreError> {
        let mut results: HashMap<ExecutionId, Vec<RecordedResult>> = HashMap::new();
        for result in store.recorded_result_list(session_id).await? {
            results.entry(result.execution_id).or_default().push(result);
        }
        Ok(Self {
            stages: store.stage_list(session_id).await?,
            executions: store.execution_list(session_id).await?,
            trails: trails(store, session_id).await?,
            results,
        })
    }

    /// Returns the results of stages. `stages` are those of the record, possibly with another status.
    pub(crate) fn stage_results(&self, stages: &[Stage]) -> Result<Vec<StageResult>, StoreError> {
        stages.iter().map(|stage| self.stage_result(stage)).collect()
    }

    /// Returns the result of a stage with the complete trails of its agents.
    pub(crate) fn stage_result(&self, stage: &Stage) -> Result<StageResult, StoreError> {
        let synthesis = self.executions_of(stage, ExecutionKind::Synthesis).into_iter().find_map(analysis);
        let agents = self.executions_of(stage, ExecutionKind::Agent).into_iter();
        let skipped = stage.routing_reason.clone().filter(|_| stage.status == WorkStatus::Skipped);
        Ok(StageResult {
            name: stage.name.clone(),
            status: stage.status,
            reason: stage.error_message.clone().or(skipped),
            agents: agents.map(|one| self.agent_result(stage, one)).collect::<Result<_, _>>()?,
            synthesis,
        })
    }

    /// Returns the executions of one kind in a stage, in the order of the configuration.
    fn executions_of(&self, stage: &Stage, kind: ExecutionKind) -> Vec<&Execution> {
        let of_stage =
            |one: &&Execution| one.identity.stage_id == Some(stage.stage_id) && one.identity.kind == kind;
        let mut found: Vec<&Execution> = self.executions.iter().filter(of_stage).collect();
        found.sort_by_key(|one| one.identity.agent_index);
        found
    }

    fn agent_result(&self, stage: &Stage, execution: &Execution) -> Result<AgentResult, StoreError> {
        let identity = &execution.identity;
        let id = ResultId { stage: stage.stage_index + 1, agent: identity.agent_index + 1, number: 1 };
        let entries = self.trails.get(&identity.execution_id).map(Vec::as_slice).unwrap_or_default();
        let results = self.results.get(&identity.execution_id).map(Vec::as_slice).unwrap_or_default();
        Ok(AgentResult {
            name: identity.agent_name.clone(),
            provider: identity.llm_provider.clone(),
            strategy: identity.iteration_strategy,
            status: execution.status,
            analysis: analysis(execution),
            error: execution.error_message.clone(),
            trail: trail(entries, results, id)?,
        })
    }
}

/// Loads the timeline entries of all executions of a session.
async fn trails(
    store: &Store,
    session_id: SessionId,
) -> Result<HashMap<ExecutionId, Vec<TimelineEvent>>, StoreError> {
    let mut trails: HashMap<ExecutionId, Vec<TimelineEvent>> = HashMap::new();
    let mut position = 0;
    loop {
        let entries = store.timeline_list(session_id, position, PAGE_SIZE).await?;
        let Some(last) = entries.last() else { return Ok(trails) };
        position = last.position;
        for entry in entries {
            if let Some(execution_id) = entry.execution_id {
                trails.entry(execution_id).or_default().push(entry);
            }
        }
    }
}

/// Returns the trail of an execution. `first` is the id of its first result.
fn trail(
    entries: &[TimelineEvent],
    results: &[RecordedResult],
    first: ResultId,
) -> Result<Vec<TrailEntry>, StoreError> {
    let mut results: VecDeque<(u32, &RecordedResult)> = (1..).zip(results).collect();
    entries.iter().map(|event| trail_entry(event, &mut results, first)).collect()
}

fn trail_entry(
    event: &TimelineEvent,
    results: &mut VecDeque<(u32, &RecordedResult)>,
    first: ResultId,
) -> Result<TrailEntry, StoreError> {
    let entry = &event.entry;
    let metadata: ToolMetadata = decode_json("metadata", entry.timeline_event_id, &entry.metadata)?;
    let is_result =
        matches!(entry.event_type, TimelineEventType::ToolResult | TimelineEventType::McpToolSummary);
    let result = if is_result { take_result(results, &metadata.tool_call_id, &entry.content) } else { None };
    let delivered = result.and_then(|(_, result)| result.delivered.as_ref());
    let status = match delivered {
        Some(delivered) => Some(delivered.status),
        // The call was rejected before its execution, so only its entry is recorded.
        None if is_result => {
            decode_json::<ResultMetadata>("metadata", entry.timeline_event_id, &entry.metadata)?.status
        }
        None => None,
    };
    let collected = |(number, result): (u32, &RecordedResult)| CollectedResult {
        id: ResultId { number, ..first },
        arguments: result.arguments.clone().unwrap_or_default(),
        bytes: result.bytes,
    };
    Ok(TrailEntry {
        event_type: entry.event_type,
        content: entry.content.clone(),
        tool: metadata.tool().map(|tool| tool.to_string()),
        status,
        result: result.map(collected),
    })
}

/// Takes the recorded result that an entry of the timeline shows. Both are in the same order, but a call that
/// was rejected before its execution has only an entry, and a result that was never delivered has none.
fn take_result<'a>(
    results: &mut VecDeque<(u32, &'a RecordedResult)>,
    call_id: &str,
    content: &str,
) -> Option<(u32, &'a RecordedResult)> {
    let shows = |result: &RecordedResult| {
        let is_same_call = result.tool_call_id.as_deref() == Some(call_id);
        is_same_call && result.delivered.as_ref().is_some_and(|delivered| delivered.content == content)
    };
    let position = results.iter().position(|(_, result)| shows(result))?;
    results.drain(..=position).next_back()
}

/// Returns the analysis of a completed execution. A failed execution has its last text in the same field;
/// that text is not a result.
fn analysis(execution: &Execution) -> Option<String> {
    execution.final_analysis.clone().filter(|_| execution.status == WorkStatus::Completed)
}

#[cfg(test)]
mod tests;
