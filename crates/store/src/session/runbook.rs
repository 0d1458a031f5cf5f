//! The runbook of a session, as it was when the session first read it.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{SessionId, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::sql::sql;
use crate::queue::lease::Lease;
use crate::queue::session_delta::advance;
use crate::session::masked_values::upsert_masked_values;
use crate::step::announcement::Announcement;
use crate::step::timeline::NewTimelineEvent;
use crate::step::write_context::WriteContext;
use crate::{Store, StoreError};

/// A runbook to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRunbook {
    /// The text, masked; empty if the session has no runbook.
    pub text: String,
    /// A timeline entry, if the runbook could not be fetched.
    pub note: Option<NewTimelineEvent>,
    /// The ledger of masked secrets as JSON text, if it has grown. It contains digests, not secrets.
    pub masked_values: Option<String>,
}

impl Store {
    /// Returns the recorded runbook; `None` before it was recorded, empty if the session has none.
    pub async fn runbook_fetch(&self, session_id: SessionId) -> Result<Option<String>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("select runbook_text from session_inputs where session_id = $1")
            .bind(session_id)
            .fetch_optional(&mut connection)
            .await?;
        row.map_or(Ok(None), |row| row.get("runbook_text"))
    }

    /// Records the runbook of a session.
    pub async fn runbook_record(
        &self,
        lease: Lease,
        runbook: NewRunbook,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let runbook = Arc::new(runbook);
        self.change_session(lease.session_id, move |connection| {
            record(connection, lease, Arc::clone(&runbook), at).boxed()
        })
        .await
    }
}

async fn record(
    connection: &mut DbConnection,
    lease: Lease,
    runbook: Arc<NewRunbook>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let NewRunbook { text, note, masked_values } = &*runbook;
    let announcement = Announcement::new(lease.session_id, None, note.clone(), None);
    let counters = advance(connection, lease, &announcement.delta()).await?;
    let update = sql("update session_inputs set runbook_text = $2 where session_id = $1")
        .bind(lease.session_id)
        .bind(text);
    let context = WriteContext { session_id: lease.session_id, execution_id: None, at };
    let mut changes = announcement.inserts(connection.engine(), context, &counters);
    changes.push(update);
    changes.extend(masked_values.as_ref().map(|record| upsert_masked_values(lease.session_id, record)));
    execute_together(connection, changes).await
}
