//! One connection to whichever engine the store runs on.
//!
//! The rest of the crate is written against [`Connection`] and does not know which engine it talks to. It has
//! no methods that run SQL: those are in `sql`.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Sqlite, SqliteConnection, Transaction};

/// A connection, within a transaction or not.
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    SqliteTransaction(Transaction<'static, Sqlite>),
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The engine's own connection, for the one place that runs statements.
pub(crate) enum Link<'connection> {
    Sqlite(&'connection mut SqliteConnection),
    Postgres(&'connection mut PgConnection),
}

impl Connection {
    pub(crate) fn link(&mut self) -> Link<'_> {
        match self {
            Self::Sqlite(connection) => Link::Sqlite(connection),
            Self::SqliteTransaction(transaction) => Link::Sqlite(transaction),
            Self::Postgres(connection) => Link::Postgres(connection),
            Self::PostgresTransaction(transaction) => Link::Postgres(transaction),
        }
    }

    /// Makes what was done visible to others, durably.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => Ok(()),
            Self::SqliteTransaction(transaction) => transaction.commit().await,
            Self::PostgresTransaction(transaction) => transaction.commit().await,
        }
    }
}
