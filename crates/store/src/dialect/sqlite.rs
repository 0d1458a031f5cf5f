//! SQLite's side: claims need no row locks, and full-text search is FTS5.

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us
    limit 1";

pub(super) const SEARCH_INSERT: &str = "
    insert into search_index (rowid, words)
    values ($1, $2)";

pub(super) const SEARCH_DELETE: &str = "
    delete from search_index
    where rowid between $1 and $2";

pub(super) const SEARCH_NEWEST: &str = "
    select rowid as piece_id
    from search_index
    where search_index match $1
      and rowid < $2
    order by rowid desc
    limit $3";

pub(super) const SEARCH_OLDEST: &str = "
    select rowid as piece_id
    from search_index
    where search_index match $1
      and rowid > $2
    order by rowid
    limit $3";
