//! A connection to the engine of the store.
//!
//! The rest of the crate uses [`DbConnection`] and does not depend on the engine. Statements run through
//! `fetch`.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use crate::EngineKind;
use crate::db::sqlite::SqliteReader;

/// A connection, inside or outside a transaction.
pub(crate) enum DbConnection {
    /// The connection of the writer, used on the writer's thread, where statements may block.
    SqliteWriter(rusqlite::Connection),
    /// One of the connections for reading. Its statements run on threads that may block.
    SqliteReader(SqliteReader),
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The connection of the engine, for the code that runs statements.
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
