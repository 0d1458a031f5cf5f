//! Full-text search over alerts, analyses and timelines.
//!
//! A *piece* is one such text; a session matches if one of its pieces contains every word of the query. The
//! id of a piece is the number of its session followed by the number of the piece in [`PART_BITS`] bits, so
//! that matches can be read newest or oldest first, no further than a page needs. The domain crate splits
//! texts into words; `dialect` contains the index of each engine.

use std::collections::BTreeMap;

use tarsy_domain::{SearchQuery, SearchSource, SessionId, Snippet, TimelineEventId, words};

use crate::db::connection::DbConnection;
use crate::db::dialect::{self, SearchPlan};
use crate::db::sql::{Sql, sql};
use crate::session::sort::SessionSort;
use crate::{EngineKind, Session, StoreError};

/// Bits of a piece id that number the piece within its session.
const PART_BITS: u32 = 20;
const PART_LAST: i64 = (1 << PART_BITS) - 1;
/// Size of the first batch of matches. Batches grow, because most searches need only one.
const FIRST_BATCH: u32 = 256;
const LARGEST_BATCH: u32 = 8_192;

/// The last match of a session, with an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The kind of the text that matched.
    pub source: SearchSource,
    /// The timeline entry that matched, if any.
    pub timeline_event_id: Option<TimelineEventId>,
    /// The excerpt.
    pub snippet: Option<Snippet>,
}

/// A text of a session that can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchPart {
    Alert,
    /// The timeline entry at this position.
    Timeline(u64),
    Analysis,
}

impl SearchPart {
    fn number(self) -> i64 {
        match self {
            Self::Alert => 0,
            Self::Timeline(position) => i64::try_from(position).unwrap_or(PART_LAST),
            Self::Analysis => PART_LAST,
        }
    }

    pub(crate) fn of_piece(piece_id: i64) -> Self {
        match piece_id & PART_LAST {
            0 => Self::Alert,
            PART_LAST => Self::Analysis,
            position => Self::Timeline(position.unsigned_abs()),
        }
    }
}

/// Returns the distinct words of a text, separated by spaces, as the index stores them.
///
/// This is the expensive part of indexing, so callers run it before the transaction.
pub(crate) fn searchable_words(text: &str) -> String {
    words(text).iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the statement that indexes a text of a session; `None` if the text has no words, or if it is a
/// timeline entry beyond position 1,048,574, for which there is no piece id.
pub(crate) fn index_words(
    engine: EngineKind,
    session_number: i64,
    part: SearchPart,
    words: &str,
) -> Option<Sql> {
    let piece_id = (session_number << PART_BITS) + part.number();
    let has_number = !matches!(part, SearchPart::Timeline(position) if position >= PART_LAST.unsigned_abs());
    let findable = has_number && !words.is_empty();
    findable.then(|| sql(dialect::search_insert(engine)).bind(piece_id).bind(words))
}

/// Removes the texts of a session from the index.
pub(crate) async fn delete_texts(
    connection: &mut DbConnection,
    session_number: i64,
) -> Result<(), StoreError> {
    sql(dialect::search_delete(connection.engine()))
        .bind(session_number << PART_BITS)
        .bind((session_number << PART_BITS) + PART_LAST)
        .execute(connection)
        .await
}

/// The sessions that match a query, in order, read in batches.
pub(crate) struct Matches<'query> {
    query: &'query SearchQuery,
    sort: SessionSort,
    /// The piece after which the next batch starts.
    after: i64,
    batch: u32,
    /// The terms in the syntax of the engine, and the plan; computed for the first batch.
    prepared: Option<(String, SearchPlan)>,
}

impl<'query> Matches<'query> {
    /// Starts a search, after a session if given.
    pub(crate) fn new(query: &'query SearchQuery, sort: SessionSort, after_session: Option<i64>) -> Self {
        let after = match (sort, after_session) {
            (SessionSort::Newest, None) => i64::MAX,
            (SessionSort::Oldest, None) => -1,
            (_, Some(number)) => last_piece(number, sort),
        };
        Self { query, sort, after, batch: FIRST_BATCH, prepared: None }
    }

