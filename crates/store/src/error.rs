//! The errors of the store, one variant for each reaction of a caller.

use std::fmt::Display;

use tarsy_domain::SessionId;
use thiserror::Error;

/// An operation of the store that failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The session was claimed by another worker or has ended: stop working on it.
    #[error(
        "session {session_id} is no longer held with fence {fence}: it was claimed by another worker or has ended"
    )]
    LeaseLost {
        /// The session that was written to.
        session_id: SessionId,
        /// The outdated fence of the write.
        fence: i64,
    },

    /// The row does not exist.
    #[error("there is no {what} {id}")]
    NotFound {
        /// The noun, e.g. `session`.
        what: &'static str,
        /// Its id.
        id: String,
    },

    /// The row is in a state that does not allow this transition.
    #[error("{what} {id} cannot become {to}: it is {from}")]
    IllegalTransition {
        /// The noun, e.g. `stage`.
        what: &'static str,
        /// Its id.
        id: String,
        /// Its current state.
        from: String,
        /// The requested state.
        to: String,
    },

    /// The database URL is malformed or of an unknown engine.
    #[error("database URL {url}: {problem}; use sqlite:PATH or postgres://USER@HOST/DATABASE")]
    BadUrl {
        /// The URL without its password.
        url: String,
        /// What is wrong with it.
        problem: String,
    },

    /// The database could not be opened or migrated.
    #[error("cannot open database {url}")]
    Open {
        /// The URL without its password.
        url: String,
        /// The cause.
        source: Box<StoreError>,
    },

    /// The database was written by a newer version of the program.
    #[error(
        "its schema version {present} is newer than {newest}, the newest that this version supports; upgrade TARSy"
    )]
    Newer {
        /// The schema version of the database.
        present: i64,
        /// The newest schema version that this program supports.
        newest: i64,
    },

    /// The file is an SQLite database of another program.
    #[error("it contains tables of another program; use a new or empty file")]
    Foreign,

    /// All connections stayed in use for too long.
    #[error("no database connection became available in time")]
    Busy,

    /// A bug in this program; the operation wrote nothing.
    #[error("the operation panicked, which is a bug; the log contains the location")]
    Panicked,

    /// A bug in this program: a change of an SQLite database waited for something other than its statements.
    /// The operation wrote nothing.
    #[error("the write operation {operation} waits for something within its transaction, which is a bug")]
    Suspended {
        /// The operation.
        operation: &'static str,
    },

    /// The connection was lost during the commit: read the data to find out whether it was written.
    #[error("the outcome of the commit is unknown, because the connection was lost: {0}")]
    Uncertain(Box<dyn std::error::Error + Send + Sync>),

    /// A stored value cannot be read by this version.
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

    /// The database failed or could not be reached; the operation wrote nothing.
    #[error("database: {0}")]
    Database(Box<dyn std::error::Error + Send + Sync>),

    /// The database rejected the statement or a value and would reject it again; the operation wrote nothing.
    #[error("the database rejected the operation: {0}")]
    Rejected(Box<dyn std::error::Error + Send + Sync>),

    /// The transaction that this operation shared with others could not be committed; the operation wrote
    /// nothing.
    #[error("cannot commit to the database: {0}")]
    Commit(String),
}

impl StoreError {
    /// Returns the error for a failed commit on a server. An error that the server reports is certain; a lost
    /// connection is not.
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
            sqlx::Error::Database(ref refusal) if refusal.code().is_some_and(|code| is_permanent(&code)) => {
                Self::Rejected(Box::new(error))
            }
            other => Self::database(other),
        }
    }
}

/// Returns whether an error code of PostgreSQL means that the same statement will fail again, because of a
/// value, a constraint, the statement itself, or a limit.
fn is_permanent(code: &str) -> bool {
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
