//! PostgreSQL: the engine that several processes can share, through sqlx.

use std::borrow::Cow;
use std::str::FromStr;
use std::time::Duration;

use futures_util::{FutureExt, TryFutureExt};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};

use crate::db::placeholder;
use crate::db::row::DbRow;
use crate::db::sql::{Argument, Sql};
use crate::{StoreError, StoreOptions};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// How long an operation waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of each connection. Statements and locks have timeouts. A claim must see everything that was
/// committed before it started, hence `read committed`. A process that is paused within a transaction holds
/// its locks no longer than a lease lasts.
const SETTINGS: &str = "
    set statement_timeout = '30s';
    set lock_timeout = '10s';
    set idle_in_transaction_session_timeout = '10s';
    set default_transaction_isolation = 'read committed'";

/// Connects and migrates the schema.
pub(crate) async fn open(url: &str, options: StoreOptions) -> Result<PgPool, StoreError> {
    let StoreOptions { max_connections } = options;
    let options = PgConnectOptions::from_str(url)?.application_name("tarsy").disable_statement_logging();
    // The pool would retry until its timeout and then hide the cause.
    let first = tokio::time::timeout(ACQUIRE_TIMEOUT, PgConnection::connect_with(&options));
    first.await.map_err(StoreError::database)??.close().await?;
    let pool = PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| sqlx::raw_sql(SETTINGS).execute(connection).map_ok(drop).boxed())
        .connect_with(options)
        .await?;
    MIGRATIONS.run(&pool).await.map_err(migration_error)?;
    Ok(pool)
}

fn migration_error(error: MigrateError) -> StoreError {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    if let MigrateError::VersionMissing(present) = error {
        return StoreError::Newer { present, newest };
    }
    StoreError::database(error)
}

/// Runs a statement and returns all its rows.
pub(crate) async fn fetch(connection: &mut PgConnection, statement: Sql) -> Result<Vec<DbRow>, StoreError> {
    let arguments = arguments(statement.arguments)?;
    let query = sqlx::query_with::<sqlx::Postgres, _>(AssertSqlSafe(statement.text), arguments);
    Ok(query.fetch_all(connection).await?.into_iter().map(DbRow::Postgres).collect())
}

fn arguments(values: Vec<Argument>) -> Result<PgArguments, StoreError> {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Argument::Integer(value) => arguments.add(value),
            Argument::Text(value) => arguments.add(value),
            Argument::Id(value) => arguments.add(value),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

/// Joins changes into one statement, which contains all but the last in its `with` clause. Returns `None` for
/// no changes.
pub(crate) fn joined(statements: Vec<Sql>) -> Option<Sql> {
    let mut arguments = Vec::new();
    let mut texts = Vec::with_capacity(statements.len());
    for statement in statements {
        let offset = arguments.len();
        texts.push(placeholder::respell(&statement.text, |number| format!("${}", number + offset)));
        arguments.extend(statement.arguments);
    }
    let last = texts.pop()?;
    let clauses: Vec<String> =
        texts.iter().zip(1..).map(|(text, number)| format!("change_{number} as ({text})")).collect();
    let text = if clauses.is_empty() { last } else { format!("with {} {last}", clauses.join(", ")) };
    Some(Sql { text: Cow::Owned(text), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::sql;

    #[test]
    fn joins_changes_and_renumbers_their_placeholders() {
        let changes = vec![
            sql("insert into a values ($1, $2)").bind(1_i64).bind("x"),
            sql("update b set c = $2 where d = $1").bind(2_i64).bind("y"),
        ];
        let joined = joined(changes).unwrap();
        assert_eq!(
            joined.text,
            "with change_1 as (insert into a values ($1, $2)) update b set c = $4 where d = $3"
        );
        assert_eq!(joined.arguments.len(), 4);
    }
}
