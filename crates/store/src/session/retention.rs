//! Retention: deletes old sessions and old events in small batches.
//!
//! Batches are small because on SQLite all other writes wait while one runs. Only sessions that have ended
//! are deleted. Events are deleted by age alone: a client that was disconnected for longer reads the session
//! again. The caller decides when to sweep.

use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{Channel, SessionId, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::dialect::{self, AdvisoryLock};
use crate::db::sql::sql;
use crate::session::search::delete_texts;
use crate::{Store, StoreError};

/// How long data is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// How long sessions are kept after their end.
    pub sessions: Duration,
    /// How long events are kept.
    pub events: Duration,
    /// Maximum number of sessions, and of events, that one batch deletes.
    pub batch: u32,
}

/// What one batch deleted. If both counts are 0, nothing is left to delete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepResult {
    /// Number of sessions, which are deleted with all their data.
    pub sessions: u64,
    /// Number of events.
    pub events: u64,
}

impl Store {
    /// Deletes one batch of old data.
    pub async fn retention_sweep(
        &self,
        policy: RetentionPolicy,
        at: Timestamp,
    ) -> Result<SweepResult, StoreError> {
        self.write(move |connection| sweep(connection, policy, at).boxed()).await
    }

    /// Deletes a session that has ended, with all its data. Returns whether there was one.
    pub async fn session_delete(&self, session_id: SessionId) -> Result<bool, StoreError> {
        self.change_session(session_id, move |connection| delete_session(connection, session_id).boxed())
            .await
    }
}

async fn sweep(
    connection: &mut DbConnection,
    policy: RetentionPolicy,
    at: Timestamp,
) -> Result<SweepResult, StoreError> {
    dialect::acquire_advisory_lock(connection, AdvisoryLock::Sweep).await?;
    let old = sql("
        select session_id
        from sessions
        where completed_at_us < $1
        order by completed_at_us
        limit $2")
    .bind(at.before(policy.sessions))
    .bind(policy.batch)
    .fetch_all(connection)
    .await?;
    let mut swept = SweepResult::default();
    for row in old {
        swept.sessions += u64::from(delete_session(connection, row.id("session_id")?).await?);
    }
    swept.events = delete_events(connection, at.before(policy.events), policy.batch).await?;
    Ok(swept)
}

async fn delete_session(connection: &mut DbConnection, session_id: SessionId) -> Result<bool, StoreError> {
    let deleted = sql("
        delete from sessions
        where session_id = $1
          and completed_at_us is not null
        returning session_number")
    .bind(session_id)
    .fetch_optional(connection)
    .await?;
    let Some(deleted) = deleted else { return Ok(false) };
    delete_texts(connection, deleted.get("session_number")?).await?;
    let channel = Channel::Session(session_id).to_string();
    sql("delete from events where channel = $1").bind(channel).execute(connection).await?;
    Ok(true)
}

async fn delete_events(
    connection: &mut DbConnection,
    before: Timestamp,
    batch: u32,
) -> Result<u64, StoreError> {
    let deleted = sql("
        delete from events
        where (channel, event_id) in (
          select channel, event_id
          from events
          where created_at_us < $1
          order by created_at_us, channel, event_id
          limit $2)
        returning event_id")
    .bind(before)
    .bind(batch)
    .fetch_all(connection)
    .await?;
    Ok(deleted.len() as u64)
}
