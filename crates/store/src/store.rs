//! The store itself: opening a database by URL, and the two doors through which every operation goes.
//!
//! `read` gives a connection; `write` runs a change in a transaction. On SQLite all writes pass through one
//! [`Writer`] that commits them in groups; on PostgreSQL each is a transaction of its own, and the server does
//! the grouping. What the operations are is told in the files named after their nouns, not here.

use std::path::Path;

use futures_util::future::BoxFuture;
use sqlx::PgPool;

use crate::connection::Connection;
use crate::sqlite::{Readers, Writer};
use crate::{StoreError, postgres};

/// A handle to the database. Cheap to clone; all clones share the same connections.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Sqlite { readers: Readers, writer: Writer },
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
            Some(("sqlite", path)) => Self::open_sqlite(path.strip_prefix("//").unwrap_or(path)).await,
            Some(("postgres" | "postgresql", _)) => Self::open_postgres(url).await,
            _ => return Err(bad_url(url, "it begins with neither `sqlite:` nor `postgres://`")),
        };
        opened.map_err(|source| StoreError::Open { url: without_password(url), source: Box::new(source) })
    }

    async fn open_sqlite(path: &str) -> Result<Self, StoreError> {
        let path = Path::new(path).to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            if let Some(directory) = path.parent() {
                std::fs::create_dir_all(directory).map_err(StoreError::database)?;
            }
            let writer = Writer::start(&path)?;
            Ok(Self { engine: Engine::Sqlite { readers: Readers::new(path), writer } })
        });
        opened.await.map_err(StoreError::database)?
    }

    async fn open_postgres(url: &str) -> Result<Self, StoreError> {
        Ok(Self { engine: Engine::Postgres { pool: postgres::open(url).await? } })
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
            Engine::Sqlite { readers, .. } => Connection::SqliteReader(readers.lend().await?),
            Engine::Postgres { pool } => Connection::Postgres(pool.acquire().await?),
        })
    }

    /// Runs `change` in a transaction: all of it is durable when this returns `Ok`, none of it on `Err`.
    ///
    /// It may be run more than once before it counts: see [`Writer`].
    /// On SQLite a change that was handed over is carried out even if the caller stops waiting for it.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite { writer, .. } => writer.write(change).await,
            Engine::Postgres { pool } => {
                let mut connection = Connection::PostgresTransaction(pool.begin().await?);
                let outcome = change(&mut connection).await?;
                if let Connection::PostgresTransaction(transaction) = connection {
                    transaction.commit().await?;
                }
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
