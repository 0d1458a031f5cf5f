//! What the two engines say differently.
//!
//! Everything else in the crate is one SQL text for both. A function here only chooses; the texts are in
//! `sqlite` and `postgres`, side by side.

use tarsy_domain::{SearchQuery, SessionId};

use crate::connection::Connection;
use crate::search::Piece;
use crate::sql::Sql;
use crate::{EngineKind, StoreError};

mod postgres;
mod sqlite;

/// Makes claims wait for each other, so that the number of running sessions can be counted exactly.
pub(crate) async fn lock_claims(connection: &mut Connection) -> Result<(), StoreError> {
    match connection.engine() {
        // There is one writer: claims are one after the other already.
        EngineKind::Sqlite => Ok(()),
        EngineKind::Postgres => postgres::lock_claims(connection).await,
    }
}

/// The subquery that picks the next session to claim; `$1` is the present.
pub(crate) fn claim_candidate(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::CLAIM_CANDIDATE,
        EngineKind::Postgres => postgres::CLAIM_CANDIDATE,
    }
}

/// One text that makes several changes; none if there are none to make.
pub(crate) fn joined(engine: EngineKind, mut statements: Vec<String>) -> Option<String> {
    let last = statements.pop()?;
    Some(match engine {
        EngineKind::Sqlite => sqlite::joined(statements, &last),
        EngineKind::Postgres => postgres::joined(&statements, &last),
    })
}

/// The statements that enter one text into the full-text index.
pub(crate) fn search_insert(engine: EngineKind, piece: &Piece) -> Vec<Sql> {
    match engine {
        EngineKind::Sqlite => sqlite::search_insert(piece),
        EngineKind::Postgres => postgres::search_insert(piece),
    }
}

/// Takes a session's texts out of the full-text index. Needed before the session is deleted.
pub(crate) async fn search_forget(
    connection: &mut Connection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    match connection.engine() {
        EngineKind::Sqlite => sqlite::search_forget(connection, session_id).await,
        // The index is a column of a table that is deleted with the session.
        EngineKind::Postgres => Ok(()),
    }
}

/// Adds a condition on the table `search_pieces`, good for finding the few pieces that match.
pub(crate) fn push_search_match(engine: EngineKind, statement: &mut Sql, query: &SearchQuery) {
    match engine {
        EngineKind::Sqlite => sqlite::push_search_match(statement, query),
        EngineKind::Postgres => postgres::push_search_match(statement, query),
    }
}

/// Adds the same condition, good for checking whether the piece at hand matches.
pub(crate) fn push_search_check(engine: EngineKind, statement: &mut Sql, query: &SearchQuery) {
    match engine {
        EngineKind::Sqlite => sqlite::push_search_check(statement, query),
        EngineKind::Postgres => postgres::push_search_match(statement, query),
    }
}
