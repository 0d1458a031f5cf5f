//! Sessions as they are sent: in a list, alone with everything, and as a status.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_domain::{
    ExecutionId, ExecutionKind, IterationStrategy, SessionId, SessionStatus, Snippet, StageId,
    TimelineEventId, Timestamp, TokenUsage, WorkStatus,
};
use tarsy_store::{Execution, ListedSession, SearchHit, Session, SessionPage, StoreError, decode_json};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, execution_ms};

/// One page of the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionPageResponse {
    /// The sessions.
    pub(crate) sessions: Vec<ListedSessionResponse>,
    /// Give it as `cursor` to get the next page; null on the last one.
    pub(crate) next_cursor: Option<String>,
}

/// A session in the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedSessionResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// Where it matched last, if the list was searched.
    hit: Option<SearchHitResponse>,
}

/// Where a session matched a search.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchHitResponse {
    /// `alert`, `analysis` or `timeline`.
    source: &'static str,
    /// The entry of the timeline, if it is one.
    timeline_event_id: Option<TimelineEventId>,
    /// An excerpt, piece by piece.
    snippet: Vec<SnippetPartResponse>,
}

/// A piece of an excerpt.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SnippetPartResponse {
    text: String,
    /// Whether it is one of the words that were searched for.
    matched: bool,
}

/// A session without its large texts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionResponse {
    session_id: SessionId,
    alert_id: String,
    alert_type: String,
    chain_id: String,
    author: Option<String>,
    status: SessionStatus,
    current_step: Option<String>,
    error_message: Option<String>,
    created_at_us: Timestamp,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    stages_total: u64,
    stages_done: u64,
    stages_failed: u64,
    llm_interactions: u64,
    mcp_interactions: u64,
    #[serde(flatten)]
    tokens: TokensResponse,
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokensResponse {
    /// Cached ones included.
    input_tokens: u64,
    /// Those for thinking included.
    output_tokens: u64,
    thinking_tokens: u64,
    cached_tokens: u64,
}

/// Where a session stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionStatusResponse {
    session_id: SessionId,
    status: SessionStatus,
    /// What is being done right now, for people.
    current_step: Option<String>,
    error_message: Option<String>,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    /// When somebody asked to stop it.
    cancel_requested_at_us: Option<Timestamp>,
    stages_total: u64,
    stages_done: u64,
    stages_failed: u64,
}

/// A session with everything but its timeline and its trace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionDetailResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// The paragraph for the busy reader.
    executive_summary: Option<String>,
    /// The result.
    final_analysis: Option<String>,
    cancel_requested_at_us: Option<Timestamp>,
    cancel_requested_by: Option<String>,
    /// How long nobody worked on it, because its worker was gone.
    interrupted_ms: u64,
    /// The worker that holds it, or held it last.
    worker: Option<String>,
    timeline_events: u64,
    /// Everything up to this event is in here: follow the live stream from it.
    last_event_id: u64,
    input: SessionInputResponse,
    /// The chain as it was at submission, with everything resolved.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    chain: Map<String, Value>,
    stages: Vec<StageResponse>,
    /// Work outside any stage: the executive summary and the answers of the chat.
    executions: Vec<ExecutionResponse>,
}

/// What came in with the alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionInputResponse {
    /// The alert's text, masked.
    alert_data: String,
    /// The runbook's address, or its text.
    runbook: Option<String>,
    /// The alert's own choice of MCP servers.
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    mcp: Option<Map<String, Value>>,
}

/// A stage.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StageResponse {
    stage_id: StageId,
    /// Its place in the chain, from 0.
    stage_index: u64,
    name: String,
    status: WorkStatus,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    duration_ms: Option<u64>,
    /// Its agents, also those that have not begun.
    agents: Vec<String>,
    analysis: Option<String>,
    error_message: Option<String>,
    /// Why it was taken or skipped, if it had a condition.
    routing_reason: Option<String>,
    executions: Vec<ExecutionResponse>,
}

/// One agent at work.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionResponse {
    execution_id: ExecutionId,
    kind: ExecutionKind,
    agent_index: u64,
    agent_name: String,
    iteration_strategy: IterationStrategy,
    llm_provider: String,
    status: WorkStatus,
    started_at_us: Timestamp,
    completed_at_us: Option<Timestamp>,
    duration_ms: Option<u64>,
    final_analysis: Option<String>,
    error_message: Option<String>,
    llm_interactions: u64,
    mcp_interactions: u64,
    #[serde(flatten)]
    tokens: TokensResponse,
}

impl From<SessionPage> for SessionPageResponse {
    fn from(page: SessionPage) -> Self {
        Self {
            sessions: page.sessions.into_iter().map(Into::into).collect(),
            next_cursor: page.next.map(|cursor| cursor.to_string()),
        }
    }
}

impl From<ListedSession> for ListedSessionResponse {
    fn from(listed: ListedSession) -> Self {
        Self { session: listed.session.into(), hit: listed.hit.map(Into::into) }
    }
}

impl From<SearchHit> for SearchHitResponse {
    fn from(hit: SearchHit) -> Self {
        Self {
            source: hit.source,
            timeline_event_id: hit.timeline_event_id,
            snippet: hit.snippet.as_ref().map(snippet_parts).unwrap_or_default(),
        }
    }
}

/// An excerpt cut at its matches. Byte ranges would mean nothing in languages that count otherwise.
fn snippet_parts(snippet: &Snippet) -> Vec<SnippetPartResponse> {
    let part = |range: std::ops::Range<usize>, matched| {
        let text = snippet.text.get(range).unwrap_or_default().to_owned();
        (!text.is_empty()).then_some(SnippetPartResponse { text, matched })
    };
    let mut parts = Vec::new();
    let mut done = 0;
    for (from, to) in &snippet.matches {
        parts.extend(part(done..*from, false));
        parts.extend(part(*from..*to, true));
        done = *to;
    }
    parts.extend(part(done..snippet.text.len(), false));
    parts
}

impl From<Session> for SessionResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_type: session.alert_type,
            chain_id: session.chain_id,
            author: session.author,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            created_at_us: session.created_at,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
            llm_interactions: session.llm_interactions,
            mcp_interactions: session.mcp_interactions,
            tokens: session.usage.into(),
        }
    }
}

impl From<TokenUsage> for TokensResponse {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}

impl From<Session> for SessionStatusResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            cancel_requested_at_us: session.cancel_requested_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
        }
    }
}

impl SessionDetailResponse {
    /// An investigation that was read after the event with this id.
    pub(crate) fn new(investigation: Investigation, last_event_id: u64) -> Result<Self, StoreError> {
        let Investigation { session, input, chain, stages, others } = investigation;
        let decode = |text: &str| decode_json("mcp_selection", session.session_id, text);
        let mcp = input.mcp_selection.as_deref().map(decode).transpose()?;
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
            input: SessionInputResponse { alert_data: input.alert_data, runbook: input.runbook, mcp },
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

#[cfg(test)]
mod tests {
    use tarsy_domain::SearchQuery;

    use super::*;

    #[test]
    fn an_excerpt_is_cut_at_its_matches() {
        let query = SearchQuery::parse("pod über").unwrap();
        let snippet = query.snippet("Pod x über Pod").unwrap();
        let parts = snippet_parts(&snippet);
        let marked: Vec<(&str, bool)> = parts.iter().map(|part| (part.text.as_str(), part.matched)).collect();
        assert_eq!(marked, [("Pod", true), (" x ", false), ("über", true), (" ", false), ("Pod", true)]);
    }
}
