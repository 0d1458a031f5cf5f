//! SQLite's side: claims need no row locks, and full-text search is FTS5.

use tarsy_domain::{SearchQuery, SessionId};

use crate::StoreError;
use crate::connection::Connection;
use crate::search::Piece;
use crate::sql::{Sql, sql};

pub(super) const CLAIM_CANDIDATE: &str = "
    select session_id
    from sessions
    where claimable_at_us <= $1
    order by (status = 'pending'), claimable_at_us
    limit 1";

/// Statements one after the other.
pub(super) fn joined(mut statements: Vec<String>, last: &str) -> String {
    statements.push(last.to_owned());
    statements.join(";")
}

pub(super) fn search_insert(piece: &Piece) -> Vec<Sql> {
    let named = sql("
        insert into search_pieces (session_id, timeline_event_id, source)
        values ($1, $2, $3)")
    .bind(piece.session_id)
    .bind(piece.timeline_event_id())
    .bind(piece.source.as_str());
    let indexed =
        sql("insert into search_index (rowid, words) values (last_insert_rowid(), $1)").bind(&piece.words);
    vec![named, indexed]
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
}

pub(super) fn push_search_match(statement: &mut Sql, query: &SearchQuery) {
    statement.push(
        "search_pieces.piece_id in (select rowid from search_index where search_index match {})",
        terms(query),
    );
}

pub(super) fn push_search_check(statement: &mut Sql, query: &SearchQuery) {
    statement.push(
        "exists (select 1 from search_index where search_index match {} and rowid = search_pieces.piece_id)",
        terms(query),
    );
}

fn terms(query: &SearchQuery) -> String {
    let terms: Vec<String> = query.words().iter().map(|word| format!("\"{word}\"*")).collect();
    terms.join(" ")
}
