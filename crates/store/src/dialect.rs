//! What the two engines say differently.
//!
//! Everything else in the crate is one SQL text for both. A function here only chooses; the texts are in
//! `sqlite` and `postgres`, side by side.

use std::collections::BTreeSet;

use tarsy_domain::{SearchQuery, SessionId, TimelineEventId};

use crate::StoreError;
use crate::connection::{Connection, Link};
use crate::search::SearchSource;
use crate::sql::Sql;

mod postgres;
mod sqlite;

/// Makes claims wait for each other, so that the number of running sessions can be counted exactly.
pub(crate) async fn lock_claims(connection: &mut Connection) -> Result<(), StoreError> {
    match connection.link() {
        // There is one writer: claims are one after the other already.
        Link::Sqlite(_) => Ok(()),
        Link::Postgres(_) => postgres::lock_claims(connection).await,
    }
}

/// The subquery that picks the next session to claim; `$1` is the present.
pub(crate) fn claim_candidate(connection: &mut Connection) -> &'static str {
    match connection.link() {
        Link::Sqlite(_) => sqlite::CLAIM_CANDIDATE,
        Link::Postgres(_) => postgres::CLAIM_CANDIDATE,
    }
}

/// Enters the words of one text into the full-text index.
pub(crate) async fn search_insert(
    connection: &mut Connection,
    session_id: SessionId,
    source: SearchSource,
    words: &BTreeSet<String>,
) -> Result<(), StoreError> {
    match connection.link() {
        Link::Sqlite(_) => sqlite::search_insert(connection, session_id, source, words).await,
        Link::Postgres(_) => postgres::search_insert(connection, session_id, source, words).await,
    }
}

/// Takes a session's texts out of the full-text index. Needed before the session is deleted.
pub(crate) async fn search_forget(
    connection: &mut Connection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    match connection.link() {
        Link::Sqlite(_) => sqlite::search_forget(connection, session_id).await,
        // The index is a column of a table that is deleted with the session.
        Link::Postgres(_) => Ok(()),
    }
}

/// Adds a condition on the table `search_pieces`: its text holds all words of `query`.
pub(crate) fn push_search_match(connection: &mut Connection, statement: &mut Sql, query: &SearchQuery) {
    match connection.link() {
        Link::Sqlite(_) => sqlite::push_search_match(statement, query),
        Link::Postgres(_) => postgres::push_search_match(statement, query),
    }
}

/// The timeline entry a source stands for, if it is one.
fn timeline_event_of(source: SearchSource) -> Option<TimelineEventId> {
    match source {
        SearchSource::Alert | SearchSource::Analysis => None,
        SearchSource::Timeline(id) => Some(id),
    }
}
