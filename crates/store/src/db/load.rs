//! The health and the load of the database.

use crate::db::sql::sql;
use crate::db::sqlite::SqliteReaders;
use crate::store::Backend;
use crate::{Store, StoreError};

/// The load of this process's connections to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseLoad {
    /// Maximum number of connections; on SQLite of those for reading.
    pub connections: u64,
    /// Connections in use.
    pub connections_in_use: u64,
    /// Changes queued for the SQLite writer; always 0 on PostgreSQL, where each change has its own
    /// connection.
    pub writes_waiting: u64,
}

impl Store {
    /// Runs a trivial query. The caller sets the timeout.
    pub async fn database_ping(&self) -> Result<(), StoreError> {
        let mut connection = self.read().await?;
        sql("select session_id from sessions limit 1").fetch_optional(&mut connection).await.map(drop)
    }

    /// Returns the current load without accessing the database.
    pub fn database_load(&self) -> DatabaseLoad {
        let (connections, in_use, waiting) = match &self.backend {
            Backend::Sqlite { readers, writer } => (SqliteReaders::MAX, readers.in_use(), writer.waiting()),
            Backend::Postgres { pool } => {
                let most = usize::try_from(pool.options().get_max_connections()).unwrap_or(usize::MAX);
                let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
                (most, open.saturating_sub(pool.num_idle()), 0)
            }
        };
        DatabaseLoad {
            connections: connections as u64,
            connections_in_use: in_use as u64,
            writes_waiting: waiting as u64,
        }
    }
}
