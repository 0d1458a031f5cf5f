//! The SQL of SQLite: claims need no row locks, and full-text search uses FTS5.

use tarsy_domain::SearchQuery;

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::sql::sql;

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us, session_number
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

/// A piece id is the number of its session times 2^20 plus the number of the piece.
pub(super) const SEARCH_MATCHES: &str = "
    select rowid >> 20 as matched_number, max(rowid) as piece_id
    from search_index
    where search_index match {}
    group by rowid >> 20";

/// A prefix of more words than this is left to FTS5.
const MAX_COMPLETIONS: usize = 32;

/// Replaces prefixes by the indexed words that start with them: FTS5 collects all matches of a prefix before
/// it returns the first one, but streams the matches of a whole word.
pub(super) async fn search_terms(
    connection: &mut DbConnection,
    query: &SearchQuery,
) -> Result<String, StoreError> {
    let mut terms = Vec::new();
    for word in query.words() {
        terms.push(match completions(connection, word).await?.as_slice() {
            whole if (1..=MAX_COMPLETIONS).contains(&whole.len()) => {
                let quoted: Vec<String> = whole.iter().map(|word| format!("\"{word}\"")).collect();
                format!("({})", quoted.join(" OR "))
            }
            _ => format!("\"{word}\"*"),
        });
    }
    Ok(terms.join(" AND "))
}

/// Returns the indexed words that start with `word`, at most one more than [`MAX_COMPLETIONS`].
async fn completions(connection: &mut DbConnection, word: &str) -> Result<Vec<String>, StoreError> {
    let rows = sql("
        select term
        from search_index_words
        where term >= $1
          and term < $2
        limit $3")
    .bind(word)
    .bind(format!("{word}\u{10FFFF}"))
    .bind(MAX_COMPLETIONS + 1)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| row.get("term")).collect()
}
