//! The reason why the status of a stage or an execution could not change: the row does not exist, or its
//! current status does not allow the transition.
//!
//! A transition is one compare-and-set. The reason is only queried after it changed no row.

use tarsy_domain::WorkStatus;

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::sql::Sql;

/// A transition that changed no row.
pub(crate) struct RejectedTransition<'connection> {
    pub(crate) connection: &'connection mut DbConnection,
    pub(crate) what: &'static str,
    pub(crate) id: String,
    /// Selects its current `status`.
    pub(crate) current: Sql,
    pub(crate) to: WorkStatus,
}

impl RejectedTransition<'_> {
    /// Returns the error that explains the rejection.
    pub(crate) async fn explain(self) -> StoreError {
        match self.current.fetch_optional(self.connection).await {
            Ok(Some(row)) => match row.get("status") {
                Ok(from) => StoreError::IllegalTransition {
                    what: self.what,
                    id: self.id,
                    from,
                    to: self.to.to_string(),
                },
                Err(error) => error,
            },
            Ok(None) => StoreError::NotFound { what: self.what, id: self.id },
            Err(error) => error,
        }
    }
}
