//! A session: one investigation of one alert, from its arrival to its end.
//!
//! Creating it, reading it, asking it to stop and ending it. Working on it needs a lease from `queue`; listing
//! many is in `session_list`.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::json;
use tarsy_domain::{EventType, SessionId, SessionStatus, StageId, Timestamp, TokenUsage, WorkStatus};

use crate::connection::Connection;
use crate::event::{NewEvent, append_to_all, session_events};
use crate::queue::Lease;
use crate::row::Row;
use crate::search::{Part, index_words, searchable_words};
use crate::sql::{Bind, Sql, execute_together, insert, sql};
use crate::{Store, StoreError};

/// A session as the list and the queue see it: everything but the large texts that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub session_id: SessionId,
    /// The sender's id for the alert, or one that was made for it.
    pub alert_id: String,
    /// What kind of alert it is; it selected the chain.
    pub alert_type: String,
    /// The chain that investigates it.
    pub chain_id: String,
    /// Who sent it, if known.
    pub author: Option<String>,
    /// Where it stands.
    pub status: SessionStatus,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When a worker first claimed it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When somebody asked to stop it.
    pub cancel_requested_at: Option<Timestamp>,
    /// Who asked to stop it.
    pub cancel_requested_by: Option<String>,
    /// The worker that holds it, or held it last.
    pub worker: Option<String>,
    /// What is being done right now, for people.
    pub current_step: Option<String>,
    /// Why it ended badly, if it did.
    pub error_message: Option<String>,
    /// The paragraph for the busy reader.
    pub executive_summary: Option<String>,
    /// The result.
    pub final_analysis: Option<String>,
    /// Stages of its chain.
    pub stages_total: u64,
    /// Stages that ended, in whatever way.
    pub stages_done: u64,
    /// Stages that ended without a result: failed, timed out or cancelled.
    pub stages_failed: u64,
    /// Recorded model calls.
    pub llm_interactions: u64,
    /// Recorded tool calls.
    pub mcp_interactions: u64,
    /// Entries of the timeline.
    pub timeline_events: u64,
    /// Tokens of all its model calls.
    pub usage: TokenUsage,
}

/// What came in with the alert; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInput {
    /// The alert's text, masked, otherwise verbatim.
    pub alert_data: String,
    /// The runbook's address, or its text.
    pub runbook: Option<String>,
    /// The alert's own choice of MCP servers, as JSON text.
    pub mcp_selection: Option<String>,
    /// The chain as it was at submission, as JSON text.
    pub chain_snapshot: String,
}

/// A session to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub session_id: SessionId,
    /// Sending the same one again does not create a second session.
    pub alert_id: String,
    /// Selected the chain.
    pub alert_type: String,
    /// The chain's id.
    pub chain_id: String,
    /// The names of the chain's stages, in order.
    pub stages: Vec<String>,
    /// Who sent it.
    pub author: Option<String>,
    /// What came in.
    pub input: SessionInput,
}

/// What became of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmitOutcome {
    /// The session was created.
    Created(SessionId),
    /// The alert was here before; this is its session.
    Existing(SessionId),
}

/// What became of a request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// It had not begun and is cancelled.
    Cancelled,
    /// Its worker has been asked to stop.
    Requested,
    /// It had ended before.
    AlreadyEnded(SessionStatus),
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOutcome {
    /// A terminal status.
    pub status: SessionStatus,
    /// The result, if there is one.
    pub final_analysis: Option<String>,
    /// The short version.
    pub executive_summary: Option<String>,
    /// Why it ended badly, if it did.
    pub error_message: Option<String>,
}

pub(crate) const COLUMNS: &str = "
    session_id, alert_id, alert_type, chain_id, author, status, created_at_us, started_at_us, completed_at_us,
    cancel_requested_at_us, cancel_requested_by, worker, stages_total, stages_done, stages_failed,
    llm_interactions, mcp_interactions, timeline_events, input_tokens, output_tokens, thinking_tokens,
    cached_tokens, current_step, error_message, executive_summary, final_analysis";

impl Store {
    /// Creates a session and its pending stages, unless its `alert_id` was here before.
    pub async fn session_insert(
        &self,
        session: NewSession,
        at: Timestamp,
    ) -> Result<SubmitOutcome, StoreError> {
        let words = searchable_words(&session.input.alert_data);
        let submitted = Arc::new((session, words));
        self.write(move |connection| insert_session(connection, Arc::clone(&submitted), at).boxed()).await
    }

