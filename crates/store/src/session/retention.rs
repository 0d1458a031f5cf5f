//! Retention: old sessions and old events are removed, a small batch at a time.
//!
//! Small batches, because on SQLite everybody's writes wait while one runs. Only ended sessions are removed. Events
//! go by their age alone: a watcher who was away for longer than they are kept reads the session again. When to
//! sweep is the caller's decision.

use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{Channel, SessionId, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::dialect::{self, AdvisoryLock};
use crate::db::sql::sql;
use crate::session::search::forget_texts;
use crate::{Store, StoreError};

/// What is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Sessions are kept so long after they ended.
    pub sessions: Duration,
    /// Events for catch-up are kept so long.
    pub events: Duration,
    /// How many sessions, and how many events, one batch removes at most.
    pub batch: u32,
}

/// What one batch removed; nothing is left to remove once both are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepResult {
    /// Sessions, with all that belongs to them.
    pub sessions: u64,
    /// Events.
    pub events: u64,
}

impl Store {
    /// Removes one batch of what is too old.
    pub async fn retention_sweep(
        &self,
        policy: RetentionPolicy,
        at: Timestamp,
    ) -> Result<SweepResult, StoreError> {
        self.write(move |connection| sweep(connection, policy, at).boxed()).await
    }

    /// Removes one ended session with all that belongs to it; answers whether there was such a one.
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
    forget_texts(connection, deleted.get("session_number")?).await?;
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
