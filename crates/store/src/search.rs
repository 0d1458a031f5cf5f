//! Full-text search over alerts, analyses and timelines.
//!
//! A *piece* is one such text; a session matches if one of its pieces holds every word of the query. Splitting
//! into words is the domain's; how an engine keeps an index of them is in `dialect`.

use std::collections::BTreeMap;

use tarsy_domain::{SearchQuery, SessionId, Snippet, TimelineEventId, words};

use crate::connection::Connection;
use crate::dialect;
use crate::row::Row;
use crate::sql::{Sql, sql};
use crate::{EngineKind, StoreError};

/// Up to so many matching pieces are looked up at once.
const FEW_MATCHES: u64 = 2_000;

/// Where a session matched, and the excerpt that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The timeline entry, unless it was the alert or the final analysis.
    pub timeline_event_id: Option<TimelineEventId>,
    /// `alert`, `analysis` or `timeline`.
    pub source: String,
    /// The excerpt with its matches.
    pub snippet: Option<Snippet>,
}

/// Which text of a session a piece is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SearchSource {
    Alert,
    Analysis,
    Timeline(TimelineEventId),
}

impl SearchSource {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Analysis => "analysis",
            Self::Timeline(_) => "timeline",
        }
    }
}

/// A text of a session, as its distinct words.
pub(crate) struct Piece {
    pub(crate) session_id: SessionId,
    pub(crate) source: SearchSource,
    /// Separated by blanks.
    pub(crate) words: String,
}

impl Piece {
    pub(crate) fn timeline_event_id(&self) -> Option<TimelineEventId> {
        match self.source {
            SearchSource::Alert | SearchSource::Analysis => None,
            SearchSource::Timeline(id) => Some(id),
        }
    }
}

/// The statements that make a text of a session findable.
pub(crate) fn index_text(
    engine: EngineKind,
    session_id: SessionId,
    source: SearchSource,
    text: &str,
) -> Vec<Sql> {
    let words = words(text);
    if words.is_empty() {
        return Vec::new();
    }
    let words = words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    dialect::search_insert(engine, &Piece { session_id, source, words })
}

/// Adds a condition on `sessions`: one of its pieces matches.
///
/// Few matches are looked up and their sessions sorted. Many would take long to gather, but then the sessions at
/// hand are likely to match, and checking them one by one in the list's order soon fills a page.
pub(crate) async fn push_search(
    connection: &mut Connection,
    statement: &mut Sql,
    query: &SearchQuery,
) -> Result<(), StoreError> {
    let engine = connection.engine();
    if count_matches(connection, query).await? <= FEW_MATCHES {
        statement.push_text(" and session_id in (select session_id from search_pieces where ");
        dialect::push_search_match(engine, statement, query);
    } else {
        statement.push_text(
            " and exists (select 1 from search_pieces where search_pieces.session_id = sessions.session_id and ",
        );
        dialect::push_search_check(engine, statement, query);
    }
    statement.push_text(")");
    Ok(())
}

/// How many pieces match; counts no further than is needed to say that they are not few.
async fn count_matches(connection: &mut Connection, query: &SearchQuery) -> Result<u64, StoreError> {
    let mut count = sql("select count(*) as matches from (select 1 from search_pieces where ");
    dialect::push_search_match(connection.engine(), &mut count, query);
    count.push(" limit {}) matching", FEW_MATCHES + 1);
    count.fetch_one(connection).await?.count("matches")
}

/// For each of these sessions that matches, its first matching piece.
pub(crate) async fn first_hits(
    connection: &mut Connection,
    session_ids: &[SessionId],
    query: &SearchQuery,
) -> Result<BTreeMap<SessionId, SearchHit>, StoreError> {
    if session_ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut first = sql("select session_id, min(piece_id) as piece_id from search_pieces where ");
    first.push_list("session_id in {} and ", session_ids.iter().copied());
    dialect::push_search_check(connection.engine(), &mut first, query);
    first.push_text(" group by session_id");
    let pieces = first.fetch_all(connection).await?;
    let piece_ids: Vec<i64> = pieces.iter().map(|row| row.get("piece_id")).collect::<Result<_, _>>()?;
    if piece_ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut texts = sql("
        select p.session_id, p.timeline_event_id, p.source,
          case p.source when 'alert' then i.alert_data when 'analysis' then s.final_analysis else t.content end
            as content
        from search_pieces p
        join sessions s on s.session_id = p.session_id
        join session_inputs i on i.session_id = p.session_id
        left join timeline_events t on t.timeline_event_id = p.timeline_event_id
        where ");
    texts.push_list("p.piece_id in {}", piece_ids);
    let rows = texts.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.id("session_id")?, SearchHit::decode(row, query)?))).collect()
}

impl SearchHit {
    fn decode(row: &Row, query: &SearchQuery) -> Result<Self, StoreError> {
        let content: Option<String> = row.get("content")?;
        Ok(Self {
            timeline_event_id: row.optional_id("timeline_event_id")?,
            source: row.get("source")?,
            snippet: content.and_then(|content| query.snippet(&content)),
        })
    }
}
