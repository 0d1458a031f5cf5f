//! Retention: old sessions and old events are removed, a small batch at a time.
//!
//! Small batches, because on SQLite everybody's writes wait while one runs. Only ended sessions are removed,
//! and events only once nobody can be watching them live. When to sweep is the caller's decision.

use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{SessionId, Timestamp};

use crate::connection::Connection;
use crate::dialect;
use crate::sql::sql;
use crate::{Store, StoreError};

/// What is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Sessions are kept so long after they ended.
    pub sessions: Duration,
    /// Events for catch-up are kept so long; those of a session that has not ended are kept in any case.
    pub events: Duration,
    /// How many sessions, and how many events, one batch removes at most.
    pub batch: u32,
}

/// What one batch removed; nothing is left to remove once both are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Sessions, with all that belongs to them.
    pub sessions: u64,
    /// Events.
    pub events: u64,
}

impl Store {
    /// Removes one batch of what is too old.
    pub async fn retention_sweep(&self, policy: RetentionPolicy, at: Timestamp) -> Result<Swept, StoreError> {
        self.write(move |connection| sweep(connection, policy, at).boxed()).await
    }

    /// Removes one ended session with all that belongs to it; answers whether there was such a one.
    pub async fn session_delete(&self, session_id: SessionId) -> Result<bool, StoreError> {
        self.write(move |connection| delete_session(connection, session_id).boxed()).await
    }
}

async fn sweep(
    connection: &mut Connection,
    policy: RetentionPolicy,
    at: Timestamp,
) -> Result<Swept, StoreError> {
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
    let mut swept = Swept::default();
    for row in old {
        swept.sessions += u64::from(delete_session(connection, row.id("session_id")?).await?);
    }
    swept.events = delete_events(connection, at.before(policy.events), policy.batch).await?;
    Ok(swept)
}

async fn delete_session(connection: &mut Connection, session_id: SessionId) -> Result<bool, StoreError> {
    let ended = sql("select 1 as ended from sessions where session_id = $1 and completed_at_us is not null")
        .bind(session_id)
        .fetch_optional(connection)
        .await?;
    if ended.is_none() {
        return Ok(false);
    }
    dialect::search_forget(connection, session_id).await?;
    sql("delete from sessions where session_id = $1").bind(session_id).execute(connection).await?;
    Ok(true)
}

async fn delete_events(
    connection: &mut Connection,
    before: Timestamp,
    batch: u32,
) -> Result<u64, StoreError> {
    let deleted = sql("
        delete from events
        where (channel, event_id) in (
          select e.channel, e.event_id
          from events e
          left join sessions s on s.session_id = e.session_id
          where e.created_at_us < $1
            and (e.session_id is null or s.completed_at_us is not null)
          order by e.created_at_us, e.channel, e.event_id
          limit $2)
        returning event_id")
    .bind(before)
    .bind(batch)
    .fetch_all(connection)
    .await?;
    Ok(deleted.len() as u64)
}
