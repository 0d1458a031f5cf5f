//! The store: opening a database by URL, and the two entry points of every operation.
//!
//! `read` returns a connection; `write` runs a change in a transaction. On SQLite all writes pass through one
//! [`SqliteWriter`], which commits them in groups; on PostgreSQL each write is its own transaction, and the
//! server groups the commits. The operations themselves are in the files named after their nouns.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tarsy_domain::SessionId;

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::postgres;
use crate::db::sqlite::{SqliteReaders, SqliteWriter};
use crate::live::LiveHub;
use crate::live::signal::Signals;
use crate::step::call_counts::CallCounter;

/// A handle to a database. Cheap to clone; all clones share the same connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) backend: Backend,
    pub(crate) signals: Signals,
    pub(crate) live: LiveHub,
    pub(crate) call_counts: CallCounter,
}

#[derive(Clone)]
pub(crate) enum Backend {
    Sqlite { readers: SqliteReaders, writer: SqliteWriter },
    Postgres { pool: PgPool },
}

/// The database engine of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// Embedded, used by one process.
    Sqlite,
    /// A server, shared by many processes.
    Postgres,
}

/// Options for opening a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreOptions {
    /// Maximum number of PostgreSQL connections of this process, 32 by default. All processes together must
    /// stay below the server's `max_connections`. SQLite ignores it.
    pub max_connections: u32,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { max_connections: 32 }
    }
}

impl Store {
    /// Opens a database with the default options.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_with(url, StoreOptions::default()).await
    }

    /// Opens the database at `url` and migrates its schema. Creates an SQLite file that does not exist.
    pub async fn open_with(url: &str, options: StoreOptions) -> Result<Self, StoreError> {
        let opened = match url.split_once(':') {
            Some(("sqlite", path)) => {
                Self::open_sqlite(sqlite_path(path).map_err(|why| bad_url(url, why))?).await
            }
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Self::open_postgres(url, options).await
            }
            _ => return Err(bad_url(url, "it starts with neither `sqlite:` nor `postgres://`")),
        };
        opened.map_err(|source| StoreError::Open { url: without_password(url), source: Box::new(source) })
    }

    async fn open_sqlite(path: PathBuf) -> Result<Self, StoreError> {
        let opened = tokio::task::spawn_blocking(move || {
            if let Some(directory) = path.parent() {
                std::fs::create_dir_all(directory).map_err(StoreError::database)?;
            }
            let writer = SqliteWriter::start(&path)?;
            let backend = Backend::Sqlite { readers: SqliteReaders::new(path), writer };
            Ok(Self {
                backend,
                signals: Signals::default(),
                live: LiveHub::default(),
                call_counts: CallCounter::default(),
            })
        });
        opened.await.map_err(StoreError::database)?
    }

    async fn open_postgres(url: &str, options: StoreOptions) -> Result<Self, StoreError> {
        let backend = Backend::Postgres { pool: postgres::open(url, options).await? };
        Ok(Self {
            backend,
            signals: Signals::default(),
            live: LiveHub::default(),
            call_counts: CallCounter::default(),
        })
    }

    /// Returns the engine of this store.
    pub fn engine_kind(&self) -> EngineKind {
        match self.backend {
            Backend::Sqlite { .. } => EngineKind::Sqlite,
            Backend::Postgres { .. } => EngineKind::Postgres,
        }
    }

    /// Completes all queued writes, then closes every connection.
    pub async fn close(&self) {
        match &self.backend {
            Backend::Sqlite { readers, writer } => {
                readers.close().await;
                writer.close().await;
            }
            Backend::Postgres { pool } => pool.close().await,
        }
    }

    /// Returns a connection for reading. Each statement sees what was committed when it started.
    ///
    /// The future that waits for it is boxed, here and in `write`: it takes 14 kB, which every future of the
    /// store would contain.
    pub(crate) async fn read(&self) -> Result<DbConnection, StoreError> {
        Ok(match &self.backend {
            Backend::Sqlite { readers, .. } => DbConnection::SqliteReader(readers.acquire().await?),
            Backend::Postgres { pool } => DbConnection::Postgres(Box::pin(pool.acquire()).await?),
        })
    }

    /// Runs a change of one session in a transaction and notifies its subscribers.
    pub(crate) async fn change_session<T, F>(&self, session_id: SessionId, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c mut DbConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let outcome = self.write(change).await;
        // Also after an error: a commit whose outcome is unknown may have succeeded.
        self.live.changed(session_id);
        outcome
    }

    /// Runs `change` in a transaction: all of it is durable when this returns `Ok`, none of it on `Err`,
    /// except on [`StoreError::Uncertain`].
    ///
    /// `change` may run more than once before it is committed: see [`SqliteWriter`]. On SQLite a queued
    /// change is carried out even if the caller drops the future.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c mut DbConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        match &self.backend {
            Backend::Sqlite { writer, .. } => writer.write(change).await,
            Backend::Postgres { pool } => {
                let mut connection = DbConnection::PostgresTransaction(Box::pin(pool.begin()).await?);
                let outcome = change(&mut connection).await;
                if let DbConnection::PostgresTransaction(transaction) = connection {
                    match &outcome {
                        Ok(_) => transaction.commit().await.map_err(StoreError::uncertain)?,
                        // A dropped transaction is rolled back later, and a claim skips the rows that it still locks.
                        // If this fails, the connection is lost, and the server rolls back.
                        Err(_) => drop(transaction.rollback().await),
                    }
                }
                outcome
            }
        }
    }
}

