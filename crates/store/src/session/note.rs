//! A timeline entry that is not written by the worker of a session: it needs no lease, and the session may
//! have ended.

use tarsy_domain::{SessionId, Timestamp};

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::sql::sql;
use crate::queue::session_delta::SessionCounters;
use crate::step::announcement::Announcement;
use crate::step::timeline::NewTimelineEvent;
use crate::step::write_context::WriteContext;

/// Adds an entry to the timeline of a session, and its event.
pub(crate) async fn insert_note(
    connection: &mut DbConnection,
    session_id: SessionId,
    note: NewTimelineEvent,
    at: Timestamp,
) -> Result<(), StoreError> {
    let announcement = Announcement::new(session_id, None, [note], None);
    let added = announcement.delta();
    let row = sql("
        update sessions
        set timeline_events = timeline_events + $2,
            last_event_id = last_event_id + $3
        where session_id = $1
        returning session_number, timeline_events, last_event_id")
    .bind(session_id)
    .bind(added.timeline_events)
    .bind(added.events)
    .fetch_one(connection)
    .await?;
    let context = WriteContext { session_id, execution_id: None, at };
    let inserts = announcement.inserts(connection.engine(), context, &SessionCounters::decode(&row)?);
    execute_together(connection, inserts).await
}
