//! Running a statement on the engine of a connection.

use crate::db::connection::{ConnectionRef, DbConnection};
use crate::db::placeholder;
use crate::db::row::DbRow;
use crate::db::sql::Sql;
use crate::db::{postgres, sqlite};
use crate::{EngineKind, StoreError};

impl Sql {
    /// Runs the statement and discards its rows. To learn what it changed, use `returning` and fetch the
    /// rows.
    pub(crate) async fn execute(self, connection: &mut DbConnection) -> Result<(), StoreError> {
        self.fetch_all(connection).await.map(drop)
    }

    /// Runs the statement and returns its rows, in order.
    ///
    /// Fails if the placeholders of its text do not match its arguments.
    pub(crate) async fn fetch_all(self, connection: &mut DbConnection) -> Result<Vec<DbRow>, StoreError> {
        placeholder::check(&self.text, self.arguments.len())?;
        match connection.by_engine() {
            ConnectionRef::SqliteWriter(connection) => sqlite::fetch(connection, &self),
            ConnectionRef::SqliteReader(reader) => {
                reader.run(move |connection| sqlite::fetch(connection, &self)).await
            }
            ConnectionRef::Postgres(connection) => postgres::fetch(connection, self).await,
        }
    }

    /// Runs the statement and returns its first row, if any.
    pub(crate) async fn fetch_optional(
        self,
        connection: &mut DbConnection,
    ) -> Result<Option<DbRow>, StoreError> {
        Ok(self.fetch_all(connection).await?.into_iter().next())
    }

    /// Runs a statement that always returns a row, and returns it.
    pub(crate) async fn fetch_one(self, connection: &mut DbConnection) -> Result<DbRow, StoreError> {
        self.fetch_optional(connection).await?.ok_or_else(|| StoreError::database(sqlx::Error::RowNotFound))
    }
}

/// Runs changes that do not depend on each other and return nothing; on PostgreSQL in one round trip.
pub(crate) async fn execute_together(
    connection: &mut DbConnection,
    statements: Vec<Sql>,
) -> Result<(), StoreError> {
    match connection.engine() {
        EngineKind::Sqlite => {
            for statement in statements {
                statement.execute(connection).await?;
            }
            Ok(())
        }
        EngineKind::Postgres => {
            for statement in &statements {
                placeholder::check(&statement.text, statement.arguments.len())?;
            }
            match postgres::joined(statements) {
                Some(statement) => statement.execute(connection).await,
                None => Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tarsy_testkit::TestDatabase;

    use crate::db::fetch::execute_together;
    use crate::db::sql::sql;
    use crate::{Store, StoreError};

    #[tokio::test]
    async fn rejects_statements_whose_placeholders_do_not_match_their_arguments() {
        for database in [TestDatabase::sqlite().await, TestDatabase::postgres().await] {
            let store = Store::open(&database.url).await.unwrap();

            let too_few = sql("select session_id from sessions where alert_id = $1 or author = $2").bind("a");
            let too_few = too_few.fetch_all(&mut store.read().await.unwrap()).await;
            assert!(matches!(too_few, Err(StoreError::Rejected(_))), "{:?}", too_few.err());

            let joined = store.write(|connection| {
                let delete =
                    sql("delete from chats where session_id = $1 and chat_id = $3").bind("a").bind("b");
                execute_together(connection, vec![delete]).boxed()
            });
            let joined = joined.await;
            assert!(matches!(joined, Err(StoreError::Rejected(_))), "{:?}", joined.err());

            store.close().await;
            database.remove().await;
        }
    }
}
