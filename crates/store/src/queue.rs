//! The queue: which worker works on which session.
//!
//! A claim returns a [`Lease`]: the worker owns the session until the lease expires, and renews it while it
//! runs. The lease carries a fencing token that grows with every claim. Each write of the worker carries it
//! too, and a write with an outdated token is rejected. A worker that was paused past its lease therefore
//! cannot write into a session that another worker has claimed.
//!
//! `claimable_at_us` is the time from which a session may be claimed: its creation, the end of its lease, or
//! null for never. A question in the chat of a session that has ended makes it claimable again.

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

/// A claimed session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The lease.
    pub lease: Lease,
    /// The session in its current state. One that was started before is to be resumed; one that has ended has
    /// an open question in its chat.
    pub session: Session,
    /// Number of consecutive claims whose worker was lost before it recorded anything.
    pub crashes: u32,
}

/// Maximum number of sessions that run concurrently, over all workers of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimLimit {
    /// No limit other than the number of workers.
    Unlimited,
    /// Exactly this limit.
    Sessions(u32),
}

/// The state of a renewed lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// Continue.
    Held,
    /// The cancellation of the session, or of the chat answer that it was claimed for, was requested.
    CancelRequested,
}

/// The sessions that wait for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueBacklog {
    /// Number of claimable sessions.
    pub sessions: u64,
    /// The time since which the oldest of them is claimable.
    pub oldest_since: Option<Timestamp>,
}

impl Store {
    /// Returns how much work waits for a worker: new sessions, interrupted ones and questions in chats.
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

    /// Claims the next session for `worker`: interrupted sessions first, then the oldest one.
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

    /// Renews all leases of a worker for another `lease_duration` in one statement, and returns them.
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

    /// Releases an unfinished session, so that any worker can claim it.
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
    if let ClaimLimit::Sessions(max) = limit {
        dialect::acquire_advisory_lock(connection, AdvisoryLock::Claim).await?;
        if running(connection, at).await? >= u64::from(max) {
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

/// Returns the number of running sessions: started, with a lease that has not expired.
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
