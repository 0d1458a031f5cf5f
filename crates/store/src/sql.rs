//! A statement with its arguments, run on either engine.
//!
//! ```text
//! sql("select status from sessions where session_id = $1").bind(id).fetch_optional(connection)
//! ```
//! sqlx types a statement by its engine; here the engine is chosen when it runs, so that every query of the
//! store is written once. Text that is not a constant is only ever assembled from constants and placeholders.

use std::borrow::Cow;

use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe};
use tarsy_domain::{
    ChatId, ChatMessageId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
    Timestamp,
};
use uuid::Uuid;

use crate::StoreError;
use crate::connection::{Connection, Link};
use crate::dialect;
use crate::row::Row;

/// A statement and the values of its placeholders `$1`, `$2`, ….
pub(crate) struct Sql {
    text: Cow<'static, str>,
    arguments: Vec<Argument>,
}

/// A value for a placeholder. An absent value keeps its type, because PostgreSQL wants to know it.
pub(crate) enum Argument {
    Integer(Option<i64>),
    Text(Option<String>),
    Id(Option<Uuid>),
}

/// Something that can stand for a placeholder.
pub(crate) trait Bind {
    fn argument(self) -> Argument;
    fn absent() -> Argument;
}

/// Begins a statement.
pub(crate) fn sql(text: impl Into<Cow<'static, str>>) -> Sql {
    Sql { text: text.into(), arguments: Vec::new() }
}

/// An insert of several rows at once: one round trip, whatever their number.
pub(crate) fn insert(table: &str, columns: &[&str], rows: Vec<Vec<Argument>>) -> Sql {
    let width = columns.len();
    let groups: Vec<String> = (0..rows.len()).map(|row| placeholders(row * width, width)).collect();
    let text = format!("insert into {table} ({}) values {}", columns.join(", "), groups.join(", "));
    Sql { text: text.into(), arguments: rows.into_iter().flatten().collect() }
}

/// `($5, $6, $7)` for `first` = 4 and `count` = 3.
pub(crate) fn placeholders(first: usize, count: usize) -> String {
    let list: Vec<String> = (first + 1..=first + count).map(|number| format!("${number}")).collect();
    format!("({})", list.join(", "))
}

/// Several changes in one round trip. They must not depend on each other's order, nor return anything.
///
/// A round trip costs more than most statements, on SQLite too, where it is a change of threads.
pub(crate) async fn execute_together(
    connection: &mut Connection,
    statements: Vec<Sql>,
) -> Result<(), StoreError> {
    let mut arguments = Vec::new();
    let mut texts = Vec::with_capacity(statements.len());
    for statement in statements {
        texts.push(renumbered(&statement.text, arguments.len()));
        arguments.extend(statement.arguments);
    }
    match dialect::joined(connection.engine(), texts) {
        Some(text) => Sql { text: text.into(), arguments }.execute(connection).await,
        None => Ok(()),
    }
}

/// Raises every placeholder by `offset`.
fn renumbered(text: &str, offset: usize) -> String {
    let mut pieces = text.split('$');
    let mut renumbered = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let number: usize = piece[..digits].parse().unwrap_or_default();
        renumbered.push_str(&format!("${}{}", number + offset, &piece[digits..]));
    }
    renumbered
}

