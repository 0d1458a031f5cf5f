//! Submission: creates the session of an alert. It is idempotent by the id of the alert.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{SessionId, SessionStatus, StageId, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::sql::{Sql, sql};
use crate::live::signal::Signal;
use crate::session::SessionInput;
use crate::session::masked_values::upsert_masked_values;
use crate::session::search::{SearchPart, index_words, searchable_words};
use crate::session::status_change::StatusChange;
use crate::{Store, StoreError};

/// A session to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub session_id: SessionId,
    /// The sender's id of the alert. A second submission with the same id does not create a second session.
    pub alert_id: String,
    /// The type of the alert, which selected the chain.
    pub alert_type: String,
    /// The id of the chain.
    pub chain_id: String,
    /// The names of the stages of the chain, in order.
    pub stages: Vec<String>,
    /// The sender, if known.
    pub author: Option<String>,
    /// The input.
    pub input: SessionInput,
}

/// The outcome of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmitOutcome {
    /// The session was created.
    Created(SessionId),
    /// The alert was submitted before; this is its session.
    Existing(SessionId),
    /// The queue is full; nothing was created.
    QueueFull,
}

/// Maximum number of pending sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueLimit {
    /// No limit.
    Unlimited,
    /// An approximate limit: concurrent submissions may exceed it by their number.
    Sessions(u32),
}

impl Store {
    /// Creates a session and its pending stages, unless its `alert_id` exists. Notifies the workers.
    pub async fn session_insert(
        &self,
        session: NewSession,
        limit: QueueLimit,
        at: Timestamp,
    ) -> Result<SubmitOutcome, StoreError> {
        let session_id = session.session_id;
        let submitted = session.with_words();
        let outcome = self
            .change_session(session_id, move |connection| {
                insert_session(connection, Arc::clone(&submitted), limit, at).boxed()
            })
            .await?;
        if matches!(outcome, SubmitOutcome::Created(_)) {
            self.signal(Signal::Work).await;
        }
        Ok(outcome)
    }
}

impl NewSession {
    /// Returns the session with the words of its alert for the search index.
    pub(crate) fn with_words(self) -> Arc<(Self, String)> {
        let words = searchable_words(&self.input.alert_data);
        Arc::new((self, words))
    }
}

/// Creates a session within the transaction of the caller.
pub(crate) async fn insert_session(
    connection: &mut DbConnection,
    submitted: Arc<(NewSession, String)>,
    limit: QueueLimit,
    at: Timestamp,
) -> Result<SubmitOutcome, StoreError> {
    let (session, words) = &*submitted;
    let session_id = session.session_id;
    if is_full(connection, limit).await? {
        let existing = session_of(connection, &session.alert_id).await?;
        return Ok(existing.map_or(SubmitOutcome::QueueFull, SubmitOutcome::Existing));
    }
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
        let existing = session_of(connection, &session.alert_id).await?;
        let missing = || StoreError::NotFound { what: "alert", id: session.alert_id.clone() };
        return existing.map(SubmitOutcome::Existing).ok_or_else(missing);
    };
    let mut rest = vec![insert_input(session_id, &session.input)];
    rest.extend(session.input.masked_values.as_ref().map(|record| upsert_masked_values(session_id, record)));
    rest.extend(insert_stages(session_id, &session.stages));
    let number = created.get("session_number")?;
    rest.extend(index_words(connection.engine(), number, SearchPart::Alert, words));
    let change = StatusChange { session_id, status: SessionStatus::Pending, at };
    change.announce(connection, rest, created.count("last_event_id")?).await?;
    Ok(SubmitOutcome::Created(session_id))
}

async fn is_full(connection: &mut DbConnection, limit: QueueLimit) -> Result<bool, StoreError> {
    let QueueLimit::Sessions(max) = limit else { return Ok(false) };
    let waiting = sql("select count(*) as waiting from sessions where status = 'pending'");
    Ok(waiting.fetch_one(connection).await?.count("waiting")? >= u64::from(max))
}

async fn session_of(connection: &mut DbConnection, alert_id: &str) -> Result<Option<SessionId>, StoreError> {
    let found = sql("select session_id from sessions where alert_id = $1").bind(alert_id);
    found.fetch_optional(connection).await?.map(|row| row.id("session_id")).transpose()
}

fn insert_input(session_id: SessionId, input: &SessionInput) -> Sql {
    sql("
        insert into session_inputs
          (session_id, alert_data, runbook, mcp_selection, chain_snapshot, slack_message_fingerprint)
        values ($1, $2, $3, $4, $5, $6)")
    .bind(session_id)
    .bind(&input.alert_data)
    .bind(input.runbook.as_ref())
    .bind(input.mcp_selection.as_ref())
    .bind(&input.chain_snapshot)
    .bind(input.slack_message_fingerprint.as_ref())
}

fn insert_stages(session_id: SessionId, names: &[String]) -> impl Iterator<Item = Sql> {
    names.iter().enumerate().map(move |(index, name)| {
        sql("
            insert into stages (stage_id, session_id, stage_index, name, status)
            values ($1, $2, $3, $4, 'pending')")
        .bind(StageId::new())
        .bind(session_id)
        .bind(index)
        .bind(name)
    })
}
