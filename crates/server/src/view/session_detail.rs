//! Response bodies of a session with its stages and executions.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_domain::{
    AlertFields, ExecutionId, ExecutionKind, IterationStrategy, StageId, Timestamp, WorkStatus,
};
use tarsy_store::{Execution, StoreError, decode_json};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, execution_ms};
use super::session::{SessionResponse, TokensResponse};

/// A session with all its parts except the timeline and the trace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionDetailResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// A short summary of the analysis.
    executive_summary: Option<String>,
    /// The analysis.
    final_analysis: Option<String>,
    /// When cancellation was requested.
    cancel_requested_at_us: Option<Timestamp>,
    /// Who requested cancellation.
    cancel_requested_by: Option<String>,
    /// How long the session had no worker after its lease expired.
    interrupted_ms: u64,
    /// The worker that holds or last held the session.
    worker: Option<String>,
    /// Number of timeline entries.
    timeline_events: u64,
    /// The last event included in this response; subscribe to live messages from it.
    last_event_id: u64,
    /// The input of the session.
    input: SessionInputResponse,
    /// The chain at the time of submission, with all defaults resolved.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    chain: Map<String, Value>,
    /// The stages, in order.
    stages: Vec<StageResponse>,
    /// Executions outside of stages: the executive summary and chat replies.
    executions: Vec<ExecutionResponse>,
}

/// The input of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionInputResponse {
    /// Content of the alert, masked.
    alert_data: String,
    /// URL or text of the runbook.
    runbook: Option<String>,
    /// MCP servers and tools that the alert selected.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    mcp: Option<Map<String, Value>>,
    /// A text that identifies the Slack message that the alert comes from.
    slack_message_fingerprint: Option<String>,
    /// Severity of the alert, from its data; `warning` if the data has none.
    severity: String,
    /// Environment of the alert, from its data; `production` if the data has none.
    environment: String,
}

/// A stage of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StageResponse {
    /// Id of the stage.
    stage_id: StageId,
    /// Position in the chain, from 0.
    stage_index: u64,
    /// Name of the stage in the chain.
    name: String,
    /// Status of the stage.
    status: WorkStatus,
    /// When the stage started.
    started_at_us: Option<Timestamp>,
    /// When the stage ended.
    completed_at_us: Option<Timestamp>,
    /// Duration of the stage; null until it ends.
    duration_ms: Option<u64>,
    /// Names of all its agents, including those that have not started.
    agents: Vec<String>,
    /// Result of the stage.
    analysis: Option<String>,
    /// Why the stage failed.
    error_message: Option<String>,
    /// Why the stage ran or was skipped, if it has a condition.
    routing_reason: Option<String>,
    /// Executions of its agents and of its synthesis.
    executions: Vec<ExecutionResponse>,
}

/// One run of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionResponse {
    /// Id of the execution.
    execution_id: ExecutionId,
    /// Purpose of the execution.
    kind: ExecutionKind,
    /// Position among the agents of the stage, from 0.
    agent_index: u64,
    /// Name of the agent.
    agent_name: String,
    /// Strategy of the agent loop.
    iteration_strategy: IterationStrategy,
    /// Name of the primary provider.
    llm_provider: String,
    /// Status of the execution.
    status: WorkStatus,
    /// When the execution started.
    started_at_us: Timestamp,
    /// When the execution ended.
    completed_at_us: Option<Timestamp>,
    /// Duration of the execution; null until it ends.
    duration_ms: Option<u64>,
    /// Result of the agent.
    final_analysis: Option<String>,
    /// Why the execution failed.
    error_message: Option<String>,
    /// Number of model calls.
    llm_interactions: u64,
    /// Number of tool calls.
    mcp_interactions: u64,
    #[serde(flatten)]
    tokens: TokensResponse,
}

impl SessionDetailResponse {
    /// Converts an investigation that was read after `last_event_id` was.
    pub(crate) fn new(investigation: Investigation, last_event_id: u64) -> Result<Self, StoreError> {
        let Investigation { session, input, chain, stages, others } = investigation;
        let decode = |text: &str| decode_json("mcp_selection", session.session_id, text);
        let mcp = input.mcp_selection.as_deref().map(decode).transpose()?;
        let fields = AlertFields::parse(&input.alert_data);
        Ok(Self {
            executive_summary: session.executive_summary.clone(),
            final_analysis: session.final_analysis.clone(),
            cancel_requested_at_us: session.cancel_requested_at,
            cancel_requested_by: session.cancel_requested_by.clone(),
            interrupted_ms: u64::try_from(session.interrupted.as_millis()).unwrap_or(u64::MAX),
            worker: session.worker.clone(),
            timeline_events: session.timeline_events,
            last_event_id,
            session: session.into(),
            input: SessionInputResponse {
                severity: fields.severity(),
                environment: fields.environment(),
                alert_data: input.alert_data,
                runbook: input.runbook,
                mcp,
                slack_message_fingerprint: input.slack_message_fingerprint,
            },
            chain,
            stages: stages.into_iter().map(Into::into).collect(),
            executions: others.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<InvestigationStage> for StageResponse {
    fn from(stage: InvestigationStage) -> Self {
        let duration_ms = stage.duration_ms();
        let InvestigationStage { stage, agents, executions, .. } = stage;
        Self {
            stage_id: stage.stage_id,
            stage_index: stage.stage_index,
            name: stage.name,
            status: stage.status,
            started_at_us: stage.started_at,
            completed_at_us: stage.completed_at,
            duration_ms,
            agents,
            analysis: stage.analysis,
            error_message: stage.error_message,
            routing_reason: stage.routing_reason,
            executions: executions.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Execution> for ExecutionResponse {
    fn from(execution: Execution) -> Self {
        let duration_ms = execution_ms(&execution);
        let identity = execution.identity;
        Self {
            execution_id: identity.execution_id,
            kind: identity.kind,
            agent_index: identity.agent_index,
            agent_name: identity.agent_name,
            iteration_strategy: identity.iteration_strategy,
            llm_provider: identity.llm_provider,
            status: execution.status,
            started_at_us: execution.started_at,
            completed_at_us: execution.completed_at,
            duration_ms,
            final_analysis: execution.final_analysis,
            error_message: execution.error_message,
            llm_interactions: execution.llm_interactions,
            mcp_interactions: execution.mcp_interactions,
            tokens: execution.usage.into(),
        }
    }
}
