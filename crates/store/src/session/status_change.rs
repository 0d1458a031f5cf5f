//! The events of a status change, in the channel of the session and in the channel of all sessions.

use tarsy_domain::{EventPayload, SessionId, SessionStatus, SessionStatusData, Timestamp};

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::sql::Sql;
use crate::live::event::{append_to_all, session_event};

/// The creation or a status change of a session.
pub(crate) struct StatusChange {
    pub(crate) session_id: SessionId,
    pub(crate) status: SessionStatus,
    pub(crate) at: Timestamp,
}

impl StatusChange {
    /// Appends the events to both channels and runs the other `changes` in the same round trip. Must be the
    /// last operation of a transaction, because it locks the channel of all sessions.
    pub(crate) async fn announce(
        self,
        connection: &mut DbConnection,
        mut changes: Vec<Sql>,
        last_event_id: u64,
    ) -> Result<(), StoreError> {
        let event = self.event();
        changes.push(session_event(self.session_id, &event, last_event_id, self.at));
        execute_together(connection, changes).await?;
        append_to_all(connection, &event, self.at).await
    }

    fn event(&self) -> EventPayload {
        EventPayload::SessionStatus(SessionStatusData { session_id: self.session_id, status: self.status })
    }
}
