//! The news that a session was created or has moved, for those who watch it and for those who watch all.

use tarsy_domain::{EventPayload, SessionId, SessionStatus, SessionStatusData, Timestamp};

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::sql::Sql;
use crate::live::event::{append_to_all, session_event};

/// A session that was created or has moved.
pub(crate) struct StatusChange {
    pub(crate) session_id: SessionId,
    pub(crate) status: SessionStatus,
    pub(crate) at: Timestamp,
}

impl StatusChange {
    /// Tells the watchers of this session and of all sessions, and makes the other changes of the transaction in the
    /// same round trip. The last thing a transaction does.
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
