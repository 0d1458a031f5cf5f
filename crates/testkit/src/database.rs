//! A separate database for each test, on either engine, which is removed at the end of the test.
//!
//! `make test` starts a PostgreSQL server and sets `TARSY_TEST_POSTGRES_URL` to its address. Without that
//! variable a test fails: skipping one engine would prove nothing about it.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use tarsy_store::Store;
use tempfile::TempDir;
use uuid::Uuid;

/// Declares tests that run once on each engine.
///
/// The body receives a `&TestDatabase`. Each test becomes two: `name::sqlite` and `name::postgres`.
#[macro_export]
macro_rules! both_engines {
    ($( $(#[$meta:meta])* async fn $name:ident($database:ident) $body:block )+) => { $(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn body($database: &$crate::TestDatabase) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let database = $crate::TestDatabase::sqlite().await;
                body(&database).await;
                database.remove().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let database = $crate::TestDatabase::postgres().await;
                body(&database).await;
                database.remove().await;
            }
        }
    )+ };
}

/// A new, migrated database.
pub struct TestDatabase {
    /// A store that is connected to it.
    pub store: Store,
    /// Its URL, for a second store on the same database.
    pub url: String,
    location: DatabaseLocation,
}

enum DatabaseLocation {
    /// Removed with the directory.
    Directory(#[expect(dead_code, reason = "held for its Drop")] TempDir),
    Server {
        admin: Box<PgConnectOptions>,
        database: String,
    },
}

impl TestDatabase {
    /// Creates an SQLite file.
    pub async fn sqlite() -> Self {
        let directory = tempfile::tempdir().expect("creating a temporary directory");
        let url = format!("sqlite:{}", directory.path().join("tarsy.db").display());
        let store = Store::open(&url).await.expect("opening a new SQLite file");
        Self { store, url, location: DatabaseLocation::Directory(directory) }
    }

    /// Creates a database on the test server.
    pub async fn postgres() -> Self {
        let admin = test_server();
        let database = format!("tarsy_test_{}", Uuid::now_v7().simple());
        let mut connection = connect(&admin).await;
        let statement = format!("create database {database}");
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .expect("creating a test database");
        let url = admin.clone().database(&database).to_url_lossy().to_string();
        let store = Store::open(&url).await.expect("opening the new test database");
        Self { store, url, location: DatabaseLocation::Server { admin: Box::new(admin), database } }
    }

    /// Returns a store as another process would open it. An SQLite file belongs to one process, which shares
    /// its store.
    pub async fn another(&self) -> Store {
        match self.location {
            DatabaseLocation::Directory(_) => self.store.clone(),
            DatabaseLocation::Server { .. } => {
                Store::open(&self.url).await.expect("opening the test database again")
            }
        }
    }

    /// Terminates all connections to the server, as a restart or a firewall would. Does nothing on SQLite.
    pub async fn cut_connections(&self) {
        let DatabaseLocation::Server { admin, database } = &self.location else { return };
        let mut connection = connect(admin).await;
        sqlx::query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1")
            .bind(database)
            .execute(&mut connection)
            .await
            .expect("terminating the connections of a test database");
    }

    /// Closes and removes the database. The database of a failed test stays until the server is stopped.
    pub async fn remove(self) {
        self.store.close().await;
        if let DatabaseLocation::Server { admin, database } = self.location {
            let statement = format!("drop database {database} with (force)");
            let mut connection = connect(&admin).await;
            sqlx::raw_sql(AssertSqlSafe(statement))
                .execute(&mut connection)
                .await
                .expect("dropping a test database");
        }
    }
}

fn test_server() -> PgConnectOptions {
    let url = std::env::var("TARSY_TEST_POSTGRES_URL").unwrap_or_else(|_| {
        panic!(
            "TARSY_TEST_POSTGRES_URL is not set: run `make test-rust`, or `scripts/with-postgres cargo test`, which \
             start a private PostgreSQL and set it"
        )
    });
    PgConnectOptions::from_str(&url).expect("TARSY_TEST_POSTGRES_URL is a PostgreSQL URL")
}

async fn connect(options: &PgConnectOptions) -> PgConnection {
    PgConnection::connect_with(options).await.expect("connecting to the test server")
}
