//! SQL that differs between the engines.
//!
//! All other statements of the crate are the same for both. A function here only selects the statement of the
//! engine; the statements are in `sqlite` and `postgres`.

use tarsy_domain::SearchQuery;

use crate::db::connection::DbConnection;
use crate::session::sort::SessionSort;
use crate::{EngineKind, StoreError};

mod postgres;
mod sqlite;

/// How a search is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchPlan {
    /// Few pieces match: find them all, then sort them.
    SortMatches,
    /// Many pieces match: scan the pieces in order and stop when enough were found.
    ScanInOrder,
}

/// A lock that serializes the transactions of one kind, held until the end of the transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AdvisoryLock {
    /// Claims, which must count the running sessions exactly.
    Claim,
    /// Deletion of old data, where two processes would wait for each other's row locks.
    Sweep,
}

/// Acquires a lock, which is released at the end of the transaction.
pub(crate) async fn acquire_advisory_lock(
    connection: &mut DbConnection,
    lock: AdvisoryLock,
) -> Result<(), StoreError> {
    match connection.engine() {
        // The single writer already serializes all transactions.
        EngineKind::Sqlite => Ok(()),
        EngineKind::Postgres => postgres::acquire_advisory_lock(connection, lock).await,
    }
}

/// Returns the subquery that selects the next session to claim; `$1` is the current time.
pub(crate) fn claim_candidate(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::CLAIM_CANDIDATE,
        EngineKind::Postgres => postgres::CLAIM_CANDIDATE,
    }
}

/// Returns the condition that a number is in a list, and its single argument. The statement is the same for
/// lists of any length, so it is prepared once.
pub(crate) fn among<'number>(
    engine: EngineKind,
    numbers: impl Iterator<Item = &'number i64>,
) -> (&'static str, String) {
    let list = numbers.map(i64::to_string).collect::<Vec<_>>().join(",");
    match engine {
        EngineKind::Sqlite => ("in (select value from json_each({}))", format!("[{list}]")),
        EngineKind::Postgres => ("= any(cast({} as bigint[]))", format!("{{{list}}}")),
    }
}

/// Returns the statement that adds piece `$1` with the words `$2` to the full-text index.
pub(crate) fn search_insert(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::SEARCH_INSERT,
        EngineKind::Postgres => postgres::SEARCH_INSERT,
    }
}

/// Returns the statement that deletes the pieces from `$1` to `$2` from the full-text index.
pub(crate) fn search_delete(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::SEARCH_DELETE,
        EngineKind::Postgres => postgres::SEARCH_DELETE,
    }
}

/// Returns the query for the pieces that match the terms `$1` after piece `$2`, at most `$3`, in order.
pub(crate) fn search_select(engine: EngineKind, sort: SessionSort, plan: SearchPlan) -> &'static str {
    match (engine, sort, plan) {
        (EngineKind::Sqlite, SessionSort::Newest, _) => sqlite::SEARCH_NEWEST,
        (EngineKind::Sqlite, SessionSort::Oldest, _) => sqlite::SEARCH_OLDEST,
        (EngineKind::Postgres, SessionSort::Newest, SearchPlan::ScanInOrder) => postgres::SEARCH_SCAN_NEWEST,
        (EngineKind::Postgres, SessionSort::Oldest, SearchPlan::ScanInOrder) => postgres::SEARCH_SCAN_OLDEST,
        (EngineKind::Postgres, SessionSort::Newest, SearchPlan::SortMatches) => postgres::SEARCH_SORT_NEWEST,
        (EngineKind::Postgres, SessionSort::Oldest, SearchPlan::SortMatches) => postgres::SEARCH_SORT_OLDEST,
    }
}

/// Returns the query for the numbers of all sessions that match the terms `{}`, each with its last matching
/// piece.
pub(crate) fn search_matches(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::SEARCH_MATCHES,
        EngineKind::Postgres => postgres::SEARCH_MATCHES,
    }
}

/// Returns the collation that sorts texts by their bytes.
pub(crate) fn binary_collation(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => "binary",
        EngineKind::Postgres => "\"C\"",
    }
}

/// Chooses the plan for a search for `terms` after piece `after`.
pub(crate) async fn search_plan(
    connection: &mut DbConnection,
    terms: &str,
    sort: SessionSort,
    after: i64,
) -> Result<SearchPlan, StoreError> {
    match connection.engine() {
        // FTS5 returns matches in order, so a scan finds the first of them quickly, however many there are.
        EngineKind::Sqlite => Ok(SearchPlan::ScanInOrder),
        EngineKind::Postgres => postgres::search_plan(connection, terms, sort, after).await,
    }
}

/// Returns a query in the syntax of the engine: every word must be a prefix of a word of the piece.
///
/// Words consist of letters and digits, so nothing has to be escaped.
pub(crate) async fn search_terms(
    connection: &mut DbConnection,
    query: &SearchQuery,
) -> Result<String, StoreError> {
    match connection.engine() {
        EngineKind::Sqlite => sqlite::search_terms(connection, query).await,
        EngineKind::Postgres => Ok(postgres::search_terms(query)),
    }
}
