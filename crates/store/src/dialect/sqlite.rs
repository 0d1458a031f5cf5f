//! SQLite's side: claims need no row locks, and full-text search is FTS5.

use std::collections::BTreeSet;

use tarsy_domain::{SearchQuery, SessionId};

use super::timeline_event_of;
use crate::StoreError;
use crate::connection::Connection;
use crate::search::SearchSource;
use crate::sql::{Sql, sql};

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us
    limit 1";

pub(super) async fn search_insert(
    connection: &mut Connection,
    session_id: SessionId,
    source: SearchSource,
    words: &BTreeSet<String>,
) -> Result<(), StoreError> {
    let piece = sql("
        insert into search_pieces (session_id, timeline_event_id, source)
        values ($1, $2, $3)
        returning piece_id")
    .bind(session_id)
    .bind(timeline_event_of(source))
    .bind(source.as_str())
    .fetch_one(connection)
    .await?;
    sql("insert into search_index (rowid, words) values ($1, $2)")
        .bind(piece.count("piece_id")?)
        .bind(words.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        .execute(connection)
        .await
        .map(drop)
}

pub(super) async fn search_forget(
    connection: &mut Connection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    sql("
        delete from search_index
        where rowid in (select piece_id from search_pieces where session_id = $1)")
    .bind(session_id)
    .execute(connection)
    .await
    .map(drop)
}

pub(super) fn push_search_match(statement: &mut Sql, query: &SearchQuery) {
    let terms: Vec<String> = query.words().iter().map(|word| format!("\"{word}\"*")).collect();
    statement.push(
        "search_pieces.piece_id in (select rowid from search_index where search_index match {})",
        terms.join(" "),
    );
}