    /// One session.
    pub async fn session_fetch(&self, session_id: SessionId) -> Result<Option<Session>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!("select {COLUMNS} from sessions where session_id = $1"))
            .bind(session_id)
            .fetch_optional(&mut connection)
            .await?;
        row.as_ref().map(Session::decode).transpose()
    }

    /// The session of the alert that its sender calls `alert_id`.
    pub async fn session_fetch_by_alert(&self, alert_id: &str) -> Result<Option<Session>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!("select {COLUMNS} from sessions where alert_id = $1"))
            .bind(alert_id)
            .fetch_optional(&mut connection)
            .await?;
        row.as_ref().map(Session::decode).transpose()
    }

    /// What came in with a session's alert.
    pub async fn session_input_fetch(
        &self,
        session_id: SessionId,
    ) -> Result<Option<SessionInput>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("
            select alert_data, runbook, mcp_selection, chain_snapshot
            from session_inputs
            where session_id = $1")
        .bind(session_id)
        .fetch_optional(&mut connection)
        .await?;
        row.as_ref().map(SessionInput::decode).transpose()
    }

    /// Asks a session to stop. One that no worker holds yet is cancelled on the spot.
    pub async fn session_cancel(
        &self,
        session_id: SessionId,
        requested_by: Option<String>,
        at: Timestamp,
    ) -> Result<CancelOutcome, StoreError> {
        self.write(move |connection| cancel(connection, session_id, requested_by.clone(), at).boxed()).await
    }

    /// Ends a session, once: the lease is used up by it.
    pub async fn session_finish(
        &self,
        lease: Lease,
        outcome: SessionOutcome,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |connection| finish(connection, lease, outcome.clone(), at).boxed()).await
    }
}

