//! The runbook of a session, as it was when the session first needed it.

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

/// A runbook to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRunbook {
    /// The text, masked; empty if there is none.
    pub text: String,
    /// What people should know if it could not be had.
    pub note: Option<NewTimelineEvent>,
    /// Which secrets have been masked in the session, as JSON text without the secrets, if there are new ones.
    pub masked_values: Option<String>,
}

impl Store {
    /// The recorded runbook, if one was recorded; an empty one says that there is none.
    pub async fn runbook_fetch(&self, session_id: SessionId) -> Result<Option<String>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("select runbook_text from session_inputs where session_id = $1")
            .bind(session_id)
            .fetch_optional(&mut connection)
            .await?;
        row.map_or(Ok(None), |row| row.get("runbook_text"))
    }

    /// Records the runbook.
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
    let kept = sql("update session_inputs set runbook_text = $2 where session_id = $1")
        .bind(lease.session_id)
        .bind(text);
    let context = WriteContext { session_id: lease.session_id, execution_id: None, at };
    let mut changes = announcement.inserts(connection.engine(), context, &counters);
    changes.push(kept);
    changes.extend(masked_values.as_ref().map(|record| upsert_masked_values(lease.session_id, record)));
    execute_together(connection, changes).await
}