    /// Returns the next sessions by number, each with its last matching piece; empty at the end.
    pub(crate) async fn next(
        &mut self,
        connection: &mut DbConnection,
    ) -> Result<Vec<(i64, SearchPart)>, StoreError> {
        let (terms, plan) = match self.prepared.take() {
            Some(prepared) => prepared,
            None => {
                let terms = dialect::search_terms(connection, self.query).await?;
                let plan = dialect::search_plan(connection, &terms, self.sort, self.after).await?;
                (terms, plan)
            }
        };
        let text = dialect::search_select(connection.engine(), self.sort, plan);
        // All matches are sorted in any case, so a large batch costs no more.
        let batch = if plan == SearchPlan::SortMatches { LARGEST_BATCH } else { self.batch };
        let rows = sql(text).bind(&terms).bind(self.after).bind(batch).fetch_all(connection).await?;
        self.prepared = Some((terms, plan));
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
        let mut sessions: Vec<(i64, SearchPart)> = Vec::new();
        for row in rows {
            let piece_id: i64 = row.get("piece_id")?;
            let number = piece_id >> PART_BITS;
            match sessions.last_mut() {
                Some((last, part)) if *last == number => {
                    if self.sort == SessionSort::Oldest {
                        *part = SearchPart::of_piece(piece_id);
                    }
                }
                _ => sessions.push((number, SearchPart::of_piece(piece_id))),
            }
        }
        if let Some((number, _)) = sessions.last() {
            self.after = last_piece(*number, self.sort);
        }
        Ok(sessions)
    }
}

/// Returns the piece of a session after which the next session starts.
fn last_piece(session_number: i64, sort: SessionSort) -> i64 {
    match sort {
        SessionSort::Newest => session_number << PART_BITS,
        SessionSort::Oldest => (session_number << PART_BITS) + PART_LAST,
    }
}

/// Returns where each of these sessions matched.
pub(crate) async fn hits(
    connection: &mut DbConnection,
    matched: &[(&Session, SearchPart)],
    query: &SearchQuery,
) -> Result<BTreeMap<SessionId, SearchHit>, StoreError> {
    let alerts = alert_texts(connection, matched).await?;
    let entries = timeline_texts(connection, matched).await?;
    let hit = |(session, part): &(&Session, SearchPart)| {
        let id = session.session_id;
        let (source, timeline_event_id, text) = match part {
            SearchPart::Alert => (SearchSource::Alert, None, alerts.get(&id)),
            SearchPart::Analysis => (SearchSource::Analysis, None, session.final_analysis.as_ref()),
            SearchPart::Timeline(_) => {
                let entry = entries.get(&id);
                (SearchSource::Timeline, entry.map(|(event_id, _)| *event_id), entry.map(|(_, text)| text))
            }
        };
        (id, SearchHit { source, timeline_event_id, snippet: text.and_then(|text| query.snippet(text)) })
    };
    Ok(matched.iter().map(hit).collect())
}

async fn alert_texts(
    connection: &mut DbConnection,
    matched: &[(&Session, SearchPart)],
) -> Result<BTreeMap<SessionId, String>, StoreError> {
    let in_alert =
        matched.iter().filter(|(_, part)| *part == SearchPart::Alert).map(|(session, _)| session.session_id);
    let ids: Vec<SessionId> = in_alert.collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut statement = sql("select session_id, alert_data from session_inputs where session_id in ");
    statement.push_list("{}", ids);
    let rows = statement.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.id("session_id")?, row.get("alert_data")?))).collect()
}

async fn timeline_texts(
    connection: &mut DbConnection,
    matched: &[(&Session, SearchPart)],
) -> Result<BTreeMap<SessionId, (TimelineEventId, String)>, StoreError> {
    let mut statement = sql("select session_id, timeline_event_id, content from timeline_events where false");
    for (session, part) in matched {
        if let SearchPart::Timeline(position) = part {
            statement.push(" or (session_id = {}", session.session_id);
            statement.push(" and position = {})", *position);
        }
    }
    let rows = statement.fetch_all(connection).await?;
    rows.iter()
        .map(|row| Ok((row.id("session_id")?, (row.id("timeline_event_id")?, row.get("content")?))))
        .collect()
}