async fn insert_session(
    connection: &mut Connection,
    submitted: Arc<(NewSession, String)>,
    at: Timestamp,
) -> Result<SubmitOutcome, StoreError> {
    let (session, words) = &*submitted;
    let session_id = session.session_id;
    let created = sql("
        insert into sessions
          (session_id, alert_id, alert_type, chain_id, author, status, created_at_us, claimable_at_us, stages_total,
           last_event_id)
        values ($1, $2, $3, $4, $5, 'pending', $6, $6, $7, 1)
        on conflict (alert_id) do nothing
        returning session_number, last_event_id")
    .bind(session_id)
    .bind(&session.alert_id)
    .bind(&session.alert_type)
    .bind(&session.chain_id)
    .bind(session.author.as_ref())
    .bind(at)
    .bind(session.stages.len())
    .fetch_optional(connection)
    .await?;
    let Some(created) = created else {
        let existing = sql("select session_id from sessions where alert_id = $1").bind(&session.alert_id);
        return existing.fetch_one(connection).await?.id("session_id").map(SubmitOutcome::Existing);
    };
    let mut rest = vec![insert_input(session_id, &session.input)];
    rest.extend(insert_stages(session_id, &session.stages));
    let number = created.get("session_number")?;
    rest.extend(index_words(connection.engine(), number, Part::Alert, words));
    let change = StatusChange { session_id, status: SessionStatus::Pending, at };
    change.announce(connection, rest, created.count("last_event_id")?).await?;
    Ok(SubmitOutcome::Created(session_id))
}

fn insert_input(session_id: SessionId, input: &SessionInput) -> Sql {
    sql("
        insert into session_inputs (session_id, alert_data, runbook, mcp_selection, chain_snapshot)
        values ($1, $2, $3, $4, $5)")
    .bind(session_id)
    .bind(&input.alert_data)
    .bind(input.runbook.as_ref())
    .bind(input.mcp_selection.as_ref())
    .bind(&input.chain_snapshot)
}

fn insert_stages(session_id: SessionId, names: &[String]) -> Option<Sql> {
    let rows = names.iter().enumerate().map(|(index, name)| {
        vec![
            StageId::new().argument(),
            session_id.argument(),
            index.argument(),
            name.argument(),
            WorkStatus::Pending.as_str().argument(),
        ]
    });
    let columns = ["stage_id", "session_id", "stage_index", "name", "status"];
    (!names.is_empty()).then(|| insert("stages", &columns, rows.collect()))
}

async fn cancel(
    connection: &mut Connection,
    session_id: SessionId,
    requested_by: Option<String>,
    at: Timestamp,
) -> Result<CancelOutcome, StoreError> {
    // One statement decides, so that a worker's claim cannot come between looking and moving.
    let moved = sql("
        update sessions
        set status = case status when 'pending' then 'cancelled' else 'cancelling' end,
            completed_at_us = case status when 'pending' then $2 else completed_at_us end,
            claimable_at_us = case status when 'pending' then null else claimable_at_us end,
            cancel_requested_at_us = $2,
            cancel_requested_by = $3,
            last_event_id = last_event_id + 1
        where session_id = $1
          and status in ('pending', 'in_progress')
        returning status, last_event_id")
    .bind(session_id)
    .bind(at)
    .bind(requested_by)
    .fetch_optional(connection)
    .await?;
    let Some(moved) = moved else {
        let status = status_of(connection, session_id).await?;
        let asked_before = status == SessionStatus::Cancelling;
        return Ok(if asked_before { CancelOutcome::Requested } else { CancelOutcome::AlreadyEnded(status) });
    };
    let status = moved.word("status")?;
    let change = StatusChange { session_id, status, at };
    change.announce(connection, Vec::new(), moved.count("last_event_id")?).await?;
    Ok(if status == SessionStatus::Cancelled { CancelOutcome::Cancelled } else { CancelOutcome::Requested })
}

async fn finish(
    connection: &mut Connection,
    lease: Lease,
    outcome: SessionOutcome,
    at: Timestamp,
) -> Result<(), StoreError> {
    if !outcome.status.is_terminal() {
        return Err(StoreError::IllegalMove {
            what: "session",
            id: lease.session_id.to_string(),
            from: "being worked on".to_owned(),
            to: format!("{} by ending", outcome.status),
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
    .bind(outcome.executive_summary)
    .bind(outcome.error_message)
    .fetch_optional(connection)
    .await?;
    let ended = ended.ok_or_else(|| lease.lost())?;
    let words = searchable_words(outcome.final_analysis.as_deref().unwrap_or_default());
    let indexed = index_words(connection.engine(), ended.get("session_number")?, Part::Analysis, &words);
    let change = StatusChange { session_id: lease.session_id, status: outcome.status, at };
    change.announce(connection, indexed.into_iter().collect(), ended.count("last_event_id")?).await
}

async fn status_of(connection: &mut Connection, session_id: SessionId) -> Result<SessionStatus, StoreError> {
    let row = sql("select status from sessions where session_id = $1")
        .bind(session_id)
        .fetch_optional(connection)
        .await?;
    row.ok_or_else(|| StoreError::NotFound { what: "session", id: session_id.to_string() })?.word("status")
}

/// A session that was created or has moved.
pub(crate) struct StatusChange {
    pub(crate) session_id: SessionId,
    pub(crate) status: SessionStatus,
    pub(crate) at: Timestamp,
}

impl StatusChange {
    /// Tells the watchers of this session and of all sessions, and makes the other changes of the transaction in the
    /// same round trip. The last thing a transaction does.
    pub(crate) async fn announce(
        self,
        connection: &mut Connection,
        mut changes: Vec<Sql>,
        last_event_id: u64,
    ) -> Result<(), StoreError> {
        changes.extend(session_events(self.session_id, &[self.event()], last_event_id, self.at));
        execute_together(connection, changes).await?;
        append_to_all(connection, self.event(), self.at).await
    }

    fn event(&self) -> NewEvent {
        NewEvent {
            event_type: EventType::SessionStatus,
            payload: json!({ "session_id": self.session_id, "status": self.status }),
        }
    }
}

impl Session {
    pub(crate) fn decode(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            session_id: row.id("session_id")?,
            alert_id: row.get("alert_id")?,
            alert_type: row.get("alert_type")?,
            chain_id: row.get("chain_id")?,
            author: row.get("author")?,
            status: row.word("status")?,
            created_at: row.time("created_at_us")?,
            started_at: row.optional_time("started_at_us")?,
            completed_at: row.optional_time("completed_at_us")?,
            cancel_requested_at: row.optional_time("cancel_requested_at_us")?,
            cancel_requested_by: row.get("cancel_requested_by")?,
            worker: row.get("worker")?,
            current_step: row.get("current_step")?,
            error_message: row.get("error_message")?,
            executive_summary: row.get("executive_summary")?,
            final_analysis: row.get("final_analysis")?,
            stages_total: row.count("stages_total")?,
            stages_done: row.count("stages_done")?,
            stages_failed: row.count("stages_failed")?,
            llm_interactions: row.count("llm_interactions")?,
            mcp_interactions: row.count("mcp_interactions")?,
            timeline_events: row.count("timeline_events")?,
            usage: row.usage()?,
        })
    }
}

impl SessionInput {
    fn decode(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            alert_data: row.get("alert_data")?,
            runbook: row.get("runbook")?,
            mcp_selection: row.get("mcp_selection")?,
            chain_snapshot: row.get("chain_snapshot")?,
        })
    }
}
