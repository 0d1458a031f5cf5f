//! The history of sessions in the words of the first design: a view over the same record.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tarsy_domain::{SessionId, SessionStatus, TimelineEventId, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::{Session, SessionPage, StoreError, TimelineEvent, decode_json};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, duration_ms, execution_ms, millis_between};

/// A description has so many characters at most.
const DESCRIPTION_CHARACTERS: usize = 120;

/// One page of the history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryPageResponse {
    /// The sessions.
    sessions: Vec<HistoryEntryResponse>,
    /// Give it as `cursor` to get the next page; null on the last one.
    next_cursor: Option<String>,
}

/// A session in the history.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HistoryEntryResponse {
    session_id: SessionId,
    alert_id: String,
    alert_type: String,
    chain_id: String,
    author: Option<String>,
    status: SessionStatus,
    created_at_us: Timestamp,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    duration_ms: Option<u64>,
    llm_interaction_count: u64,
    mcp_communication_count: u64,
    total_stages: u64,
    completed_stages: u64,
    failed_stages: u64,
    error_message: Option<String>,
}

/// A session with its chain, its stages and its timeline.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistorySessionResponse {
    #[serde(flatten)]
    session: HistoryEntryResponse,
    alert_data: String,
    final_analysis: Option<String>,
    executive_summary: Option<String>,
    chain: HistoryChainResponse,
    stage_executions: Vec<StageExecutionResponse>,
    chronological_timeline: Vec<HistoryEventResponse>,
}

/// The chain of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryChainResponse {
    id: String,
    #[serde(rename = "type")]
    kind: ExecutionType,
    nodes: Vec<ChainNodeResponse>,
}

/// A stage in the picture of the chain.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChainNodeResponse {
    /// The stage's name in the chain.
    id: String,
    /// Its agents, separated by commas if there are several.
    agent: String,
    status: WorkStatus,
    /// Whether anything in it failed, even if it has a result.
    has_errors: bool,
}

/// How a stage is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExecutionType {
    /// One agent, after the stage before it.
    Sequential,
    /// Several agents at once.
    Parallel,
    /// Only if its condition holds.
    Conditional,
}

/// What a stage did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StageExecutionResponse {
    /// The stage's name in the chain, as in `chain.nodes`.
    stage_id: String,
    status: WorkStatus,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    duration_ms: Option<u64>,
    llm_interaction_count: u64,
    mcp_communication_count: u64,
    /// Its analysis.
    stage_output: Option<String>,
    error_message: Option<String>,
    execution_type: ExecutionType,
    /// Its agent; null if there are several.
    agent: Option<String>,
    /// All its agents.
    agents: Vec<String>,
    /// What each agent found; null if there is only one.
    parallel_results: Option<Vec<ParallelResultResponse>>,
    /// Why it was taken or skipped, if it had a condition.
    routing_decision: Option<String>,
}

/// What one of several agents found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ParallelResultResponse {
    agent: String,
    status: WorkStatus,
    duration_ms: Option<u64>,
    result: Option<String>,
    error_message: Option<String>,
}

/// Something that happened.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryEventResponse {
    event_id: TimelineEventId,
    #[serde(rename = "type")]
    kind: TimelineEventType,
    timestamp_us: Timestamp,
    /// The first line of it.
    step_description: String,
    duration_ms: Option<u64>,
    /// The stage's name in the chain; null if it happened outside any.
    stage_context: Option<String>,
    /// `content`, the whole text; `agent`, who it is from; and what the text does not say.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    details: Map<String, Value>,
}

impl From<SessionPage> for HistoryPageResponse {
    fn from(page: SessionPage) -> Self {
        Self {
            sessions: page.sessions.into_iter().map(|listed| listed.session.into()).collect(),
            next_cursor: page.next.map(|cursor| cursor.to_string()),
        }
    }
}

impl From<Session> for HistoryEntryResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_type: session.alert_type,
            chain_id: session.chain_id,
            author: session.author,
            status: session.status,
            created_at_us: session.created_at,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            duration_ms: duration_ms(session.started_at, session.completed_at),
            llm_interaction_count: session.llm_interactions,
            mcp_communication_count: session.mcp_interactions,
            total_stages: session.stages_total,
            completed_stages: session.stages_done,
            failed_stages: session.stages_failed,
            error_message: session.error_message,
        }
    }
}

