//! Notifications about groups of alerts: one session for each firing of a group.
//!
//! Every firing alert of a group has a row with the session that investigates it. A notification belongs to a
//! session if any of its alerts does. The rows of a notification are locked in the order of their
//! fingerprints, so that concurrent notifications about the same alerts are processed one after the other and
//! never deadlock; those without a common alert do not wait for each other.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{Firing, FiringOrder, KnownFiring, SessionId, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::live::signal::Signal;
use crate::session::note::insert_note;
use crate::session::submission::insert_session;
use crate::step::timeline::NewTimelineEvent;
use crate::{NewSession, QueueLimit, Store, StoreError, SubmitOutcome};

/// A notification about a group of alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupNotice {
    /// The key of the group, the same for all senders.
    pub group_key: String,
    /// Its alerts: those that are firing, and those that have ended since the last notification.
    pub firings: Vec<Firing>,
}

/// The outcome of a notification that a group has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolveOutcome {
    /// It was noted on this session.
    Noted(SessionId),
    /// It had already been noted on this session.
    NotedBefore(SessionId),
    /// No session investigates any of its alerts.
    Unknown,
}

impl Store {
    /// Creates the session of a firing group, unless this firing has one. Notifies the workers.
    pub async fn firing_submit(
        &self,
        notice: GroupNotice,
        session: NewSession,
        limit: QueueLimit,
        at: Timestamp,
    ) -> Result<SubmitOutcome, StoreError> {
        let session_id = session.session_id;
        let submitted = Arc::new((notice.sorted(), session.with_words()));
        let outcome = self
            .change_session(session_id, move |connection| {
                submit(connection, Arc::clone(&submitted), limit, at).boxed()
            })
            .await?;
        if matches!(outcome, SubmitOutcome::Created(_)) {
            self.signal(Signal::Work).await;
        }
        Ok(outcome)
    }

    /// Records on its session, once, that a group has ended. The session may have ended too.
    pub async fn firing_resolve(
        &self,
        notice: GroupNotice,
        note: NewTimelineEvent,
        at: Timestamp,
    ) -> Result<ResolveOutcome, StoreError> {
        let resolved = Arc::new((notice.sorted(), note));
        let outcome =
            self.write(move |connection| resolve(connection, Arc::clone(&resolved), at).boxed()).await?;
        if let ResolveOutcome::Noted(session_id) = outcome {
            self.live.changed(session_id);
        }
        Ok(outcome)
    }
}

async fn submit(
    connection: &mut DbConnection,
    submitted: Arc<(GroupNotice, Arc<(NewSession, String)>)>,
    limit: QueueLimit,
    at: Timestamp,
) -> Result<SubmitOutcome, StoreError> {
    let (notice, session) = &*submitted;
    let locked = notice.lock(connection).await?;
    let outcome = match session_of(&locked) {
        Some(session_id) => SubmitOutcome::Existing(session_id),
        None => insert_session(connection, Arc::clone(session), limit, at).await?,
    };
    let changes = match outcome {
        SubmitOutcome::Created(session_id) | SubmitOutcome::Existing(session_id) => {
            notice.changes(&locked, session_id)
        }
        SubmitOutcome::QueueFull => vec![notice.delete_new()],
    };
    execute_together(connection, changes).await?;
    Ok(outcome)
}

async fn resolve(
    connection: &mut DbConnection,
    resolved: Arc<(GroupNotice, NewTimelineEvent)>,
    at: Timestamp,
) -> Result<ResolveOutcome, StoreError> {
    let (notice, note) = &*resolved;
    let locked = notice.lock(connection).await?;
    let Some(session_id) = session_of(&locked) else {
        notice.delete_new().execute(connection).await?;
        return Ok(ResolveOutcome::Unknown);
    };
    let is_open = locked.iter().any(|locked| locked.belongs_to(session_id) && locked.is_open());
    let mut changes = notice.changes(&locked, session_id);
    if !is_open {
        execute_together(connection, changes).await?;
        return Ok(ResolveOutcome::NotedBefore(session_id));
    }
    changes.extend(notice.close(session_id));
    execute_together(connection, changes).await?;
    insert_note(connection, session_id, note.clone(), at).await?;
    Ok(ResolveOutcome::Noted(session_id))
}

