//! Notifications about groups of alerts: one session for each time that a group fires.
//!
//! Every alert of a group that fires has a row that says which session looks into it. A notification in which any alert
//! belongs to a session is about that session. The rows of a notification are locked in the order of their names, so that
//! two senders with the same news take turns; those without a common alert do not meet.

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
    /// A name for the group; the same for all senders that speak of it.
    pub group_key: String,
    /// Its alerts: those that fire, and those that have ended since the last notification.
    pub firings: Vec<Firing>,
}

/// What became of the news that a group has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolveOutcome {
    /// It is noted on this session.
    Noted(SessionId),
    /// It was noted on this session before.
    NotedBefore(SessionId),
    /// No session looks into any of its alerts.
    Unknown,
}

impl Store {
    /// Creates the session of a group that fires, unless there is one for this firing. Workers are told.
    pub async fn firing_submit(
        &self,
        notice: GroupNotice,
        session: NewSession,
        limit: QueueLimit,
        at: Timestamp,
    ) -> Result<SubmitOutcome, StoreError> {
        let session_id = session.session_id;
        let submitted = Arc::new((notice.in_order(), session.with_words()));
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

    /// Notes on its session, once, that all of a group has ended. The session may have ended too.
    pub async fn firing_resolve(
        &self,
        notice: GroupNotice,
        note: NewTimelineEvent,
        at: Timestamp,
    ) -> Result<ResolveOutcome, StoreError> {
        let resolved = Arc::new((notice.in_order(), note));
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
    let seen = notice.lock(connection).await?;
    let outcome = match session_of(&seen) {
        Some(session_id) => SubmitOutcome::Existing(session_id),
        None => insert_session(connection, Arc::clone(session), limit, at).await?,
    };
    let changes = match outcome {
        SubmitOutcome::Created(session_id) | SubmitOutcome::Existing(session_id) => {
            notice.changes(&seen, session_id)
        }
        SubmitOutcome::QueueFull => vec![notice.forget_new()],
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
    let seen = notice.lock(connection).await?;
    let Some(session_id) = session_of(&seen) else {
        notice.forget_new().execute(connection).await?;
        return Ok(ResolveOutcome::Unknown);
    };
    let is_news = seen.iter().any(|seen| seen.belongs_to(session_id) && seen.is_open());
    let mut changes = notice.changes(&seen, session_id);
    if !is_news {
        execute_together(connection, changes).await?;
        return Ok(ResolveOutcome::NotedBefore(session_id));
    }
    changes.extend(notice.close(session_id));
    execute_together(connection, changes).await?;
    insert_note(connection, session_id, note.clone(), at).await?;
    Ok(ResolveOutcome::Noted(session_id))
}

/// What is told of an alert, beside what is known of it.
struct Seen<'a> {
    told: &'a Firing,
    known: Option<KnownFiring>,
}

impl Seen<'_> {
    fn which(&self) -> FiringOrder {
        self.known.map_or(FiringOrder::Later, |known| known.compare(self.told))
    }

    fn belongs_to(&self, session_id: SessionId) -> bool {
        self.known.is_some_and(|known| known.session_id == session_id) && self.which() == FiringOrder::Same
    }

    fn is_open(&self) -> bool {
        self.known.is_some_and(|known| known.ended_at.is_none())
    }
}

/// The session that a notification is about: the newest that looks into one of its alerts.
fn session_of(seen: &[Seen<'_>]) -> Option<SessionId> {
    let same = seen.iter().filter(|seen| seen.which() == FiringOrder::Same);
    same.filter_map(|seen| seen.known).map(|known| known.session_id).max()
}

impl GroupNotice {
    fn in_order(mut self) -> Self {
        self.firings.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint));
        self.firings.dedup_by(|one, other| one.fingerprint == other.fingerprint);
        self
    }

    /// Locks the rows of all its alerts, making those that are not there, and answers what they say.
    async fn lock(&self, connection: &mut DbConnection) -> Result<Vec<Seen<'_>>, StoreError> {
        let mut seen = Vec::with_capacity(self.firings.len());
        for told in &self.firings {
            let row = sql("
                insert into firings (group_key, fingerprint, began_at_us, ended_at_us)
                values ($1, $2, $3, $4)
                on conflict (group_key, fingerprint) do update
                set fingerprint = excluded.fingerprint
                returning session_id, began_at_us, ended_at_us")
            .bind(&self.group_key)
            .bind(&told.fingerprint)
            .bind(told.began_at)
            .bind(told.ended_at)
            .fetch_one(connection)
            .await?;
            seen.push(Seen { told, known: decode(&row)? });
        }
        Ok(seen)
    }

    /// What is known once this notification was heard.
    fn changes(&self, seen: &[Seen<'_>], session_id: SessionId) -> Vec<Sql> {
        let change = |seen: &Seen<'_>| match seen.which() {
            FiringOrder::Earlier => None,
            FiringOrder::Same if seen.is_open() => seen.told.ended_at.map(|_| self.end(seen.told)),
            FiringOrder::Same => None,
            FiringOrder::Later => Some(self.begin(seen.told, session_id)),
        };
        seen.iter().filter_map(change).collect()
    }

    fn begin(&self, told: &Firing, session_id: SessionId) -> Sql {
        sql("
            update firings
            set session_id = $3,
                began_at_us = $4,
                ended_at_us = $5
            where group_key = $1
              and fingerprint = $2")
        .bind(&self.group_key)
        .bind(&told.fingerprint)
        .bind(session_id)
        .bind(told.began_at)
        .bind(told.ended_at)
    }

    fn end(&self, told: &Firing) -> Sql {
        sql("
            update firings
            set ended_at_us = $3
            where group_key = $1
              and fingerprint = $2")
        .bind(&self.group_key)
        .bind(&told.fingerprint)
        .bind(told.ended_at)
    }

    /// Ends what is left of the group: an alert whose end was never told has ended with the others.
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

    /// Removes the rows that were made only to be locked.
    fn forget_new(&self) -> Sql {
        sql("delete from firings where group_key = $1 and session_id is null").bind(&self.group_key)
    }
}

fn decode(row: &DbRow) -> Result<Option<KnownFiring>, StoreError> {
    let Some(session_id) = row.optional_id("session_id")? else { return Ok(None) };
    let began_at = row.time("began_at_us")?;
    Ok(Some(KnownFiring { session_id, began_at, ended_at: row.optional_time("ended_at_us")? }))
}
