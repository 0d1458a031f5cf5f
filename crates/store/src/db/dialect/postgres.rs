//! The SQL of PostgreSQL: claims skip rows that others have locked, and full-text search uses a `tsvector`
//! column.

use tarsy_domain::SearchQuery;

use super::{AdvisoryLock, SearchPlan};
use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::sql::sql;
use crate::session::sort::SessionSort;

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us, session_number
    limit 1
    for update skip locked";

pub(super) async fn acquire_advisory_lock(
    connection: &mut DbConnection,
    lock: AdvisoryLock,
) -> Result<(), StoreError> {
    // Arbitrary numbers that nothing else in the database uses: "tarsy" on a phone keypad, and the next one.
    let key: i64 = match lock {
        AdvisoryLock::Claim => 82_779,
        AdvisoryLock::Sweep => 82_780,
    };
    sql("select cast(pg_advisory_xact_lock($1) as text)").bind(key).execute(connection).await
}

/// Stores the words unparsed: PostgreSQL's parser would treat a host name or a path as one word.
pub(super) const SEARCH_INSERT: &str = "
    insert into search_index (piece_id, words)
    values ($1, array_to_tsvector(string_to_array($2, ' ')))";

pub(super) const SEARCH_DELETE: &str = "
    delete from search_index
    where piece_id between $1 and $2";

pub(super) fn search_terms(query: &SearchQuery) -> String {
    query.words().iter().map(|word| format!("'{word}':*")).collect::<Vec<_>>().join(" & ")
}

/// Number of pieces that are sampled to estimate how common a match is.
const SAMPLE_SIZE: u64 = 500;
/// If at least one in this many pieces matches, a scan finds a batch sooner than sorting all matches.
const COMMON_RATIO: u64 = 10;

/// Chooses the plan by sampling the pieces that a scan would read first.
///
/// The planner cannot estimate how many words start with a prefix. Without this choice it scans the whole
/// table for a rare prefix.
pub(super) async fn search_plan(
    connection: &mut DbConnection,
    terms: &str,
    sort: SessionSort,
    after: i64,
) -> Result<SearchPlan, StoreError> {
    let sample = match sort {
        SessionSort::Newest => "piece_id < $2 order by piece_id desc",
        SessionSort::Oldest => "piece_id > $2 order by piece_id",
    };
    let row = sql(format!(
        "
        select count(*) as matches
        from (select words from search_index where {sample} limit $3) nearby
        where words @@ cast($1 as tsquery)"
    ))
    .bind(terms)
    .bind(after)
    .bind(SAMPLE_SIZE)
    .fetch_one(connection)
    .await?;
    let common = row.count("matches")? * COMMON_RATIO >= SAMPLE_SIZE;
    Ok(if common { SearchPlan::ScanInOrder } else { SearchPlan::SortMatches })
}

/// A piece id is the number of its session times 2^20 plus the number of the piece.
pub(super) const SEARCH_MATCHES: &str = "
    select piece_id >> 20 as matched_number, max(piece_id) as piece_id
    from search_index
    where words @@ cast({} as tsquery)
    group by piece_id >> 20";

pub(super) const SEARCH_SCAN_NEWEST: &str = "
    select piece_id
    from search_index
    where words @@ cast($1 as tsquery)
      and piece_id < $2
    order by piece_id desc
    limit $3";

pub(super) const SEARCH_SCAN_OLDEST: &str = "
    select piece_id
    from search_index
    where words @@ cast($1 as tsquery)
      and piece_id > $2
    order by piece_id
    limit $3";

pub(super) const SEARCH_SORT_NEWEST: &str = "
    with matching as materialized (
      select piece_id
      from search_index
      where words @@ cast($1 as tsquery))
    select piece_id
    from matching
    where piece_id < $2
    order by piece_id desc
    limit $3";

pub(super) const SEARCH_SORT_OLDEST: &str = "
    with matching as materialized (
      select piece_id
      from search_index
      where words @@ cast($1 as tsquery))
    select piece_id
    from matching
    where piece_id > $2
    order by piece_id
    limit $3";
