//! Running a statement on whichever engine a connection leads to.

use crate::db::connection::{Connection, Link};
use crate::db::row::Row;
use crate::db::sql::Sql;
use crate::db::{postgres, sqlite};
use crate::{EngineKind, StoreError};

impl Sql {
    /// Runs the statement. Whoever must know what it changed lets it return something and fetches that.
    pub(crate) async fn execute(self, connection: &mut Connection) -> Result<(), StoreError> {
        self.fetch_all(connection).await.map(drop)
    }

    /// The rows, in order.
    pub(crate) async fn fetch_all(self, connection: &mut Connection) -> Result<Vec<Row>, StoreError> {
        match connection.link() {
            Link::SqliteWriter(connection) => sqlite::fetch(connection, &self),
            Link::SqliteReader(reader) => {
                reader.run(move |connection| sqlite::fetch(connection, &self)).await
            }
            Link::Postgres(connection) => postgres::fetch(connection, self).await,
        }
    }

    /// The first row, if there is one.
    pub(crate) async fn fetch_optional(self, connection: &mut Connection) -> Result<Option<Row>, StoreError> {
        Ok(self.fetch_all(connection).await?.into_iter().next())
    }

    /// The one row of a statement that always gives one.
    pub(crate) async fn fetch_one(self, connection: &mut Connection) -> Result<Row, StoreError> {
        self.fetch_optional(connection).await?.ok_or_else(|| StoreError::database(sqlx::Error::RowNotFound))
    }
}

/// Several changes that do not depend on each other and return nothing; on PostgreSQL in one round trip.
pub(crate) async fn execute_together(
    connection: &mut Connection,
    statements: Vec<Sql>,
) -> Result<(), StoreError> {
    match connection.engine() {
        EngineKind::Sqlite => {
            for statement in statements {
                statement.execute(connection).await?;
            }
            Ok(())
        }
        EngineKind::Postgres => match postgres::joined(statements) {
            Some(statement) => statement.execute(connection).await,
            None => Ok(()),
        },
    }
}
