//! An execution: one run of one agent, in a stage, as a synthesis, as the executive summary or in a chat.
//!
//! It starts active and ends once. In between it records steps.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{
    EventPayload, ExecutionId, ExecutionKind, ExecutionStatusData, IterationStrategy, SessionId, StageId,
    Timestamp, TokenUsage, WorkStatus,
};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::live::event::session_event;
use crate::queue::lease::Lease;
use crate::queue::session_delta::{SessionDelta, advance};
use crate::step::announcement::{Announcement, progress_event};
use crate::step::message::{NewMessage, insert_messages};
use crate::step::timeline::NewTimelineEvent;
use crate::step::write_context::WriteContext;
use crate::work::rejected_transition::RejectedTransition;
use crate::{Store, StoreError};

/// An execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Its identity.
    pub identity: NewExecution,
    /// Its status.
    pub status: WorkStatus,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Its analysis.
    pub final_analysis: Option<String>,
    /// Why it has no analysis, or only a partial one.
    pub error_message: Option<String>,
    /// Number of recorded model calls.
    pub llm_interactions: u64,
    /// Number of recorded tool calls.
    pub mcp_interactions: u64,
    /// Tokens of its model calls.
    pub usage: TokenUsage,
}

/// An execution to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewExecution {
    /// Its id.
    pub execution_id: ExecutionId,
    /// The stage it belongs to, if any.
    pub stage_id: Option<StageId>,
    /// Its purpose.
    pub kind: ExecutionKind,
    /// The index of the agent in its stage, from 0.
    pub agent_index: u64,
    /// The agent's name.
    pub agent_name: String,
    /// The strategy of the agent.
    pub iteration_strategy: IterationStrategy,
    /// The first model provider that it calls.
    pub llm_provider: String,
}

/// The initial state of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionOpening {
    /// The setup of the run, as JSON text. The run can be rebuilt from it and the recorded steps.
    pub setup: String,
    /// The first messages of the conversation.
    pub messages: Vec<NewMessage>,
    /// Timeline entries that precede its first step.
    pub notes: Vec<NewTimelineEvent>,
    /// A description of the current activity.
    pub current_step: String,
}

/// The outcome of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionOutcome {
    /// A terminal status.
    pub status: WorkStatus,
    /// Its analysis.
    pub final_analysis: Option<String>,
    /// Why it has no analysis, or only a partial one.
    pub error_message: Option<String>,
}

impl Store {
    /// Returns the executions of a session in the order of their start.
    pub async fn execution_list(&self, session_id: SessionId) -> Result<Vec<Execution>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select execution_id, stage_id, kind, agent_index, agent_name, iteration_strategy, llm_provider, status,
              started_at_us, completed_at_us, final_analysis, error_message, llm_interactions, mcp_interactions,
              input_tokens, output_tokens, thinking_tokens, cached_tokens
            from agent_executions
            where session_id = $1
            order by started_at_us, execution_id")
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(Execution::decode).collect()
    }

    /// Starts an execution.
    pub async fn execution_begin(
        &self,
        lease: Lease,
        execution: NewExecution,
        opening: ExecutionOpening,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let beginning = Arc::new((execution, opening));
        self.change_session(lease.session_id, move |connection| {
            begin(connection, lease, Arc::clone(&beginning), at).boxed()
        })
        .await
    }

    /// Ends an execution.
    pub async fn execution_finish(
        &self,
        lease: Lease,
        execution_id: ExecutionId,
        outcome: ExecutionOutcome,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change_session(lease.session_id, move |connection| {
            finish(connection, lease, execution_id, outcome.clone(), at).boxed()
        })
        .await
    }
}