macro_rules! arguments_for {
    ($self:ident, $arguments:ty) => {{
        let mut arguments = <$arguments>::default();
        for argument in $self.arguments {
            match argument {
                Argument::Integer(value) => arguments.add(value),
                Argument::Text(value) => arguments.add(value),
                Argument::Id(value) => arguments.add(value),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        arguments
    }};
}

/// Runs one fetch on whichever engine the connection leads to, and wraps what comes back.
macro_rules! on_engine {
    ($self:ident, $connection:ident, $method:ident) => {{
        match $connection.link() {
            Link::Sqlite { link, first } => {
                let text = if first.is_empty() { $self.text } else { Cow::Owned(first + &$self.text) };
                let arguments = arguments_for!($self, SqliteArguments);
                sqlx::query_with::<sqlx::Sqlite, _>(AssertSqlSafe(text), arguments)
                    .$method(link)
                    .await?
                    .into()
            }
            Link::Postgres(link) => {
                let text = AssertSqlSafe($self.text);
                let arguments = arguments_for!($self, PgArguments);
                sqlx::query_with::<sqlx::Postgres, _>(text, arguments).$method(link).await?.into()
            }
        }
    }};
}

impl Sql {
    /// Gives the next placeholder its value.
    pub(crate) fn bind(mut self, value: impl Bind) -> Self {
        self.arguments.push(value.argument());
        self
    }

    /// Adds text and one value; `{}` in the text stands for the value's placeholder.
    pub(crate) fn push(&mut self, text: &str, value: impl Bind) {
        self.arguments.push(value.argument());
        let placeholder = format!("${}", self.arguments.len());
        self.text.to_mut().push_str(&text.replace("{}", &placeholder));
    }

    /// Adds text and a list of values; `{}` in the text stands for `($n, …)`.
    pub(crate) fn push_list<B: Bind>(&mut self, text: &str, values: impl IntoIterator<Item = B>) {
        let before = self.arguments.len();
        self.arguments.extend(values.into_iter().map(Bind::argument));
        let list = placeholders(before, self.arguments.len() - before);
        self.text.to_mut().push_str(&text.replace("{}", &list));
    }

    /// Runs the statement. Whoever must know what it changed lets it return something and fetches that.
    pub(crate) async fn execute(self, connection: &mut Connection) -> Result<(), StoreError> {
        let Done = on_engine!(self, connection, execute);
        Ok(())
    }

    /// The rows, in order.
    pub(crate) async fn fetch_all(self, connection: &mut Connection) -> Result<Vec<Row>, StoreError> {
        let rows: Rows = on_engine!(self, connection, fetch_all);
        Ok(rows.0)
    }

    /// The first row, if there is one.
    pub(crate) async fn fetch_optional(self, connection: &mut Connection) -> Result<Option<Row>, StoreError> {
        Ok(self.fetch_all(connection).await?.into_iter().next())
    }

    /// The one row of a statement that always gives one.
    pub(crate) async fn fetch_one(self, connection: &mut Connection) -> Result<Row, StoreError> {
        self.fetch_optional(connection).await?.ok_or(StoreError::Database(sqlx::Error::RowNotFound))
    }
}

struct Done;
struct Rows(Vec<Row>);

impl From<sqlx::sqlite::SqliteQueryResult> for Done {
    fn from(_: sqlx::sqlite::SqliteQueryResult) -> Self {
        Self
    }
}

impl From<sqlx::postgres::PgQueryResult> for Done {
    fn from(_: sqlx::postgres::PgQueryResult) -> Self {
        Self
    }
}

impl From<Vec<sqlx::sqlite::SqliteRow>> for Rows {
    fn from(rows: Vec<sqlx::sqlite::SqliteRow>) -> Self {
        Self(rows.into_iter().map(Row::Sqlite).collect())
    }
}

impl From<Vec<sqlx::postgres::PgRow>> for Rows {
    fn from(rows: Vec<sqlx::postgres::PgRow>) -> Self {
        Self(rows.into_iter().map(Row::Postgres).collect())
    }
}

macro_rules! bind_as {
    ($variant:ident, $convert:expr, $($type:ty),+) => { $(
        impl Bind for $type {
            fn argument(self) -> Argument {
                Argument::$variant(Some($convert(self)))
            }
            fn absent() -> Argument {
                Argument::$variant(None)
            }
        }
    )+ };
}

bind_as!(Integer, i64::from, i64, u32);
bind_as!(Integer, saturating, u64, usize);
bind_as!(Integer, Timestamp::as_micros, Timestamp);
bind_as!(Text, storable, String, &str, &String);
bind_as!(
    Id,
    Uuid::from,
    SessionId,
    StageId,
    ExecutionId,
    MessageId,
    InteractionId,
    TimelineEventId,
    ChatId,
    ChatMessageId
);

impl<B: Bind> Bind for Option<B> {
    fn argument(self) -> Argument {
        self.map_or_else(B::absent, B::argument)
    }

    fn absent() -> Argument {
        B::absent()
    }
}

/// Counts beyond what a column can hold do not occur in practice; they must not wrap around if they do.
fn saturating(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// PostgreSQL cannot store the character NUL in text. Tool output can hold it, so it is replaced on both
/// engines by the replacement character; JSON columns are not affected, because JSON escapes it.
fn storable(text: impl Into<String>) -> String {
    let text = text.into();
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}
