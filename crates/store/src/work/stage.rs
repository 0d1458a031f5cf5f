//! A stage of the chain of a session: it is pending, then active, and ends or is skipped.
//!
//! The rows are created with the session, so that the whole chain can be shown before it has run. The engine
//! decides which stage is next.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{EventPayload, SessionId, StageId, StageStatusData, Timestamp, WorkStatus};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::queue::lease::Lease;
use crate::queue::session_delta::{SessionDelta, advance};
use crate::step::announcement::Announcement;
use crate::step::timeline::NewTimelineEvent;
use crate::step::write_context::WriteContext;
use crate::work::rejected_transition::RejectedTransition;
use crate::{Store, StoreError};

/// A stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its id.
    pub stage_id: StageId,
    /// Its position in the chain, from 0.
    pub stage_index: u64,
    /// Its name in the chain.
    pub name: String,
    /// Its status.
    pub status: WorkStatus,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Its analysis.
    pub analysis: Option<String>,
    /// Why it has no analysis, or only a partial one.
    pub error_message: Option<String>,
    /// Why it ran or was skipped, if it has a condition.
    pub routing_reason: Option<String>,
}

/// The outcome of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageOutcome {
    /// A terminal status.
    pub status: WorkStatus,
    /// Its analysis.
    pub analysis: Option<String>,
    /// Why it has no analysis, or only a partial one.
    pub error_message: Option<String>,
    /// Why it was skipped.
    pub routing_reason: Option<String>,
}

impl Store {
    /// Returns the stages of a session in order.
    pub async fn stage_list(&self, session_id: SessionId) -> Result<Vec<Stage>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select stage_id, stage_index, name, status, started_at_us, completed_at_us, analysis, error_message,
              routing_reason
            from stages
            where session_id = $1
            order by stage_index")
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(Stage::decode).collect()
    }

    /// Starts a pending stage. The note gives the reason, if it has a condition.
    pub async fn stage_begin(
        &self,
        lease: Lease,
        stage_id: StageId,
        note: Option<NewTimelineEvent>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change_session(lease.session_id, move |connection| {
            begin(connection, lease, stage_id, note.clone(), at).boxed()
        })
        .await
    }

    /// Ends a stage. The note gives the reason, if it has a condition.
    pub async fn stage_finish(
        &self,
        lease: Lease,
        stage_id: StageId,
        outcome: StageOutcome,
        note: Option<NewTimelineEvent>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let ending = Arc::new((outcome, note));
        self.change_session(lease.session_id, move |connection| {
            finish(connection, lease, stage_id, Arc::clone(&ending), at).boxed()
        })
        .await
    }
}

async fn begin(
    connection: &mut DbConnection,
    lease: Lease,
    stage_id: StageId,
    note: Option<NewTimelineEvent>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let routing_reason = note.as_ref().map(|note| note.content.clone());
    let announcement = announcement(lease, stage_id, WorkStatus::Active, note);
    let counters = advance(connection, lease, &announcement.delta()).await?;
    let started = sql("
        update stages
        set status = 'active', started_at_us = $3, routing_reason = $4
        where stage_id = $1
          and session_id = $2
          and status = 'pending'
        returning status")
    .bind(stage_id)
    .bind(lease.session_id)
    .bind(at)
    .bind(routing_reason);
    if started.fetch_optional(connection).await?.is_none() {
        return Err(rejected(connection, lease, stage_id, WorkStatus::Active).explain().await);
    }
    let context = WriteContext { session_id: lease.session_id, execution_id: None, at };
    execute_together(connection, announcement.inserts(connection.engine(), context, &counters)).await
}

async fn finish(
    connection: &mut DbConnection,
    lease: Lease,
    stage_id: StageId,
    ending: Arc<(StageOutcome, Option<NewTimelineEvent>)>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (outcome, note) = &*ending;
    if !outcome.status.is_terminal() {
        return Err(rejected(connection, lease, stage_id, outcome.status).explain().await);
    }
    let failed = !matches!(outcome.status, WorkStatus::Completed | WorkStatus::Skipped);
    let announcement = announcement(lease, stage_id, outcome.status, note.clone());
    let delta = SessionDelta { stages_done: 1, stages_failed: u64::from(failed), ..announcement.delta() };
    let counters = advance(connection, lease, &delta).await?;
    let mut finished = sql("
        update stages
        set status = $3,
            completed_at_us = $4,
            analysis = $5,
            error_message = $6,
            routing_reason = coalesce($7, routing_reason)
        where stage_id = $1
          and session_id = $2
          and status in ")
    .bind(stage_id)
    .bind(lease.session_id)
    .bind(outcome.status.as_str())
    .bind(at)
    .bind(outcome.analysis.as_ref())
    .bind(outcome.error_message.as_ref())
    .bind(outcome.routing_reason.as_ref());
    finished
        .push_list("{} returning status", outcome.status.predecessors().into_iter().map(WorkStatus::as_str));
    if finished.fetch_optional(connection).await?.is_none() {
        return Err(rejected(connection, lease, stage_id, outcome.status).explain().await);
    }
    let context = WriteContext { session_id: lease.session_id, execution_id: None, at };
    execute_together(connection, announcement.inserts(connection.engine(), context, &counters)).await
}

fn announcement(
    lease: Lease,
    stage_id: StageId,
    status: WorkStatus,
    note: Option<NewTimelineEvent>,
) -> Announcement {
    let session_id = lease.session_id;
    let change = EventPayload::StageStatus(StageStatusData { session_id, stage_id, status });
    Announcement::new(session_id, None, note, Some(change))
}

fn rejected(
    connection: &mut DbConnection,
    lease: Lease,
    stage_id: StageId,
    to: WorkStatus,
) -> RejectedTransition<'_> {
    let current = sql("select status from stages where stage_id = $1 and session_id = $2")
        .bind(stage_id)
        .bind(lease.session_id);
    RejectedTransition { connection, what: "stage", id: stage_id.to_string(), current, to }
}

impl Stage {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            stage_id: row.id("stage_id")?,
            stage_index: row.count("stage_index")?,
            name: row.get("name")?,
            status: row.parsed("status")?,
            started_at: row.optional_time("started_at_us")?,
            completed_at: row.optional_time("completed_at_us")?,
            analysis: row.get("analysis")?,
            error_message: row.get("error_message")?,
            routing_reason: row.get("routing_reason")?,
        })
    }
}
