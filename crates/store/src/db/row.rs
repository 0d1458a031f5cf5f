//! A result row of either engine, decoded by column name into the types of the store.
//!
//! A value that cannot be decoded is [`StoreError::Corrupt`] with the column and the row; it never becomes a
//! default.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use rusqlite::types::{FromSql, Value, ValueRef};
use serde::de::DeserializeOwned;
use sqlx::postgres::{PgColumn, PgRow};
use sqlx::{Column as _, Decode, Postgres, Row as _, Type};
use tarsy_domain::{Timestamp, TokenUsage};
use uuid::Uuid;

use crate::StoreError;
use crate::json::decode_json;

/// A result row.
pub(crate) enum DbRow {
    Sqlite { columns: Arc<[String]>, values: Vec<Value> },
    Postgres(PgRow),
}

/// A type that both engines can decode.
pub(crate) trait Column: FromSql + for<'row> Decode<'row, Postgres> + Type<Postgres> {}

impl<T> Column for T where T: FromSql + for<'row> Decode<'row, Postgres> + Type<Postgres> {}

impl DbRow {
    /// Returns a text or a number, or an optional one.
    pub(crate) fn get<T: Column>(&self, column: &str) -> Result<T, StoreError> {
        self.read(column).map_err(|problem| self.corrupt(column, problem))
    }

    fn read<T: Column>(&self, column: &str) -> Result<T, String> {
        match self {
            Self::Sqlite { columns, values } => {
                let index = columns.iter().position(|name| name == column);
                let value = index.and_then(|index| values.get(index)).map_or(ValueRef::Null, ValueRef::from);
                T::column_result(value).map_err(|error| error.to_string())
            }
            Self::Postgres(row) => row.try_get(column).map_err(|error| error.to_string()),
        }
    }

    /// Returns the error for a value of this row that cannot be read.
    pub(crate) fn corrupt(&self, column: &str, problem: impl Display) -> StoreError {
        StoreError::corrupt(column, self.key(), problem)
    }

    /// Names the row by its first column, which is its id in every statement that reads whole rows.
    fn key(&self) -> String {
        let first = match self {
            Self::Sqlite { columns, .. } => columns.first().map(String::as_str),
            Self::Postgres(row) => row.columns().first().map(PgColumn::name),
        };
        let Some(first) = first else { return "an empty row".to_owned() };
        let id = self.read::<Uuid>(first).map(|id| id.to_string());
        let number = || self.read::<i64>(first).map(|number| number.to_string());
        let key = id.or_else(|_| number()).or_else(|_| self.read::<String>(first));
        format!("{first} {}", key.unwrap_or_else(|_| "?".to_owned()))
    }

    /// Returns a typed id.
    pub(crate) fn id<T: From<Uuid>>(&self, column: &str) -> Result<T, StoreError> {
        self.get::<Uuid>(column).map(T::from)
    }

    /// Returns a typed id that may be null.
    pub(crate) fn optional_id<T: From<Uuid>>(&self, column: &str) -> Result<Option<T>, StoreError> {
        Ok(self.get::<Option<Uuid>>(column)?.map(T::from))
    }

    /// Parses a text, such as the spelling of an enum.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, column: &str) -> Result<T, StoreError> {
        self.get::<String>(column)?.parse().map_err(|error| self.corrupt(column, error))
    }

    /// Parses a text that may be null.
    pub(crate) fn optional_parsed<T: FromStr<Err: Display>>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        let word: Option<String> = self.get(column)?;
        word.map(|word| word.parse()).transpose().map_err(|error| self.corrupt(column, error))
    }

    /// Decodes JSON text that may be null.
    pub(crate) fn optional_json<T: DeserializeOwned>(&self, column: &str) -> Result<Option<T>, StoreError> {
        let text: Option<String> = self.get(column)?;
        text.map(|text| decode_json(column, self.key(), &text)).transpose()
    }

    /// Returns a time.
    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        self.get(column).map(Timestamp::from_micros)
    }

    /// Returns a time that may be null.
    pub(crate) fn optional_time(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.map(Timestamp::from_micros))
    }

    /// Returns a count.
    pub(crate) fn count(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.get::<i64>(column)?).map_err(|error| self.corrupt(column, error))
    }

    /// Returns a count that may be null.
    pub(crate) fn optional_count(&self, column: &str) -> Result<Option<u64>, StoreError> {
        let count: Option<i64> = self.get(column)?;
        count.map(u64::try_from).transpose().map_err(|error| self.corrupt(column, error))
    }

    /// Returns the four token columns, which have the same names in every table.
    pub(crate) fn usage(&self) -> Result<TokenUsage, StoreError> {
        Ok(TokenUsage {
            input_tokens: self.count("input_tokens")?,
            output_tokens: self.count("output_tokens")?,
            thinking_tokens: self.count("thinking_tokens")?,
            cached_tokens: self.count("cached_tokens")?,
        })
    }
}
