//! A result row of either engine, read by column name into the store's types.
//!
//! What cannot be read is [`StoreError::Corrupt`] with the column's name; nothing here guesses a default.

use std::str::FromStr;
use std::sync::Arc;

use rusqlite::types::{FromSql, Value, ValueRef};
use sqlx::postgres::PgRow;
use sqlx::{Decode, Postgres, Row as _, Type};
use tarsy_domain::{Timestamp, TokenUsage};
use uuid::Uuid;

use crate::StoreError;

/// One row of a result.
pub(crate) enum Row {
    Sqlite { columns: Arc<[String]>, values: Vec<Value> },
    Postgres(PgRow),
}

/// A type that both engines can decode.
pub(crate) trait Column: FromSql + for<'row> Decode<'row, Postgres> + Type<Postgres> {}

impl<T> Column for T where T: FromSql + for<'row> Decode<'row, Postgres> + Type<Postgres> {}

impl Row {
    /// A text or a number, or an optional one.
    pub(crate) fn get<T: Column>(&self, column: &str) -> Result<T, StoreError> {
        match self {
            Self::Sqlite { columns, values } => {
                let index = columns.iter().position(|name| name == column);
                let value = index.and_then(|index| values.get(index)).map_or(ValueRef::Null, ValueRef::from);
                T::column_result(value).map_err(|error| corrupt(column, &error))
            }
            Self::Postgres(row) => row.try_get(column).map_err(|error| corrupt(column, &error)),
        }
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

    /// A word of a closed set that may be absent.
    pub(crate) fn optional_word<T: FromStr<Err: std::fmt::Display>>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        let word: Option<String> = self.get(column)?;
        word.map(|word| word.parse()).transpose().map_err(|error| corrupt(column, &error))
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