impl HistorySessionResponse {
    /// The history of an investigation with its timeline.
    pub(crate) fn new(
        investigation: Investigation,
        timeline: Vec<TimelineEvent>,
    ) -> Result<Self, StoreError> {
        let events = timeline.into_iter().map(|event| history_event(&investigation, event));
        let chronological_timeline = events.collect::<Result<Vec<_>, StoreError>>()?;
        let Investigation { session, input, stages, .. } = investigation;
        Ok(Self {
            final_analysis: session.final_analysis.clone(),
            executive_summary: session.executive_summary.clone(),
            alert_data: input.alert_data,
            chain: HistoryChainResponse {
                id: session.chain_id.clone(),
                kind: stages.iter().map(execution_type).max().unwrap_or(ExecutionType::Sequential),
                nodes: stages.iter().map(chain_node).collect(),
            },
            stage_executions: stages.into_iter().map(stage_execution).collect(),
            session: session.into(),
            chronological_timeline,
        })
    }
}

fn chain_node(stage: &InvestigationStage) -> ChainNodeResponse {
    let failed = |status: WorkStatus| {
        matches!(status, WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled)
    };
    ChainNodeResponse {
        id: stage.stage.name.clone(),
        agent: stage.agents.join(", "),
        status: stage.stage.status,
        has_errors: failed(stage.stage.status) || stage.executions.iter().any(|run| failed(run.status)),
    }
}

fn execution_type(stage: &InvestigationStage) -> ExecutionType {
    match (stage.is_conditional, stage.agents.len()) {
        (true, _) => ExecutionType::Conditional,
        (false, 2..) => ExecutionType::Parallel,
        (false, 0 | 1) => ExecutionType::Sequential,
    }
}

fn stage_execution(stage: InvestigationStage) -> StageExecutionResponse {
    let is_parallel = stage.agents.len() > 1;
    let duration_ms = stage.duration_ms();
    let execution_type = execution_type(&stage);
    let parallel_results = is_parallel.then(|| parallel_results(&stage));
    let InvestigationStage { stage, agents, executions, .. } = stage;
    StageExecutionResponse {
        stage_id: stage.name,
        status: stage.status,
        started_at_us: stage.started_at,
        completed_at_us: stage.completed_at,
        duration_ms,
        llm_interaction_count: executions.iter().map(|execution| execution.llm_interactions).sum(),
        mcp_communication_count: executions.iter().map(|execution| execution.mcp_interactions).sum(),
        stage_output: stage.analysis,
        error_message: stage.error_message,
        execution_type,
        agent: agents.first().filter(|_| !is_parallel).cloned(),
        agents,
        parallel_results,
        routing_decision: stage.routing_reason,
    }
}

fn parallel_results(stage: &InvestigationStage) -> Vec<ParallelResultResponse> {
    let result = |execution: &tarsy_store::Execution| ParallelResultResponse {
        agent: execution.identity.agent_name.clone(),
        status: execution.status,
        duration_ms: execution_ms(execution),
        result: execution.final_analysis.clone(),
        error_message: execution.error_message.clone(),
    };
    stage.agent_executions().map(result).collect()
}

fn history_event(
    investigation: &Investigation,
    event: TimelineEvent,
) -> Result<HistoryEventResponse, StoreError> {
    let entry = event.entry;
    let (stage, execution) = investigation.place_of(entry.stage_id, event.execution_id);
    let mut details: Map<String, Value> = decode_json("metadata", entry.timeline_event_id, &entry.metadata)?;
    details.insert("agent".to_owned(), json!(execution.map(|execution| &execution.identity.agent_name)));
    details.insert("content".to_owned(), Value::from(entry.content.clone()));
    Ok(HistoryEventResponse {
        event_id: entry.timeline_event_id,
        kind: entry.event_type,
        timestamp_us: entry.created_at,
        step_description: first_line(&entry.content),
        duration_ms: Some(millis_between(entry.created_at, event.completed_at)),
        stage_context: stage.map(|stage| stage.stage.name.clone()),
        details,
    })
}

/// The first line that says something, shortened if it is long.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(DESCRIPTION_CHARACTERS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

#[cfg(test)]
mod tests;
