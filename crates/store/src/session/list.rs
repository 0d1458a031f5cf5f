//! Lists of sessions: filtered, searched, and in pages that do not shift when new sessions arrive.
//!
//! A page ends with a cursor that identifies its last row; the next page starts after that row, regardless of
//! new sessions. The list reads one table and computes no counts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use tarsy_domain::{SearchQuery, SessionId, SessionStatus, Timestamp};
use thiserror::Error;

use crate::db::connection::DbConnection;
use crate::db::dialect;
use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::session::search::{Matches, SearchHit, SearchPart, hits};
use crate::session::sort::SessionSort;
use crate::session::{COLUMNS, Session};
use crate::{Store, StoreError};

/// The filter and the order of a list. The default is all sessions, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Statuses; all if empty.
    pub statuses: Vec<SessionStatus>,
    /// Alert types; all if empty.
    pub alert_types: Vec<String>,
    /// Chains; all if empty.
    pub chain_ids: Vec<String>,
    /// Senders; all if empty.
    pub authors: Vec<String>,
    /// Earliest time of creation, inclusive.
    pub created_from: Option<Timestamp>,
    /// Latest time of creation, exclusive.
    pub created_before: Option<Timestamp>,
    /// Words in the alert, the analysis or the timeline.
    pub search: Option<SearchQuery>,
    /// The order of pages with a cursor.
    pub sort: SessionSort,
}

/// The position between two pages: the last session of the earlier page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCursor {
    created_at: Timestamp,
    session_number: i64,
}

/// The error for a text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a cursor, expected the cursor of an earlier page")]
pub struct InvalidCursor(String);

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<ListedSession>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<SessionCursor>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// The session.
    pub session: Session,
    /// Where it matched the search, if there was one.
    pub hit: Option<SearchHit>,
}

impl Store {
    /// Returns a page of at most `limit` sessions, after `cursor` if given.
    pub async fn session_list(
        &self,
        filter: &SessionFilter,
        cursor: Option<SessionCursor>,
        limit: u32,
    ) -> Result<SessionPage, StoreError> {
        let mut connection = self.read().await?;
        // One more than requested, to find out whether there is a next page.
        let wanted = limit as usize + 1;
        let mut found = match &filter.search {
            None => by_time(&mut connection, filter, cursor, wanted).await?,
            Some(query) => by_match(&mut connection, filter, query, cursor, wanted).await?,
        };
        let has_more = found.len() == wanted;
        found.truncate(limit as usize);
        let next = found.last().filter(|_| has_more).map(|found| found.cursor);
        let hits = hits_of(&mut connection, filter, &found).await?;
        Ok(SessionPage { sessions: found.into_iter().map(|found| found.listed(&hits)).collect(), next })
    }

    /// Returns the number of sessions with one of these statuses.
    pub async fn session_count(&self, statuses: &[SessionStatus]) -> Result<u64, StoreError> {
        let mut connection = self.read().await?;
        let mut counted = sql("select count(*) as sessions from sessions where status in ");
        counted.push_list("{}", statuses.iter().map(|status| status.as_str()));
        counted.fetch_one(&mut connection).await?.count("sessions")
    }

    /// Returns the number of sessions by status; statuses without sessions are absent.
    pub async fn session_counts(&self) -> Result<BTreeMap<SessionStatus, u64>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("select status, count(*) as sessions from sessions group by status")
            .fetch_all(&mut connection)
            .await?;
        rows.iter().map(|row| Ok((row.parsed("status")?, row.count("sessions")?))).collect()
    }
}

/// A session of a page, with its cursor.
pub(crate) struct PageRow {
    session: Session,
    cursor: SessionCursor,
    matched: Option<SearchPart>,
}

