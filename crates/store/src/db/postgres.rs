//! PostgreSQL: the engine for many processes, through sqlx.

use std::borrow::Cow;
use std::str::FromStr;
use std::time::Duration;

use futures_util::{FutureExt, TryFutureExt};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};

use crate::StoreError;
use crate::db::placeholder;
use crate::db::row::DbRow;
use crate::db::sql::{Argument, Sql};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

const CONNECTIONS: u32 = 32;
/// How long an operation waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// No statement waits for ever, and the claim may count on seeing what was committed before it began. A process that is
/// paused within a transaction, with its locks, keeps the others waiting no longer than a lease does.
const SETTINGS: &str = "
    set statement_timeout = '30s';
    set lock_timeout = '10s';
    set idle_in_transaction_session_timeout = '10s';
    set default_transaction_isolation = 'read committed'";

/// Connects, and brings the schema up to date.
pub(crate) async fn open(url: &str) -> Result<PgPool, StoreError> {
    let options = PgConnectOptions::from_str(url)?.application_name("tarsy").disable_statement_logging();
    // The pool would try again until its time is up, and then not say what was wrong.
    let first = tokio::time::timeout(ACQUIRE_TIMEOUT, PgConnection::connect_with(&options));
    first.await.map_err(StoreError::database)??.close().await?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| sqlx::raw_sql(SETTINGS).execute(connection).map_ok(drop).boxed())
        .connect_with(options)
        .await?;
    MIGRATIONS.run(&pool).await.map_err(not_migrated)?;
    Ok(pool)
}

fn not_migrated(error: MigrateError) -> StoreError {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    if let MigrateError::VersionMissing(present) = error {
        return StoreError::Newer { present, newest };
    }
    StoreError::database(error)
}

/// Runs a statement to its end.
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

/// Several changes as one statement, which carries the others in its `with` clause; none if there are none.
pub(crate) fn joined(statements: Vec<Sql>) -> Option<Sql> {
    let mut arguments = Vec::new();
    let mut texts = Vec::with_capacity(statements.len());
    for statement in statements {
        let offset = arguments.len();
        texts.push(placeholder::respell(&statement.text, |number| format!("${}", number + offset)));
        arguments.extend(statement.arguments);
    }
    let last = texts.pop()?;
    let carried: Vec<String> =
        texts.iter().zip(1..).map(|(text, number)| format!("change_{number} as ({text})")).collect();
    let text = if carried.is_empty() { last } else { format!("with {} {last}", carried.join(", ")) };
    Some(Sql { text: Cow::Owned(text), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::sql;

    #[test]
    fn several_changes_become_one_statement_with_their_own_placeholders() {
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
