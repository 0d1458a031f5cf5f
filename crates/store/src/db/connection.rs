//! One connection to whichever engine the store runs on.
//!
//! The rest of the crate is written against [`DbConnection`] and does not know which engine it talks to. It has
//! no methods that run queries: those are in `sql`.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use crate::EngineKind;
use crate::db::sqlite::SqliteReader;

/// A connection, within a transaction or not.
pub(crate) enum DbConnection {
    /// The writer's own, on the writer's own thread, where statements may take their time.
    SqliteWriter(rusqlite::Connection),
    /// One of many for reading, whose statements run on threads that may wait.
    SqliteReader(SqliteReader),
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The engine's own connection, for the one place that runs statements.
pub(crate) enum ConnectionRef<'connection> {
    SqliteWriter(&'connection rusqlite::Connection),
    SqliteReader(&'connection mut SqliteReader),
    Postgres(&'connection mut PgConnection),
}

impl DbConnection {
    pub(crate) fn by_engine(&mut self) -> ConnectionRef<'_> {
        match self {
            Self::SqliteWriter(connection) => ConnectionRef::SqliteWriter(connection),
            Self::SqliteReader(reader) => ConnectionRef::SqliteReader(reader),
            Self::Postgres(connection) => ConnectionRef::Postgres(connection),
            Self::PostgresTransaction(transaction) => ConnectionRef::Postgres(transaction),
        }
    }

    pub(crate) fn engine(&self) -> EngineKind {
        match self {
            Self::SqliteWriter(_) | Self::SqliteReader(_) => EngineKind::Sqlite,
            Self::Postgres(_) | Self::PostgresTransaction(_) => EngineKind::Postgres,
        }
    }
}
