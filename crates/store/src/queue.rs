//! The queue: which worker works on which session.
//!
//! A claim gives a [`Lease`]: the session is the worker's until the lease runs out, and it is renewed while the
//! worker lives. The lease carries a fencing number that grows with every claim; each write of the worker
//! carries it too, and one with an old number is refused. So a worker that was paused past its lease cannot
//! write into a session that somebody else has taken over.
//!
//! `claimable_at_us` says when a session may be claimed: from its creation, from the end of its lease, or never
//! again. A question in the chat of a session that has ended makes it claimable once more.

pub(crate) mod lease;
pub(crate) mod session_delta;

use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{SessionStatus, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::dialect::{self, AdvisoryLock};
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::live::signal::Signal;
use crate::queue::lease::Lease;
use crate::session::ending::{CANCEL_IS_REQUESTED, is_requested};
use crate::session::status_change::StatusChange;
use crate::session::{COLUMNS, Session};
use crate::{Store, StoreError};

/// A session that a worker may now work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The right to do so.
    pub lease: Lease,
    /// The session as it is now. One that was begun before is to be resumed; of one that has ended somebody asked
    /// something in its chat.
    pub session: Session,
    /// How often in a row its worker was lost before it had recorded anything.
    pub crashes: u32,
}

/// How many sessions may be worked on at once, over all workers of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimLimit {
    /// As many as there are workers.
    Unlimited,
    /// At most so many, exactly.
    Sessions(u32),
}

/// What a worker learns when it renews its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// Go on.
    Held,
    /// Somebody asked to stop the session, or the answer it is held for.
    CancelRequested,
}

/// What waits for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueBacklog {
    /// How many sessions could be claimed.
    pub sessions: u64,
    /// Since when the one could be that waits longest.
    pub oldest_since: Option<Timestamp>,
}

impl Store {
    /// What waits for a worker at this moment: new sessions, interrupted ones and questions in chats.
    pub async fn queue_backlog(&self, at: Timestamp) -> Result<QueueBacklog, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("
            select count(*) as sessions, min(claimable_at_us) as oldest_since_us
            from sessions
            where claimable_at_us <= $1")
        .bind(at)
        .fetch_one(&mut connection)
        .await?;
        Ok(QueueBacklog {
            sessions: row.count("sessions")?,
            oldest_since: row.optional_time("oldest_since_us")?,
        })
    }

    /// Takes the next session for `worker`: interrupted ones first, then the oldest that waits.
    pub async fn queue_claim(
        &self,
        worker: &str,
        limit: ClaimLimit,
        at: Timestamp,
        lease_duration: Duration,
    ) -> Result<Option<Claimed>, StoreError> {
        let worker = worker.to_owned();
        let until = at.after(lease_duration);
        let claimed =
            self.write(move |connection| claim(connection, worker.clone(), limit, at, until).boxed()).await?;
        if let Some(claimed) = &claimed {
            self.live.changed(claimed.session.session_id);
        }
        Ok(claimed)
    }

    /// Keeps all leases of a worker for another `lease_duration`, however many there are: answers those that it holds.
    pub async fn queue_renew(
        &self,
        worker: &str,
        at: Timestamp,
        lease_duration: Duration,
    ) -> Result<Vec<(Lease, LeaseState)>, StoreError> {
        let worker = worker.to_owned();
        let until = at.after(lease_duration);
        self.write(move |connection| renew(connection, worker.clone(), until).boxed()).await
    }

    /// Gives a session back unfinished; any worker may claim it from now on.
    pub async fn queue_release(&self, lease: Lease, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |connection| release(connection, lease, at).boxed()).await?;
        self.signal(Signal::Work).await;
        Ok(())
    }
}

async fn claim(
    connection: &mut DbConnection,
    worker: String,
    limit: ClaimLimit,
    at: Timestamp,
    until: Timestamp,
) -> Result<Option<Claimed>, StoreError> {
    if let ClaimLimit::Sessions(most) = limit {
        dialect::acquire_advisory_lock(connection, AdvisoryLock::Claim).await?;
        if running(connection, at).await? >= u64::from(most) {
            return Ok(None);
        }
    }
    let candidate = dialect::claim_candidate(connection.engine());
    let claimed = sql(format!(
        "
        update sessions
        set status = case status when 'pending' then 'in_progress' else status end,
            started_at_us = case status when 'pending' then $1 else started_at_us end,
            interrupted_us = interrupted_us
              + case when status = 'pending' or completed_at_us is not null then 0 else $1 - claimable_at_us end,
            crashes = case when worker is null then 0 else crashes + 1 end,
            claimable_at_us = $2,
            worker = $3,
            fence = fence + 1,
            last_event_id = last_event_id + case status when 'pending' then 1 else 0 end
        where session_id = ({candidate})
        returning {COLUMNS}, fence, crashes, last_event_id"
    ))
    .bind(at)
    .bind(until)
    .bind(worker)
    .fetch_optional(connection)
    .await?;
    let Some(row) = claimed else { return Ok(None) };
    let session = Session::decode(&row)?;
    let lease = Lease { session_id: session.session_id, fence: row.get("fence")? };
    let crashes = u32::try_from(row.count("crashes")?).unwrap_or(u32::MAX);
    if session.status == SessionStatus::InProgress && session.started_at == Some(at) {
        let change = StatusChange { session_id: lease.session_id, status: SessionStatus::InProgress, at };
        change.announce(connection, Vec::new(), row.count("last_event_id")?).await?;
    }
    Ok(Some(Claimed { lease, session, crashes }))
}

/// Sessions that somebody works on: begun, and their lease has not run out.
async fn running(connection: &mut DbConnection, at: Timestamp) -> Result<u64, StoreError> {
    let row = sql("
        select count(*) as running
        from sessions
        where status <> 'pending'
          and claimable_at_us > $1")
    .bind(at)
    .fetch_one(connection)
    .await?;
    row.count("running")
}

async fn renew(
    connection: &mut DbConnection,
    worker: String,
    until: Timestamp,
) -> Result<Vec<(Lease, LeaseState)>, StoreError> {
    let rows = sql(format!(
        "
        update sessions
        set claimable_at_us = $2
        where claimable_at_us is not null
          and worker = $1
        returning session_id, fence, {CANCEL_IS_REQUESTED} as cancel_requested"
    ))
    .bind(worker)
    .bind(until)
    .fetch_all(connection)
    .await?;
    let held = |row: &DbRow| {
        let lease = Lease { session_id: row.id("session_id")?, fence: row.get("fence")? };
        let requested = is_requested(row)?;
        Ok((lease, if requested { LeaseState::CancelRequested } else { LeaseState::Held }))
    };
    rows.iter().map(held).collect()
}

async fn release(connection: &mut DbConnection, lease: Lease, at: Timestamp) -> Result<(), StoreError> {
    let released = sql("
        update sessions
        set claimable_at_us = $3,
            worker = null,
            fence = fence + 1
        where session_id = $1
          and fence = $2
        returning fence")
    .bind(lease.session_id)
    .bind(lease.fence)
    .bind(at)
    .fetch_optional(connection)
    .await?;
    released.map(drop).ok_or_else(|| lease.lost())
}
