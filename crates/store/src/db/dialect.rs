//! What the two engines say differently.
//!
//! Everything else in the crate is one SQL text for both. A function here only chooses; the texts are in
//! `sqlite` and `postgres`, side by side.

use tarsy_domain::SearchQuery;

use crate::db::connection::DbConnection;
use crate::session::sort::SessionSort;
use crate::{EngineKind, StoreError};

mod postgres;
mod sqlite;

/// How matches are best found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchPlan {
    /// There are few: find them all and sort them.
    SortMatches,
    /// There are many: walk the pieces in order, most of them match.
    ScanInOrder,
}

/// Something that only one transaction does at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AdvisoryLock {
    /// Claiming, where the number of running sessions must be counted exactly.
    Claim,
    /// Removing what is old, where two sweepers would wait for each other's rows.
    Sweep,
}

/// Waits for one's turn, and keeps it until the transaction ends.
pub(crate) async fn acquire_advisory_lock(
    connection: &mut DbConnection,
    turn: AdvisoryLock,
) -> Result<(), StoreError> {
    match connection.engine() {
        // There is one writer: its transactions are one after the other already.
        EngineKind::Sqlite => Ok(()),
        EngineKind::Postgres => postgres::acquire_advisory_lock(connection, turn).await,
    }
}

/// The subquery that picks the next session to claim; `$1` is the present.
pub(crate) fn claim_candidate(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::CLAIM_CANDIDATE,
        EngineKind::Postgres => postgres::CLAIM_CANDIDATE,
    }
}

/// The condition that a number is among others, and its one argument: however many there are, the statement stays the
/// same.
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

/// Enters piece `$1` with the words `$2` into the full-text index.
pub(crate) fn search_insert(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::SEARCH_INSERT,
        EngineKind::Postgres => postgres::SEARCH_INSERT,
    }
}

/// Takes the pieces from `$1` to `$2` out of the full-text index.
pub(crate) fn search_delete(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => sqlite::SEARCH_DELETE,
        EngineKind::Postgres => postgres::SEARCH_DELETE,
    }
}

/// The pieces that match the terms `$1`, behind piece `$2`, at most `$3`, in order.
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

/// How the pieces that match `terms` behind piece `behind` are best found.
pub(crate) async fn search_plan(
    connection: &mut DbConnection,
    terms: &str,
    sort: SessionSort,
    behind: i64,
) -> Result<SearchPlan, StoreError> {
    match connection.engine() {
        // FTS5 keeps matches in order: the first of them come first, however many there are.
        EngineKind::Sqlite => Ok(SearchPlan::ScanInOrder),
        EngineKind::Postgres => postgres::search_plan(connection, terms, sort, behind).await,
    }
}

/// A query in the engine's own syntax: every word must begin one of the piece's words.
///
/// Words are letters and digits, so there is nothing in them to escape.
pub(crate) async fn search_terms(
    connection: &mut DbConnection,
    query: &SearchQuery,
) -> Result<String, StoreError> {
    match connection.engine() {
        EngineKind::Sqlite => sqlite::search_terms(connection, query).await,
        EngineKind::Postgres => Ok(postgres::search_terms(query)),
    }
}
