//! One connection to whichever engine the store runs on.
//!
//! The rest of the crate is written against [`Connection`] and does not know which engine it talks to. It has
//! no methods that run queries: those are in `sql`.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use crate::EngineKind;
use crate::db::sqlite::Reader;

/// A connection, within a transaction or not.
pub(crate) enum Connection {
    /// The writer's own, on the writer's own thread, where statements may take their time.
    SqliteWriter(rusqlite::Connection),
    /// One of many for reading, whose statements run on threads that may wait.
    SqliteReader(Reader),
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The engine's own connection, for the one place that runs statements.
pub(crate) enum Link<'connection> {
    SqliteWriter(&'connection rusqlite::Connection),
    SqliteReader(&'connection mut Reader),
    Postgres(&'connection mut PgConnection),
}

impl Connection {
    pub(crate) fn link(&mut self) -> Link<'_> {
        match self {
            Self::SqliteWriter(connection) => Link::SqliteWriter(connection),
            Self::SqliteReader(reader) => Link::SqliteReader(reader),
            Self::Postgres(connection) => Link::Postgres(connection),
            Self::PostgresTransaction(transaction) => Link::Postgres(transaction),
        }
    }

    pub(crate) fn engine(&self) -> EngineKind {
        match self {
            Self::SqliteWriter(_) | Self::SqliteReader(_) => EngineKind::Sqlite,
            Self::Postgres(_) | Self::PostgresTransaction(_) => EngineKind::Postgres,
        }
    }
}
