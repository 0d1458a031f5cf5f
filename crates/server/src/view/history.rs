//! Response bodies of the history: sessions in the format of earlier TARSy versions.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tarsy_domain::{SessionId, SessionStatus, TimelineEventId, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::{Session, SessionPage, StoreError, TimelineEvent, decode_json};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, duration_ms, execution_ms, millis_between};

/// Maximum length of a step description in characters.
const MAX_DESCRIPTION_CHARACTERS: usize = 120;

/// One page of the history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryPageResponse {
    /// The sessions.
    sessions: Vec<HistoryEntryResponse>,
    /// Value of `cursor` for the next page; null on the last page.
    next_cursor: Option<String>,
}

/// A session in the history.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HistoryEntryResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Id of the alert.
    alert_id: String,
    /// Type of the alert.
    alert_type: String,
    /// The chain that investigates the alert.
    chain_id: String,
    /// Author of the alert.
    author: Option<String>,
    /// Status of the session.
    status: SessionStatus,
    /// When the alert was submitted.
    created_at_us: Timestamp,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// Duration of the session; null until it ends.
    duration_ms: Option<u64>,
    /// Number of model calls.
    llm_interaction_count: u64,
    /// Number of tool calls.
    mcp_communication_count: u64,
    /// Number of stages of the chain.
    total_stages: u64,
    /// Number of stages that have ended.
    completed_stages: u64,
    /// Number of stages that failed.
    failed_stages: u64,
    /// Why the session failed.
    error_message: Option<String>,
}

/// A session with its chain, stages and timeline.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistorySessionResponse {
    #[serde(flatten)]
    session: HistoryEntryResponse,
    /// Content of the alert, masked.
    alert_data: String,
    /// The analysis.
    final_analysis: Option<String>,
    /// A short summary of the analysis.
    executive_summary: Option<String>,
    /// The chain of the session.
    chain: HistoryChainResponse,
    /// The stages, in order.
    stage_executions: Vec<StageExecutionResponse>,
    /// The complete timeline, in order.
    chronological_timeline: Vec<HistoryEventResponse>,
}

/// The chain of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryChainResponse {
    /// Id of the chain.
    id: String,
    /// The most complex execution type of its stages.
    #[serde(rename = "type")]
    kind: ExecutionType,
    /// The stages, in order.
    nodes: Vec<ChainNodeResponse>,
}

/// A stage in the graph of the chain.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChainNodeResponse {
    /// Name of the stage.
    id: String,
    /// Names of its agents, separated by commas.
    agent: String,
    /// Status of the stage.
    status: WorkStatus,
    /// Whether the stage or one of its executions failed.
    has_errors: bool,
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
    execution_type: ExecutionType,
    /// Name of its agent; null if there are several.
    agent: Option<String>,
    /// Names of all its agents.
    agents: Vec<String>,
    /// Results of the individual agents; null if there is only one.
    parallel_results: Option<Vec<ParallelResultResponse>>,
    /// Why the stage ran or was skipped, if it has a condition.
    routing_decision: Option<String>,
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

/// A timeline entry.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryEventResponse {
    /// Id of the entry.
    event_id: TimelineEventId,
    /// Kind of the entry.
    #[serde(rename = "type")]
    kind: TimelineEventType,
    /// When the entry first appeared.
    timestamp_us: Timestamp,
    /// First line of the text.
    step_description: String,
    /// Time until the text was complete.
    duration_ms: Option<u64>,
    /// Name of the stage; null outside of stages.
    stage_context: Option<String>,
    /// `content` (the complete text), `agent` (its author) and the metadata of the entry.
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
    /// Converts an investigation and its timeline.
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
    let (stage, execution) = investigation.locate(entry.stage_id, event.execution_id);
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

/// Returns the first line that is not blank, truncated to the maximum length.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MAX_DESCRIPTION_CHARACTERS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

#[cfg(test)]
mod tests;
