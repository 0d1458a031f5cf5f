//! Everything that can go wrong in the store, by what the caller can do about it.

use std::fmt::Display;

use tarsy_domain::SessionId;
use thiserror::Error;

/// A store operation that did not happen.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another worker owns the session now, or it has ended: stop working on it.
    #[error(
        "session {session_id} is no longer held with fence {fence}: it was claimed by another worker or has ended"
    )]
    LeaseLost {
        /// The session that was written to.
        session_id: SessionId,
        /// The outdated number that the write carried.
        fence: i64,
    },

    /// There is no such row.
    #[error("there is no {what} {id}")]
    NotFound {
        /// The noun, e.g. `session`.
        what: &'static str,
        /// Its id.
        id: String,
    },

    /// The row is not in a state from which it may make this move.
    #[error("{what} {id} cannot become {to}: it is {from}")]
    IllegalMove {
        /// The noun, e.g. `stage`.
        what: &'static str,
        /// Its id.
        id: String,
        /// The state it is in.
        from: String,
        /// The state that was asked for.
        to: String,
    },

    /// The database URL names no engine we have, or is malformed.
    #[error("database URL {url}: {problem}; use sqlite:PATH or postgres://USER@HOST/DATABASE")]
    BadUrl {
        /// The URL without its password.
        url: String,
        /// What is wrong with it.
        problem: String,
    },

    /// The database could not be opened or brought to this version's schema.
    #[error("opening database {url}")]
    Open {
        /// The URL without its password.
        url: String,
        /// The cause.
        source: Box<StoreError>,
    },

    /// The database was written by a newer version of the program.
    #[error("its schema is version {present}, this program knows up to {newest}: run a newer program")]
    Newer {
        /// What the database has.
        present: i64,
        /// What this program knows.
        newest: i64,
    },

    /// The file is an SQLite database of somebody else's.
    #[error("it holds tables that this program did not make: name a file that is empty or not there yet")]
    Foreign,

    /// Too much is going on at once.
    #[error("no database connection became free in time")]
    Busy,

    /// A bug in this program; nothing of the operation was written.
    #[error("the operation ended in a panic, which is a bug; the log says where")]
    Panicked,

    /// A bug in this program: a change of an SQLite database waited for something other than its statements. Nothing of
    /// the operation was written.
    #[error("the write operation {operation} waits for something within its transaction, which is a bug")]
    Suspended {
        /// The operation.
        operation: &'static str,
    },

    /// The connection broke while the commit was under way: read again to learn whether it was written.
    #[error("the database did not answer the commit, so it may or may not be written: {0}")]
    Uncertain(Box<dyn std::error::Error + Send + Sync>),

    /// A stored value is not what this version writes.
    #[error("column {column} of {row} cannot be read: {problem}")]
    Corrupt {
        /// The column.
        column: String,
        /// The row, by its id.
        row: String,
        /// What is wrong with it.
        problem: String,
    },

    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,

    /// The database refused or could not be reached; nothing of the operation was written.
    #[error("database: {0}")]
    Database(Box<dyn std::error::Error + Send + Sync>),

    /// The database refused what was to be written, and would refuse it again; nothing of the operation was written.
    #[error("the database does not take this: {0}")]
    Rejected(Box<dyn std::error::Error + Send + Sync>),

    /// The transaction this operation shared with others could not be committed; nothing of it was written.
    #[error("committing to the database: {0}")]
    Commit(String),
}

impl StoreError {
    /// What a failed commit on a server means: the server's own refusal is certain, silence is not.
    pub(crate) fn uncertain(error: sqlx::Error) -> Self {
        if error.as_database_error().is_some() { error.into() } else { Self::Uncertain(Box::new(error)) }
    }

    /// Returns the error for a recorded value that cannot be read. `row` is the id of its row.
    pub fn corrupt(column: &str, row: impl Display, problem: impl Display) -> Self {
        Self::Corrupt { column: column.to_owned(), row: row.to_string(), problem: problem.to_string() }
    }

    pub(crate) fn database(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Database(Box::new(error))
    }
}

impl From<sqlx::Error> for StoreError {
    #[allow(clippy::wildcard_enum_match_arm, reason = "a foreign set that grows")]
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::PoolClosed => Self::Closed,
            sqlx::Error::Encode(_) => Self::Rejected(Box::new(error)),
            sqlx::Error::Database(ref refusal) if refusal.code().is_some_and(|code| stays(&code)) => {
                Self::Rejected(Box::new(error))
            }
            other => Self::database(other),
        }
    }
}

/// Whether PostgreSQL says by its code that the same statement is refused the next time too: the value, a constraint, the
/// statement itself, or its size.
fn stays(code: &str) -> bool {
    matches!(code.get(..2), Some("22" | "23" | "42" | "54"))
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
        match error.sqlite_error_code() {
            Some(ConstraintViolation | TooBig | TypeMismatch) => Self::Rejected(Box::new(error)),
            _ => Self::database(error),
        }
    }
}