fn bad_url(url: &str, problem: &str) -> StoreError {
    StoreError::BadUrl { url: without_password(url), problem: problem.to_owned() }
}

/// Returns the path in an SQLite URL. Readers and the writer open it separately, so it must be a file.
fn sqlite_path(path: &str) -> Result<PathBuf, &'static str> {
    match path.strip_prefix("//").unwrap_or(path) {
        "" => Err("it contains no path"),
        ":memory:" => Err("an in-memory database cannot be shared by several connections"),
        path if path.contains('?') => Err("an SQLite URL has no parameters"),
        path => Ok(PathBuf::from(path)),
    }
}

/// Redacts the password: `postgres://user:secret@host/db?password=…` → `postgres://user:***@host/db`. If the
/// text is not a valid URL, only the scheme is kept, because the password could be anywhere in it.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return "…".to_owned() };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:…") };
    let location = rest.split('?').next().unwrap_or_default();
    match location.rsplit_once('@') {
        Some((credentials, host)) => match credentials.split_once(':') {
            Some((user, _)) => format!("{scheme}://{user}:***@{host}"),
            None => format!("{scheme}://{location}"),
        },
        None => format!("{scheme}://{location}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rejects_a_url_of_an_unknown_engine() {
        let error = Store::open("mysql://root:secret@db/tarsy").await.err().map(|error| error.to_string());
        assert_eq!(
            error.as_deref(),
            Some(
                "database URL mysql://root:***@db/tarsy: it starts with neither `sqlite:` nor `postgres://`; \
                 use sqlite:PATH or postgres://USER@HOST/DATABASE"
            )
        );
    }

    #[test]
    fn redacts_passwords() {
        assert_eq!(without_password("postgres://u:p%40w@h:5432/d"), "postgres://u:***@h:5432/d");
        assert_eq!(without_password("postgres://u@h/d"), "postgres://u@h/d");
        assert_eq!(without_password("sqlite:/a/b.db"), "sqlite:/a/b.db");
        assert_eq!(without_password("postgres://h/d?user=u&password=p"), "postgres://h/d");
        assert_eq!(without_password("postgres:u:p@h/d"), "postgres:…");
        assert_eq!(without_password("p@ssword"), "…");
    }

    #[tokio::test]
    async fn does_not_touch_a_database_of_another_program() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("other.db");
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("create table sessions (whatever text)").unwrap();

        let error = Store::open(&format!("sqlite:{}", path.display())).await.err().unwrap();

        assert!(matches!(error, StoreError::Open { source, .. } if matches!(*source, StoreError::Foreign)));
    }

    #[tokio::test]
    async fn does_not_touch_a_database_of_a_newer_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("newer.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch("pragma user_version = 999").unwrap();

        let error = Store::open(&format!("sqlite:{}", path.display())).await.err().unwrap();

        assert!(
            matches!(error, StoreError::Open { source, .. } if matches!(*source, StoreError::Newer { present: 999, .. }))
        );
    }

    #[tokio::test]
    async fn rejects_an_sqlite_url_without_a_file() {
        for url in ["sqlite:", "sqlite://", "sqlite::memory:", "sqlite:/tmp/x.db?mode=rwc"] {
            assert!(matches!(Store::open(url).await, Err(StoreError::BadUrl { .. })), "{url}");
        }
    }
}