/// A notified alert with its recorded state.
struct LockedFiring<'a> {
    notified: &'a Firing,
    known: Option<KnownFiring>,
}

impl LockedFiring<'_> {
    fn order(&self) -> FiringOrder {
        self.known.map_or(FiringOrder::Later, |known| known.compare(self.notified))
    }

    fn belongs_to(&self, session_id: SessionId) -> bool {
        self.known.is_some_and(|known| known.session_id == session_id) && self.order() == FiringOrder::Same
    }

    fn is_open(&self) -> bool {
        self.known.is_some_and(|known| known.ended_at.is_none())
    }
}

/// Returns the session of a notification: the newest one that investigates one of its alerts.
fn session_of(locked: &[LockedFiring<'_>]) -> Option<SessionId> {
    let same = locked.iter().filter(|locked| locked.order() == FiringOrder::Same);
    same.filter_map(|locked| locked.known).map(|known| known.session_id).max()
}

impl GroupNotice {
    fn sorted(mut self) -> Self {
        self.firings.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint));
        self.firings.dedup_by(|one, other| one.fingerprint == other.fingerprint);
        self
    }

    /// Locks the rows of all its alerts, inserts those that are missing, and returns their recorded state.
    async fn lock(&self, connection: &mut DbConnection) -> Result<Vec<LockedFiring<'_>>, StoreError> {
        let mut locked = Vec::with_capacity(self.firings.len());
        for notified in &self.firings {
            let row = sql("
                insert into firings (group_key, fingerprint, began_at_us, ended_at_us)
                values ($1, $2, $3, $4)
                on conflict (group_key, fingerprint) do update
                set fingerprint = excluded.fingerprint
                returning session_id, began_at_us, ended_at_us")
            .bind(&self.group_key)
            .bind(&notified.fingerprint)
            .bind(notified.began_at)
            .bind(notified.ended_at)
            .fetch_one(connection)
            .await?;
            locked.push(LockedFiring { notified, known: decode(&row)? });
        }
        Ok(locked)
    }

    /// Returns the changes that record this notification.
    fn changes(&self, locked: &[LockedFiring<'_>], session_id: SessionId) -> Vec<Sql> {
        let change = |locked: &LockedFiring<'_>| match locked.order() {
            FiringOrder::Earlier => None,
            FiringOrder::Same if locked.is_open() => {
                locked.notified.ended_at.map(|_| self.end(locked.notified))
            }
            FiringOrder::Same => None,
            FiringOrder::Later => Some(self.begin(locked.notified, session_id)),
        };
        locked.iter().filter_map(change).collect()
    }

    fn begin(&self, notified: &Firing, session_id: SessionId) -> Sql {
        sql("
            update firings
            set session_id = $3,
                began_at_us = $4,
                ended_at_us = $5
            where group_key = $1
              and fingerprint = $2")
        .bind(&self.group_key)
        .bind(&notified.fingerprint)
        .bind(session_id)
        .bind(notified.began_at)
        .bind(notified.ended_at)
    }

    fn end(&self, notified: &Firing) -> Sql {
        sql("
            update firings
            set ended_at_us = $3
            where group_key = $1
              and fingerprint = $2")
        .bind(&self.group_key)
        .bind(&notified.fingerprint)
        .bind(notified.ended_at)
    }

    /// Ends the rest of the group: an alert whose end was never reported has ended with the others.
    fn close(&self, session_id: SessionId) -> Option<Sql> {
        let last_end = self.firings.iter().filter_map(|firing| firing.ended_at).max()?;
        let close = sql("
            update firings
            set ended_at_us = $3
            where group_key = $1
              and session_id = $2
              and ended_at_us is null")
        .bind(&self.group_key)
        .bind(session_id)
        .bind(last_end);
        Some(close)
    }

    /// Deletes the rows that were inserted only to be locked.
    fn delete_new(&self) -> Sql {
        sql("delete from firings where group_key = $1 and session_id is null").bind(&self.group_key)
    }
}

fn decode(row: &DbRow) -> Result<Option<KnownFiring>, StoreError> {
    let Some(session_id) = row.optional_id("session_id")? else { return Ok(None) };
    let began_at = row.time("began_at_us")?;
    Ok(Some(KnownFiring { session_id, began_at, ended_at: row.optional_time("ended_at_us")? }))
}
