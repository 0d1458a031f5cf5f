//! One connection to whichever engine the store runs on.
//!
//! The rest of the crate is written against [`Connection`] and does not know which engine it talks to. It has
//! no methods that run queries: those are in `sql`.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Sqlite, SqliteConnection, Transaction};

use crate::EngineKind;

/// A connection, within a transaction or not.
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    /// `first` is put before the next statement and travels with it.
    SqliteTransaction {
        transaction: Transaction<'static, Sqlite>,
        first: String,
    },
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The engine's own connection, for the one place that runs statements.
pub(crate) enum Link<'connection> {
    Sqlite { link: &'connection mut SqliteConnection, first: String },
    Postgres(&'connection mut PgConnection),
}

impl Connection {
    pub(crate) fn link(&mut self) -> Link<'_> {
        match self {
            Self::Sqlite(connection) => Link::Sqlite { link: connection, first: String::new() },
            Self::SqliteTransaction { transaction, first } => {
                Link::Sqlite { link: transaction, first: std::mem::take(first) }
            }
            Self::Postgres(connection) => Link::Postgres(connection),
            Self::PostgresTransaction(transaction) => Link::Postgres(transaction),
        }
    }

    pub(crate) fn engine(&self) -> EngineKind {
        match self {
            Self::Sqlite(_) | Self::SqliteTransaction { .. } => EngineKind::Sqlite,
            Self::Postgres(_) | Self::PostgresTransaction(_) => EngineKind::Postgres,
        }
    }

    /// Puts a statement before the next one, in the same round trip. Only the SQLite writer needs it.
    pub(crate) fn run_first(&mut self, statement: &str) {
        if let Self::SqliteTransaction { first, .. } = self {
            first.push_str(statement);
        }
    }

    /// Makes what was done visible to others, durably.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => Ok(()),
            Self::SqliteTransaction { transaction, .. } => transaction.commit().await,
            Self::PostgresTransaction(transaction) => transaction.commit().await,
        }
    }
}
