//! A submission: an alert becomes a session, once.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{SessionId, SessionStatus, StageId, Timestamp};

use crate::connection::Connection;
use crate::search::{Part, index_words, searchable_words};
use crate::session::SessionInput;
use crate::sql::{Sql, sql};
use crate::status_change::StatusChange;
use crate::{Store, StoreError};

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