async fn begin(
    connection: &mut DbConnection,
    lease: Lease,
    beginning: Arc<(NewExecution, ExecutionOpening)>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (execution, ExecutionOpening { setup, messages, notes, current_step }) = &*beginning;
    let execution_id = Some(execution.execution_id);
    let changes = [
        status_event(lease, execution.execution_id, WorkStatus::Active),
        progress_event(lease.session_id, current_step),
    ];
    let announcement = Announcement::new(lease.session_id, execution_id, notes.clone(), changes);
    let delta = SessionDelta { current_step: Some(current_step.clone()), ..announcement.delta() };
    let counters = advance(connection, lease, &delta).await?;
    if let Some(stage_id) = execution.stage_id {
        require_stage(connection, lease, stage_id).await?;
    }
    let started = sql("
        insert into agent_executions
          (execution_id, session_id, stage_id, kind, agent_index, agent_name, iteration_strategy, llm_provider,
           status, started_at_us, setup, last_message_sequence, last_timeline_sequence)
        values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', $9, $10, $11, $12)")
    .bind(execution.execution_id)
    .bind(lease.session_id)
    .bind(execution.stage_id)
    .bind(execution.kind.as_str())
    .bind(execution.agent_index)
    .bind(&execution.agent_name)
    .bind(execution.iteration_strategy.as_str())
    .bind(&execution.llm_provider)
    .bind(at)
    .bind(setup)
    .bind(messages.len())
    .bind(notes.len());
    // The messages reference the execution, so its row is inserted first.
    started.execute(connection).await?;
    let context = WriteContext { session_id: lease.session_id, execution_id, at };
    let mut rest = announcement.inserts(connection.engine(), context, &counters);
    rest.extend(insert_messages(context, messages, messages.len() as u64)?);
    execute_together(connection, rest).await
}

async fn finish(
    connection: &mut DbConnection,
    lease: Lease,
    execution_id: ExecutionId,
    outcome: ExecutionOutcome,
    at: Timestamp,
) -> Result<(), StoreError> {
    if !outcome.status.is_terminal() {
        return Err(rejected(connection, lease, execution_id, outcome.status).explain().await);
    }
    let counters = advance(connection, lease, &SessionDelta::one_event()).await?;
    let mut finished = sql("
        update agent_executions
        set status = $3, completed_at_us = $4, final_analysis = $5, error_message = $6
        where execution_id = $1
          and session_id = $2
          and status in ")
    .bind(execution_id)
    .bind(lease.session_id)
    .bind(outcome.status.as_str())
    .bind(at)
    .bind(outcome.final_analysis)
    .bind(outcome.error_message);
    finished
        .push_list("{} returning status", outcome.status.predecessors().into_iter().map(WorkStatus::as_str));
    if finished.fetch_optional(connection).await?.is_none() {
        return Err(rejected(connection, lease, execution_id, outcome.status).explain().await);
    }
    let change = status_event(lease, execution_id, outcome.status);
    session_event(lease.session_id, &change, counters.last_event_id, at).execute(connection).await
}

async fn require_stage(
    connection: &mut DbConnection,
    lease: Lease,
    stage_id: StageId,
) -> Result<(), StoreError> {
    let found = sql("select status from stages where stage_id = $1 and session_id = $2")
        .bind(stage_id)
        .bind(lease.session_id)
        .fetch_optional(connection)
        .await?;
    found.map(drop).ok_or_else(|| StoreError::NotFound { what: "stage", id: stage_id.to_string() })
}

fn status_event(lease: Lease, execution_id: ExecutionId, status: WorkStatus) -> EventPayload {
    EventPayload::ExecutionStatus(ExecutionStatusData { session_id: lease.session_id, execution_id, status })
}

/// Returns the rejected transition of an execution.
pub(crate) fn rejected(
    connection: &mut DbConnection,
    lease: Lease,
    execution_id: ExecutionId,
    to: WorkStatus,
) -> RejectedTransition<'_> {
    let current = sql("select status from agent_executions where execution_id = $1 and session_id = $2")
        .bind(execution_id)
        .bind(lease.session_id);
    RejectedTransition { connection, what: "execution", id: execution_id.to_string(), current, to }
}

impl Execution {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            identity: NewExecution {
                execution_id: row.id("execution_id")?,
                stage_id: row.optional_id("stage_id")?,
                kind: row.parsed("kind")?,
                agent_index: row.count("agent_index")?,
                agent_name: row.get("agent_name")?,
                iteration_strategy: row.parsed("iteration_strategy")?,
                llm_provider: row.get("llm_provider")?,
            },
            status: row.parsed("status")?,
            started_at: row.time("started_at_us")?,
            completed_at: row.optional_time("completed_at_us")?,
            final_analysis: row.get("final_analysis")?,
            error_message: row.get("error_message")?,
            llm_interactions: row.count("llm_interactions")?,
            mcp_interactions: row.count("mcp_interactions")?,
            usage: row.usage()?,
        })
    }
}
