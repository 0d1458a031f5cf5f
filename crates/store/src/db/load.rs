//! Whether the database answers, and how busy it is.

use crate::db::sql::sql;
use crate::db::sqlite::SqliteReaders;
use crate::store::Backend;
use crate::{Store, StoreError};

/// How busy the connections of this process to the database are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseLoad {
    /// Connections that may be open at most; on SQLite those for reading.
    pub connections: u64,
    /// Connections that somebody uses now.
    pub connections_in_use: u64,
    /// Changes that wait for the one writer of SQLite; none on PostgreSQL, where each has a connection.
    pub writes_waiting: u64,
}

impl Store {
    /// Asks the database for next to nothing. How long to wait for it is the caller's to say.
    pub async fn database_ping(&self) -> Result<(), StoreError> {
        let mut connection = self.read().await?;
        sql("select session_id from sessions limit 1").fetch_optional(&mut connection).await.map(drop)
    }

    /// How busy the connections are now. Nobody is asked for it.
    pub fn database_load(&self) -> DatabaseLoad {
        let (connections, in_use, waiting) = match &self.backend {
            Backend::Sqlite { readers, writer } => (SqliteReaders::MOST, readers.in_use(), writer.waiting()),
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
