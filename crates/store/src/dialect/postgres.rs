//! PostgreSQL's side: claims skip what others have locked, and full-text search is a `tsvector` column.

use crate::StoreError;
use crate::connection::Connection;
use crate::sql::sql;

/// Any number that nothing else in the database uses as an advisory lock: "tarsy" on a telephone's keys.
const CLAIM_LOCK: i64 = 82_779;

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us
    limit 1
    for update skip locked";

pub(super) async fn lock_claims(connection: &mut Connection) -> Result<(), StoreError> {
    sql("select pg_advisory_xact_lock($1)").bind(CLAIM_LOCK).execute(connection).await
}

/// The words go in as they are: PostgreSQL's own parser would take host names and paths for one word.
pub(super) const SEARCH_INSERT: &str = "
    insert into search_index (piece_id, words)
    values ($1, array_to_tsvector(string_to_array($2, ' ')))";

pub(super) const SEARCH_DELETE: &str = "
    delete from search_index
    where piece_id between $1 and $2";

pub(super) const SEARCH_NEWEST: &str = "
    select piece_id
    from search_index
    where words @@ cast($1 as tsquery)
      and piece_id < $2
    order by piece_id desc
    limit $3";

pub(super) const SEARCH_OLDEST: &str = "
    select piece_id
    from search_index
    where words @@ cast($1 as tsquery)
      and piece_id > $2
    order by piece_id
    limit $3";
