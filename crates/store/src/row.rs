//! A result row of either engine, read by column name into the store's types.
//!
//! What cannot be read is [`StoreError::Corrupt`] with the column's name; nothing here guesses a default.

use std::str::FromStr;

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};
use tarsy_domain::{Timestamp, TokenUsage};
use uuid::Uuid;

use crate::StoreError;

/// One row of a result.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// A type that both engines can decode.
pub(crate) trait Column:
    for<'row> Decode<'row, Sqlite> + Type<Sqlite> + for<'row> Decode<'row, Postgres> + Type<Postgres>
{
}

impl<T> Column for T where
    T: for<'row> Decode<'row, Sqlite> + Type<Sqlite> + for<'row> Decode<'row, Postgres> + Type<Postgres>
{
}

impl Row {
    /// A text, or an optional one.
    pub(crate) fn get<T: Column>(&self, column: &str) -> Result<T, StoreError> {
        let value = match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        };
        value.map_err(|error| corrupt(column, &error))
    }

    /// A typed id.
    pub(crate) fn id<T: From<Uuid>>(&self, column: &str) -> Result<T, StoreError> {
        self.get::<Uuid>(column).map(T::from)
    }

    /// A typed id that may be absent.
    pub(crate) fn optional_id<T: From<Uuid>>(&self, column: &str) -> Result<Option<T>, StoreError> {
        Ok(self.get::<Option<Uuid>>(column)?.map(T::from))
    }

    /// A word of a closed set.
    pub(crate) fn word<T: FromStr<Err: std::fmt::Display>>(&self, column: &str) -> Result<T, StoreError> {
        self.get::<String>(column)?.parse().map_err(|error| corrupt(column, &error))
    }

    /// A moment.
    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        self.get(column).map(Timestamp::from_micros)
    }

    /// A moment that may not have come.
    pub(crate) fn optional_time(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.map(Timestamp::from_micros))
    }

    /// A count.
    pub(crate) fn count(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.get::<i64>(column)?).map_err(|error| corrupt(column, &error))
    }

    /// The four token columns, which every table that has them names alike.
    pub(crate) fn usage(&self) -> Result<TokenUsage, StoreError> {
        Ok(TokenUsage {
            input_tokens: self.count("input_tokens")?,
            output_tokens: self.count("output_tokens")?,
            thinking_tokens: self.count("thinking_tokens")?,
            cached_tokens: self.count("cached_tokens")?,
        })
    }
}

fn corrupt(column: &str, problem: &dyn std::fmt::Display) -> StoreError {
    StoreError::Corrupt { column: column.to_owned(), problem: problem.to_string() }
}
