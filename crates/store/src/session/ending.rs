//! The end of a session: cancelled on request, or finished with an outcome. A session ends once.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{SessionId, SessionStatus, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::live::signal::Signal;
use crate::queue::lease::Lease;
use crate::session::search::{SearchPart, index_words, searchable_words};
use crate::session::status_change::StatusChange;
use crate::{Store, StoreError};

/// The outcome of a request for cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The session was not started and is now cancelled.
    Cancelled,
    /// The worker was notified. If the session had already ended, the answer to the open question in its chat
    /// is cancelled.
    Requested,
    /// The session had already ended.
    AlreadyEnded(SessionStatus),
}

/// The outcome of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOutcome {
    /// A terminal status.
    pub status: SessionStatus,
    /// The final analysis, if any.
    pub final_analysis: Option<String>,
    /// The executive summary, if any.
    pub executive_summary: Option<String>,
    /// Why it failed, if it did.
    pub error_message: Option<String>,
}

/// An expression that is 1 if the cancellation of the current work of a session was requested, 0 otherwise.
/// The work of a session that has ended is the answer to its last question, so requests from before that
/// question do not count.
pub(crate) const CANCEL_IS_REQUESTED: &str = "
    cast(case
      when status = 'cancelling' then 1
      when completed_at_us is null then 0
      when cancel_requested_at_us >= (
        select max(created_at_us)
        from chat_messages
        where chat_messages.session_id = sessions.session_id) then 1
      else 0
    end as bigint)";

impl Store {
    /// Requests the cancellation of a session. A session that was not claimed yet is cancelled immediately.
    pub async fn session_cancel(
        &self,
        session_id: SessionId,
        requested_by: Option<String>,
        at: Timestamp,
    ) -> Result<CancelOutcome, StoreError> {
        let outcome = self
            .change_session(session_id, move |connection| {
                cancel(connection, session_id, requested_by.clone(), at).boxed()
            })
            .await?;
        if outcome == CancelOutcome::Requested {
            self.signal(Signal::Cancel(session_id)).await;
        }
        Ok(outcome)
    }

    /// Returns whether the cancellation of the current work of a session was requested.
    pub async fn session_cancel_requested(&self, session_id: SessionId) -> Result<bool, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!(
            "select {CANCEL_IS_REQUESTED} as cancel_requested from sessions where session_id = $1"
        ))
        .bind(session_id)
        .fetch_optional(&mut connection)
        .await?;
        row.map_or(Ok(false), |row| is_requested(&row))
    }

    /// Ends a session and its lease.
    pub async fn session_finish(
        &self,
        lease: Lease,
        outcome: SessionOutcome,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let words = searchable_words(outcome.final_analysis.as_deref().unwrap_or_default());
        let ending = Arc::new((outcome, words));
        self.change_session(lease.session_id, move |connection| {
            finish(connection, lease, Arc::clone(&ending), at).boxed()
        })
        .await
    }
}

