//! SQLite: the embedded engine, called directly.
//!
//! One [`SqliteWriter`] owns the only connection that writes, on its own thread; [`SqliteReaders`] is a pool
//! of connections for reading. A driver that sends each statement to another thread would spend most of a
//! step waiting for thread wake-ups.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sqlx::migrate::Migrator;

use crate::StoreError;
use crate::db::placeholder;
use crate::db::row::DbRow;
use crate::db::sql::{Argument, Sql};

mod readers;
mod writer;

pub(crate) use readers::{SqliteReader, SqliteReaders};
pub(crate) use writer::SqliteWriter;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// How long a statement waits for the lock of another process on the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const CACHED_STATEMENTS: usize = 256;

/// Opens the connection that writes. Creates the file if it does not exist, and migrates the schema.
fn open_for_writing(path: &Path) -> Result<Connection, StoreError> {
    let connection = open(path, OpenFlags::default())?;
    connection.execute_batch(
        "pragma journal_mode = wal;
         pragma synchronous = full;
         pragma foreign_keys = on;
         pragma temp_store = memory;
         pragma cache_size = -65536;
         -- Checkpoint rarely: a page that many steps change is then copied into the file once for many commits.
         pragma wal_autocheckpoint = 8192;",
    )?;
    migrate(&connection)?;
    Ok(connection)
}

fn open_for_reading(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

/// Migrates the schema. `user_version` in the file is the current version.
fn migrate(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("begin immediate")?;
    let present: i64 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    if present > newest {
        return Err(StoreError::Newer { present, newest });
    }
    let tables: i64 = connection.query_row("select count(*) from sqlite_master", [], |row| row.get(0))?;
    if present == 0 && tables > 0 {
        return Err(StoreError::Foreign);
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > present) {
        connection.execute_batch(migration.sql.as_str())?;
        connection.execute_batch(&format!("pragma user_version = {}", migration.version))?;
    }
    Ok(connection.execute_batch("commit")?)
}

/// Runs a statement and returns all its rows.
pub(crate) fn fetch(connection: &Connection, statement: &Sql) -> Result<Vec<DbRow>, StoreError> {
    // SQLite treats `$2` as a name, which it would have to look up; `?2` is a position.
    let text = placeholder::respell(&statement.text, |number| format!("?{number}"));
    let mut prepared = connection.prepare_cached(&text)?;
    bind(&mut prepared, &statement.arguments)?;
    let columns: Arc<[String]> = prepared.column_names().into_iter().map(str::to_owned).collect();
    let mut found = prepared.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let values = (0..columns.len()).map(|index| row.get(index)).collect::<Result<_, _>>()?;
        rows.push(DbRow::Sqlite { columns: Arc::clone(&columns), values });
    }
    Ok(rows)
}

fn bind(prepared: &mut rusqlite::Statement<'_>, arguments: &[Argument]) -> Result<(), StoreError> {
    for (argument, index) in arguments.iter().zip(1..) {
        match argument {
            Argument::Integer(value) => prepared.raw_bind_parameter(index, value)?,
            Argument::Text(value) => prepared.raw_bind_parameter(index, value)?,
            Argument::Id(value) => prepared.raw_bind_parameter(index, value)?,
        }
    }
    Ok(())
}
