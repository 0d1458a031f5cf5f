//! The migrations of both engines create the same tables and columns.

use std::collections::BTreeSet;

use sqlx::{Connection, PgConnection, Row};
use tarsy_testkit::TestDatabase;

/// Returns whether both engines have a table. The full-text index differs, and some tables belong to the
/// engine or the migrator.
fn is_shared(table: &str) -> bool {
    !table.starts_with("search_index") && !table.starts_with("sqlite_") && table != "_sqlx_migrations"
}

fn sqlite_columns(url: &str) -> BTreeSet<(String, String)> {
    let connection = rusqlite::Connection::open(url.trim_start_matches("sqlite:")).unwrap();
    let mut statement = connection
        .prepare(
            "select m.name, c.name
             from sqlite_master m join pragma_table_info(m.name) c
             where m.type = 'table'",
        )
        .unwrap();
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    columns.collect::<Result<_, _>>().unwrap()
}

async fn postgres_columns(url: &str) -> BTreeSet<(String, String)> {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let rows = sqlx::query(
        "select table_name::text, column_name::text from information_schema.columns where table_schema = 'public'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    rows.iter().map(|row| (row.get("table_name"), row.get("column_name"))).collect()
}

#[tokio::test]
async fn both_engines_have_the_same_tables_and_columns() {
    let sqlite = TestDatabase::sqlite().await;
    let postgres = TestDatabase::postgres().await;
    let on_sqlite = sqlite_columns(&sqlite.url);
    let on_postgres = postgres_columns(&postgres.url).await;
    sqlite.remove().await;
    postgres.remove().await;

    let only =
        |one: &BTreeSet<(String, String)>, other: &BTreeSet<(String, String)>| -> Vec<(String, String)> {
            one.difference(other).filter(|(table, _)| is_shared(table)).cloned().collect()
        };
    assert_eq!(only(&on_sqlite, &on_postgres), []);
    assert_eq!(only(&on_postgres, &on_sqlite), []);
    assert!(on_sqlite.len() > 100);
}
