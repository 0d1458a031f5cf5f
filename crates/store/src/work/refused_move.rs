//! Why a stage or an execution did not move: it is not there, or it is in a state that does not lead there.
//!
//! A move is one compare-and-set. Only when that changed nothing does anybody look at what stood in its way.

use tarsy_domain::WorkStatus;

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::sql::Sql;

/// A move that changed no row.
pub(crate) struct RefusedMove<'connection> {
    pub(crate) connection: &'connection mut DbConnection,
    pub(crate) what: &'static str,
    pub(crate) id: String,
    /// Reads the `status` it has.
    pub(crate) current: Sql,
    pub(crate) to: WorkStatus,
}

impl RefusedMove<'_> {
    /// The error that says what stood in the way.
    pub(crate) async fn explain(self) -> StoreError {
        match self.current.fetch_optional(self.connection).await {
            Ok(Some(row)) => match row.get("status") {
                Ok(from) => {
                    StoreError::IllegalMove { what: self.what, id: self.id, from, to: self.to.to_string() }
                }
                Err(error) => error,
            },
            Ok(None) => StoreError::NotFound { what: self.what, id: self.id },
            Err(error) => error,
        }
    }
}