async fn cancel(
    connection: &mut DbConnection,
    session_id: SessionId,
    requested_by: Option<String>,
    at: Timestamp,
) -> Result<CancelOutcome, StoreError> {
    // A single statement, so that no claim can happen between the check and the update.
    let updated = sql("
        update sessions
        set status = case status when 'pending' then 'cancelled' else 'cancelling' end,
            completed_at_us = case status when 'pending' then $2 else completed_at_us end,
            claimable_at_us = case status when 'pending' then null else claimable_at_us end,
            cancel_requested_at_us = $2,
            cancel_requested_by = $3,
            stages_done = case status when 'pending' then stages_total else stages_done end,
            stages_failed = case status when 'pending' then stages_total else stages_failed end,
            last_event_id = last_event_id + 1
        where session_id = $1
          and status in ('pending', 'in_progress')
        returning status, last_event_id")
    .bind(session_id)
    .bind(at)
    .bind(requested_by.as_ref())
    .fetch_optional(connection)
    .await?;
    let Some(updated) = updated else {
        return cancel_answer(connection, session_id, requested_by, at).await;
    };
    let status = updated.parsed("status")?;
    let was_pending = status == SessionStatus::Cancelled;
    let stages = was_pending.then(|| cancel_stages(session_id, at));
    let change = StatusChange { session_id, status, at };
    change.announce(connection, stages.into_iter().collect(), updated.count("last_event_id")?).await?;
    Ok(if was_pending { CancelOutcome::Cancelled } else { CancelOutcome::Requested })
}

/// Requests the cancellation of the answer to the open question of a session that has ended.
async fn cancel_answer(
    connection: &mut DbConnection,
    session_id: SessionId,
    requested_by: Option<String>,
    at: Timestamp,
) -> Result<CancelOutcome, StoreError> {
    let requested = sql("
        update sessions
        set cancel_requested_at_us = $2,
            cancel_requested_by = $3
        where session_id = $1
          and completed_at_us is not null
          and claimable_at_us is not null
        returning status")
    .bind(session_id)
    .bind(at)
    .bind(requested_by)
    .fetch_optional(connection)
    .await?;
    if requested.is_some() {
        return Ok(CancelOutcome::Requested);
    }
    let status = status_of(connection, session_id).await?;
    let already_requested = status == SessionStatus::Cancelling;
    Ok(if already_requested { CancelOutcome::Requested } else { CancelOutcome::AlreadyEnded(status) })
}

/// Reads the column `cancel_requested`, an alias of [`CANCEL_IS_REQUESTED`].
pub(crate) fn is_requested(row: &DbRow) -> Result<bool, StoreError> {
    Ok(row.count("cancel_requested")? == 1)
}

fn cancel_stages(session_id: SessionId, at: Timestamp) -> Sql {
    sql("update stages set status = 'cancelled', completed_at_us = $2 where session_id = $1")
        .bind(session_id)
        .bind(at)
}

async fn finish(
    connection: &mut DbConnection,
    lease: Lease,
    ending: Arc<(SessionOutcome, String)>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (outcome, words) = &*ending;
    if !outcome.status.is_terminal() {
        return Err(StoreError::IllegalTransition {
            what: "session",
            id: lease.session_id.to_string(),
            from: "active".to_owned(),
            to: format!("{}, which is not a terminal status", outcome.status),
        });
    }
    let ended = sql("
        update sessions
        set status = $3,
            completed_at_us = $4,
            claimable_at_us = null,
            fence = fence + 1,
            current_step = null,
            final_analysis = $5,
            executive_summary = $6,
            error_message = $7,
            last_event_id = last_event_id + 1
        where session_id = $1
          and fence = $2
          and status in ('in_progress', 'cancelling')
        returning session_number, last_event_id")
    .bind(lease.session_id)
    .bind(lease.fence)
    .bind(outcome.status.as_str())
    .bind(at)
    .bind(outcome.final_analysis.as_ref())
    .bind(outcome.executive_summary.as_ref())
    .bind(outcome.error_message.as_ref())
    .fetch_optional(connection)
    .await?;
    let ended = ended.ok_or_else(|| lease.lost())?;
    let indexed = index_words(connection.engine(), ended.get("session_number")?, SearchPart::Analysis, words);
    let change = StatusChange { session_id: lease.session_id, status: outcome.status, at };
    change.announce(connection, indexed.into_iter().collect(), ended.count("last_event_id")?).await
}

pub(crate) async fn status_of(
    connection: &mut DbConnection,
    session_id: SessionId,
) -> Result<SessionStatus, StoreError> {
    let row = sql("select status from sessions where session_id = $1")
        .bind(session_id)
        .fetch_optional(connection)
        .await?;
    row.ok_or_else(|| StoreError::NotFound { what: "session", id: session_id.to_string() })?.parsed("status")
}
