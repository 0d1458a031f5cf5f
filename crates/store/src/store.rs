//! The store itself: opening a database by URL, and the two doors through which every operation goes.
//!
//! `read` gives a connection; `write` runs a change in a transaction. On SQLite all writes pass through one
//! [`Writer`] that commits them in groups; on PostgreSQL each is a transaction of its own, and the server does
//! the grouping. What the operations are is told in the files named after their nouns, not here.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, PgPool, SqlitePool};

use crate::StoreError;
use crate::connection::Connection;
use crate::writer::Writer;

static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// Concurrent readers of an SQLite file; more would only wait for each other on the disk.
const SQLITE_READERS: u32 = 8;
const POSTGRES_CONNECTIONS: u32 = 32;
/// How long an operation waits for a free connection, or for another process's lock on an SQLite file.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle to the database. Cheap to clone; all clones share the same connections.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Sqlite { readers: SqlitePool, writer: Writer },
    Postgres { pool: PgPool },
}

/// Which engine a store runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// Embedded, one process.
    Sqlite,
    /// A server, many processes.
    Postgres,
}

impl Store {
    /// Opens the database that `url` names, creates it if it is an SQLite file that does not exist, and
    /// brings its schema up to date.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let opened = match url.split_once(':') {
            Some(("sqlite", path)) => {
                Self::open_sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))).await
            }
            Some(("postgres" | "postgresql", _)) => Self::open_postgres(url).await,
            _ => return Err(bad_url(url, "it begins with neither `sqlite:` nor `postgres://`")),
        };
        opened.map_err(|source| StoreError::Open { url: without_password(url), source })
    }

    async fn open_sqlite(path: &Path) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(ACQUIRE_TIMEOUT)
            .optimize_on_close(true, None)
            // Pages that many steps change are copied into the file once for many commits, not for each few.
            .pragma("wal_autocheckpoint", "8192")
            .disable_statement_logging();
        // A single connection that is never given up, so that its caches and prepared statements stay warm.
        let writing = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options.clone())
            .await?;
        SQLITE_MIGRATIONS.run(&writing).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(SQLITE_READERS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .test_before_acquire(false)
            .connect_with(options.pragma("query_only", "on"))
            .await?;
        Ok(Self { engine: Engine::Sqlite { readers, writer: Writer::start(writing) } })
    }

    async fn open_postgres(url: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let pool = PgPoolOptions::new()
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(
                PgConnectOptions::from_str(url)?.application_name("tarsy").disable_statement_logging(),
            )
            .await?;
        POSTGRES_MIGRATIONS.run(&pool).await?;
        Ok(Self { engine: Engine::Postgres { pool } })
    }

    /// Which engine this store runs on.
    pub fn engine_kind(&self) -> EngineKind {
        match self.engine {
            Engine::Sqlite { .. } => EngineKind::Sqlite,
            Engine::Postgres { .. } => EngineKind::Postgres,
        }
    }

    /// Finishes the writes that were handed over, then closes every connection.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite { readers, writer } => {
                readers.close().await;
                writer.close().await;
            }
            Engine::Postgres { pool } => pool.close().await,
        }
    }

    /// A connection for reading. Each statement sees what was committed when it began.
    pub(crate) async fn read(&self) -> Result<Connection, StoreError> {
        Ok(match &self.engine {
            Engine::Sqlite { readers, .. } => Connection::Sqlite(readers.acquire().await?),
            Engine::Postgres { pool } => Connection::Postgres(pool.acquire().await?),
        })
    }

    /// Runs `change` in a transaction: all of it is durable when this returns `Ok`, none of it on `Err`.
    ///
    /// On SQLite a change that was handed over is carried out even if the caller stops waiting for it.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite { writer, .. } => writer.write(change).await,
            Engine::Postgres { pool } => {
                let mut connection = Connection::PostgresTransaction(pool.begin().await?);
                let outcome = change(&mut connection).await?;
                connection.commit().await?;
                Ok(outcome)
            }
        }
    }
}

fn bad_url(url: &str, problem: &str) -> StoreError {
    StoreError::BadUrl { url: without_password(url), problem: problem.to_owned() }
}

/// `postgres://user:secret@host/db` → `postgres://user:***@host/db`.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((credentials, place)) = rest.rsplit_once('@') else { return url.to_owned() };
    match credentials.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:***@{place}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_url_of_no_known_engine_says_what_would_be_right() {
        let error = Store::open("mysql://root:secret@db/tarsy").await.err().map(|error| error.to_string());
        assert_eq!(
            error.as_deref(),
            Some(
                "database URL mysql://root:***@db/tarsy: it begins with neither `sqlite:` nor `postgres://`; \
                 use sqlite:PATH or postgres://USER@HOST/DATABASE"
            )
        );
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("postgres://u:p%40w@h:5432/d"), "postgres://u:***@h:5432/d");
        assert_eq!(without_password("postgres://u@h/d"), "postgres://u@h/d");
        assert_eq!(without_password("sqlite:/a/b.db"), "sqlite:/a/b.db");
    }
}
