//! The timeline in the history: entries with their stage, their place among parallel agents, and the duration
//! of the call that they record.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tarsy_domain::{TimelineEventId, TimelineEventType, Timestamp};
use tarsy_store::{Execution, StoreError, TimelineEvent, decode_json};
use utoipa::ToSchema;

use super::call_durations::CallDurations;
use super::chain::ExecutionType;
use super::routing::{RoutingContextResponse, execution_path};
use crate::view::investigation::Investigation;

/// Maximum length of a step description in characters.
const MAX_DESCRIPTION_CHARACTERS: usize = 120;

/// A timeline entry.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryEventResponse {
    /// Id of the entry.
    event_id: TimelineEventId,
    /// Kind of the entry.
    #[serde(rename = "type")]
    kind: TimelineEventType,
    /// When the entry first appeared.
    pub(super) timestamp_us: Timestamp,
    /// First line of the text.
    pub(super) step_description: String,
    /// Duration of the model or tool call that the entry records; null if it records none.
    pub(super) duration_ms: Option<u64>,
    /// The stage of the entry; null outside of stages.
    pub(super) stage_context: Option<StageContextResponse>,
    /// The place of the entry among parallel agents; null outside of parallel stages.
    pub(super) parallel_context: Option<ParallelContextResponse>,
    /// The decision that the entry reports; null for other kinds of entries.
    pub(super) routing_context: Option<RoutingContextResponse>,
    /// `content` (the complete text), `agent` (its author) and the metadata of the entry.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub(super) details: Map<String, Value>,
}

/// The stage of an entry.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct StageContextResponse {
    /// Name of the stage, as in `chain.nodes`.
    pub(super) stage_id: String,
    /// Name of the agent that wrote the entry, or of the only agent of the stage.
    agent: Option<String>,
    /// Names of all agents of the stage.
    agents: Vec<String>,
    /// How the stage runs.
    execution_type: ExecutionType,
    /// Name of the group of parallel agents; null if the stage has one agent.
    parallel_group: Option<String>,
    /// Names of the stages that have started, up to this one; null if the chain has no conditions.
    routing_path: Option<Vec<String>>,
}

/// The place of an entry among parallel agents.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ParallelContextResponse {
    /// Name of the group: that of the stage.
    parallel_group: String,
    /// Alias of `parallel_group`.
    agent_group: String,
    /// Names of the agents.
    agents: Vec<String>,
    /// Position of the agent in `agents`, from 0; null for entries of the stage itself and of its synthesis.
    parallel_index: Option<u64>,
}

/// Converts a timeline entry.
pub(super) fn history_event(
    investigation: &Investigation,
    durations: &CallDurations,
    event: TimelineEvent,
) -> Result<HistoryEventResponse, StoreError> {
    let (stage, execution) = investigation.locate(event.entry.stage_id, event.execution_id);
    let index = stage.and_then(|stage| investigation.index_of(stage));
    let metadata: Map<String, Value> =
        decode_json("metadata", event.entry.timeline_event_id, &event.entry.metadata)?;
    let duration_ms = durations.of(&event, &metadata);
    let mut details = metadata;
    let entry = event.entry;
    details.insert("agent".to_owned(), json!(execution.map(|execution| &execution.identity.agent_name)));
    details.insert("content".to_owned(), Value::from(entry.content.clone()));
    let is_decision = entry.event_type == TimelineEventType::RoutingDecision;
    Ok(HistoryEventResponse {
        event_id: entry.timeline_event_id,
        kind: entry.event_type,
        timestamp_us: entry.created_at,
        step_description: first_line(&entry.content),
        duration_ms,
        stage_context: index.and_then(|index| stage_context(investigation, index, execution)),
        parallel_context: index.and_then(|index| parallel_context(investigation, index, execution)),
        routing_context: index
            .filter(|_| is_decision)
            .and_then(|index| RoutingContextResponse::new(&investigation.stages, index)),
        details,
    })
}

fn stage_context(
    investigation: &Investigation,
    index: usize,
    execution: Option<&Execution>,
) -> Option<StageContextResponse> {
    let stage = investigation.stages.get(index)?;
    let only = stage.agents.first().filter(|_| stage.agents.len() == 1).cloned();
    Some(StageContextResponse {
        stage_id: stage.stage.name.clone(),
        agent: execution.map(|execution| execution.identity.agent_name.clone()).or(only),
        agents: stage.agents.clone(),
        execution_type: ExecutionType::of(stage),
        parallel_group: (stage.agents.len() > 1).then(|| stage.stage.name.clone()),
        routing_path: execution_path(&investigation.stages, index),
    })
}

fn parallel_context(
    investigation: &Investigation,
    index: usize,
    execution: Option<&Execution>,
) -> Option<ParallelContextResponse> {
    let stage = investigation.stages.get(index).filter(|stage| stage.agents.len() > 1)?;
    let position = |name: &String| stage.agents.iter().position(|agent| agent == name);
    let parallel_index = execution.and_then(|execution| position(&execution.identity.agent_name));
    Some(ParallelContextResponse {
        parallel_group: stage.stage.name.clone(),
        agent_group: stage.stage.name.clone(),
        agents: stage.agents.clone(),
        parallel_index: parallel_index.map(|index| index as u64),
    })
}

/// Returns the first line that is not blank, truncated to the maximum length.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MAX_DESCRIPTION_CHARACTERS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
