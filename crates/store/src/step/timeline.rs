//! The timeline of a session: the entries that people read.
//!
//! Entries are written with their final text, most of them by the step that they belong to. Text that is
//! still being streamed is not in the database.

use futures_util::FutureExt;
use tarsy_domain::{ExecutionId, SessionId, StageId, TimelineEventId, TimelineEventType, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::queue::lease::Lease;
use crate::queue::session_delta::advance;
use crate::step::announcement::Announcement;
use crate::step::write_context::WriteContext;
use crate::{Store, StoreError};

/// An entry to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTimelineEvent {
    /// Its id, which live messages use too.
    pub timeline_event_id: TimelineEventId,
    /// The stage it belongs to, if any.
    pub stage_id: Option<StageId>,
    /// Its type.
    pub event_type: TimelineEventType,
    /// The text.
    pub content: String,
    /// Further details, as JSON text.
    pub metadata: String,
    /// When it first appeared.
    pub created_at: Timestamp,
}

/// A recorded entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineEvent {
    /// Its position in the session, from 1 without gaps.
    pub position: u64,
    /// The execution that it belongs to, if any.
    pub execution_id: Option<ExecutionId>,
    /// Its position in the execution, from 1 without gaps.
    pub sequence: Option<u64>,
    /// When its text was complete.
    pub completed_at: Timestamp,
    /// The entry.
    pub entry: NewTimelineEvent,
}

const COLUMNS: &str = "
    timeline_event_id, stage_id, execution_id, position, sequence, event_type, content, metadata, created_at_us,
    completed_at_us";

impl Store {
    /// Returns the timeline of a session after a position, at most `limit` entries.
    pub async fn timeline_list(
        &self,
        session_id: SessionId,
        after_position: u64,
        limit: u32,
    ) -> Result<Vec<TimelineEvent>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql(format!(
            "select {COLUMNS}
            from timeline_events
            where session_id = $1
              and position > $2
            order by position
            limit $3"
        ))
        .bind(session_id)
        .bind(after_position)
        .bind(limit)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(TimelineEvent::decode).collect()
    }

    /// Returns the timeline of a session from an entry on, at most `limit` entries.
    pub async fn timeline_list_from(
        &self,
        session_id: SessionId,
        first: TimelineEventId,
        limit: u32,
    ) -> Result<Vec<TimelineEvent>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql(format!(
            "select {COLUMNS}
            from timeline_events
            where session_id = $1
              and position >= (
                select position
                from timeline_events
                where session_id = $1
                  and timeline_event_id = $2)
            order by position
            limit $3"
        ))
        .bind(session_id)
        .bind(first)
        .bind(limit)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(TimelineEvent::decode).collect()
    }

    /// Returns whether an entry is recorded.
    pub async fn timeline_event_exists(
        &self,
        session_id: SessionId,
        timeline_event_id: TimelineEventId,
    ) -> Result<bool, StoreError> {
        let mut connection = self.read().await?;
        let found =
            sql("select position from timeline_events where session_id = $1 and timeline_event_id = $2")
                .bind(session_id)
                .bind(timeline_event_id)
                .fetch_optional(&mut connection)
                .await?;
        Ok(found.is_some())
    }

    /// Adds an entry of the session itself, which does not belong to a step.
    pub async fn timeline_insert(
        &self,
        lease: Lease,
        entry: NewTimelineEvent,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change_session(lease.session_id, move |connection| {
            insert(connection, lease, entry.clone(), at).boxed()
        })
        .await
    }
}

async fn insert(
    connection: &mut DbConnection,
    lease: Lease,
    entry: NewTimelineEvent,
    at: Timestamp,
) -> Result<(), StoreError> {
    let announcement = Announcement::new(lease.session_id, None, [entry], None);
    let counters = advance(connection, lease, &announcement.delta()).await?;
    let context = WriteContext { session_id: lease.session_id, execution_id: None, at };
    execute_together(connection, announcement.inserts(connection.engine(), context, &counters)).await
}

/// Returns the inserts of entries. The last entry gets `last_position` and `last_sequence`; entries of the
/// session itself have no sequence.
pub(crate) fn insert_timeline(
    context: WriteContext,
    entries: &[NewTimelineEvent],
    last_sequence: Option<u64>,
    last_position: u64,
) -> impl Iterator<Item = Sql> {
    let count = entries.len() as u64;
    entries.iter().zip(1..).map(move |(entry, number)| {
        sql("
            insert into timeline_events
              (timeline_event_id, session_id, stage_id, execution_id, position, sequence, event_type, content, metadata,
               created_at_us, completed_at_us)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
        .bind(entry.timeline_event_id)
        .bind(context.session_id)
        .bind(entry.stage_id)
        .bind(context.execution_id)
        .bind(last_position - count + number)
        .bind(last_sequence.map(|last| last - count + number))
        .bind(entry.event_type.as_str())
        .bind(&entry.content)
        .bind(&entry.metadata)
        .bind(entry.created_at)
        .bind(context.at)
    })
}

impl TimelineEvent {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            position: row.count("position")?,
            execution_id: row.optional_id("execution_id")?,
            sequence: row.optional_count("sequence")?,
            completed_at: row.time("completed_at_us")?,
            entry: NewTimelineEvent {
                timeline_event_id: row.id("timeline_event_id")?,
                stage_id: row.optional_id("stage_id")?,
                event_type: row.parsed("event_type")?,
                content: row.get("content")?,
                metadata: row.get("metadata")?,
                created_at: row.time("created_at_us")?,
            },
        })
    }
}
