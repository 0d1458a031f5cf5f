//! PostgreSQL's side: claims skip what others have locked, and full-text search is a `tsvector` column.

use tarsy_domain::SearchQuery;

use crate::StoreError;
use crate::connection::Connection;
use crate::search::Piece;
use crate::sql::{Sql, sql};

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

/// A prepared statement is only one statement, but that one can carry others in its `with` clause.
pub(super) fn joined(statements: &[String], last: &str) -> String {
    let carried: Vec<String> =
        statements.iter().zip(1..).map(|(text, number)| format!("change_{number} as ({text})")).collect();
    if carried.is_empty() { last.to_owned() } else { format!("with {} {last}", carried.join(", ")) }
}

pub(super) fn search_insert(piece: &Piece) -> Vec<Sql> {
    // The words go in as they are: PostgreSQL's own parser would take host names and paths for one word.
    let indexed = sql("
        insert into search_pieces (session_id, timeline_event_id, source, words)
        values ($1, $2, $3, array_to_tsvector(string_to_array($4, ' ')))")
    .bind(piece.session_id)
    .bind(piece.timeline_event_id())
    .bind(piece.source.as_str())
    .bind(&piece.words);
    vec![indexed]
}

pub(super) fn push_search_match(statement: &mut Sql, query: &SearchQuery) {
    let terms: Vec<String> = query.words().iter().map(|word| format!("'{word}':*")).collect();
    statement.push("search_pieces.words @@ cast({} as tsquery)", terms.join(" & "));
}