/// Returns sessions in the order of their creation.
async fn by_time(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    cursor: Option<SessionCursor>,
    wanted: usize,
) -> Result<Vec<PageRow>, StoreError> {
    let (comparison, direction) = filter.sort.sql();
    let mut statement = sql(format!("select {COLUMNS}, session_number from sessions where true"));
    push_filter(&mut statement, filter);
    if let Some(cursor) = cursor {
        statement
            .push(&format!(" and (created_at_us, session_number) {comparison} ({{}}, "), cursor.created_at);
        statement.push("{})", cursor.session_number);
    }
    let order = format!(" order by created_at_us {direction}, session_number {direction} limit {{}}");
    statement.push(&order, wanted);
    let rows = statement.fetch_all(connection).await?;
    rows.iter().map(|row| PageRow::decode(row, None)).collect()
}

/// Returns sessions that match a search, in the order of their creation.
async fn by_match(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    query: &SearchQuery,
    cursor: Option<SessionCursor>,
    wanted: usize,
) -> Result<Vec<PageRow>, StoreError> {
    let mut matches = Matches::new(query, filter.sort, cursor.map(|cursor| cursor.session_number));
    let mut found = Vec::new();
    while found.len() < wanted {
        let matched = matches.next(connection).await?;
        if matched.is_empty() {
            break;
        }
        found.extend(by_number(connection, filter, &matched, wanted - found.len()).await?);
    }
    Ok(found)
}

/// Returns the matched sessions that pass the filter.
async fn by_number(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    matched: &[(i64, SearchPart)],
    wanted: usize,
) -> Result<Vec<PageRow>, StoreError> {
    let parts: BTreeMap<i64, SearchPart> = matched.iter().copied().collect();
    let (_, direction) = filter.sort.sql();
    let mut statement = sql(format!("select {COLUMNS}, session_number from sessions where session_number "));
    let (among, numbers) = dialect::among(connection.engine(), parts.keys());
    statement.push(among, numbers);
    push_filter(&mut statement, filter);
    statement.push(&format!(" order by session_number {direction} limit {{}}"), wanted);
    let rows = statement.fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            let number: i64 = row.get("session_number")?;
            PageRow::decode(row, parts.get(&number).copied())
        })
        .collect()
}

pub(crate) fn push_filter(statement: &mut Sql, filter: &SessionFilter) {
    if !filter.statuses.is_empty() {
        statement.push_list(" and status in {}", filter.statuses.iter().map(|status| status.as_str()));
    }
    for (condition, values) in [
        (" and alert_type in {}", &filter.alert_types),
        (" and chain_id in {}", &filter.chain_ids),
        (" and author in {}", &filter.authors),
    ] {
        if !values.is_empty() {
            statement.push_list(condition, values);
        }
    }
    if let Some(from) = filter.created_from {
        statement.push(" and created_at_us >= {}", from);
    }
    if let Some(before) = filter.created_before {
        statement.push(" and created_at_us < {}", before);
    }
}

pub(crate) async fn hits_of(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    found: &[PageRow],
) -> Result<BTreeMap<SessionId, SearchHit>, StoreError> {
    let Some(query) = &filter.search else { return Ok(BTreeMap::new()) };
    let matched: Vec<(&Session, SearchPart)> =
        found.iter().filter_map(|found| Some((&found.session, found.matched?))).collect();
    hits(connection, &matched, query).await
}

impl PageRow {
    pub(crate) fn decode(row: &DbRow, matched: Option<SearchPart>) -> Result<Self, StoreError> {
        let session = Session::decode(row)?;
        let cursor =
            SessionCursor { created_at: session.created_at, session_number: row.get("session_number")? };
        Ok(Self { session, cursor, matched })
    }

    pub(crate) fn listed(self, hits: &BTreeMap<SessionId, SearchHit>) -> ListedSession {
        ListedSession { hit: hits.get(&self.session.session_id).cloned(), session: self.session }
    }
}

impl fmt::Display for SessionCursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}_{}", self.created_at.as_micros(), self.session_number)
    }
}

impl FromStr for SessionCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('_').and_then(|(time, number)| {
            let created_at = Timestamp::from_micros(time.parse().ok()?);
            Some(Self { created_at, session_number: number.parse().ok()? })
        });
        parsed.ok_or_else(|| InvalidCursor(text.to_owned()))
    }
}
