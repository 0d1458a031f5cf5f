//! Lists of sessions: filtered, searched, in pages that do not shift when new sessions arrive.
//!
//! A page ends with a cursor that names its last row; the next page begins behind that row, however many came
//! in between. The list reads one table and counts nothing.

use std::collections::BTreeMap;

use tarsy_domain::{SearchQuery, SessionId, SessionStatus, Timestamp};

use crate::connection::Connection;
use crate::search::{SearchHit, first_hits, push_search};
use crate::session::{COLUMNS, Session};
use crate::sql::{Sql, sql};
use crate::{Store, StoreError};

/// Which sessions to list. The default is all of them, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// In one of these states; all if empty.
    pub statuses: Vec<SessionStatus>,
    /// Of one of these alert types; all if empty.
    pub alert_types: Vec<String>,
    /// Investigated by one of these chains; all if empty.
    pub chain_ids: Vec<String>,
    /// Sent by one of these; all if empty.
    pub authors: Vec<String>,
    /// Created at this moment or later.
    pub created_from: Option<Timestamp>,
    /// Created before this moment.
    pub created_before: Option<Timestamp>,
    /// Whose alert, analysis or timeline holds these words.
    pub search: Option<SearchQuery>,
    /// Which come first.
    pub sort: SessionSort,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// The place between two pages: the last session of the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCursor {
    /// When that session was created.
    pub created_at: Timestamp,
    /// Its id, to tell apart those that were created in the same microsecond.
    pub session_id: SessionId,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<ListedSession>,
    /// Where the next page begins; none if this is the last one.
    pub next: Option<SessionCursor>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// The session.
    pub session: Session,
    /// Where it matched, if the list was searched.
    pub hit: Option<SearchHit>,
}

impl Store {
    /// One page of at most `limit` sessions, behind `cursor` if given.
    pub async fn session_list(
        &self,
        filter: &SessionFilter,
        cursor: Option<SessionCursor>,
        limit: u32,
    ) -> Result<SessionPage, StoreError> {
        let mut connection = self.read().await?;
        let mut statement = sql(format!("select {COLUMNS} from sessions where true"));
        push_filter(&mut statement, filter);
        if let Some(query) = &filter.search {
            push_search(&mut connection, &mut statement, query).await?;
        }
        push_order(&mut statement, filter.sort, cursor);
        // One more than asked for tells whether there is a next page.
        statement.push(" limit {}", u64::from(limit) + 1);
        let rows = statement.fetch_all(&mut connection).await?;
        let mut sessions: Vec<Session> = rows.iter().map(Session::decode).collect::<Result<_, _>>()?;

        let has_more = sessions.len() > limit as usize;
        sessions.truncate(limit as usize);
        let next = sessions.last().filter(|_| has_more).map(SessionCursor::behind);
        let mut hits = hits_of(&mut connection, filter, &sessions).await?;
        let listed = |session: Session| ListedSession { hit: hits.remove(&session.session_id), session };
        Ok(SessionPage { sessions: sessions.into_iter().map(listed).collect(), next })
    }

    /// How many sessions there are in each state; states without any are absent.
    pub async fn session_counts(&self) -> Result<BTreeMap<SessionStatus, u64>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("select status, count(*) as sessions from sessions group by status")
            .fetch_all(&mut connection)
            .await?;
        rows.iter().map(|row| Ok((row.word("status")?, row.count("sessions")?))).collect()
    }
}

fn push_filter(statement: &mut Sql, filter: &SessionFilter) {
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

fn push_order(statement: &mut Sql, sort: SessionSort, cursor: Option<SessionCursor>) {
    let (comparison, direction) = match sort {
        SessionSort::Newest => ("<", "desc"),
        SessionSort::Oldest => (">", "asc"),
    };
    if let Some(cursor) = cursor {
        statement.push(&format!(" and (created_at_us, session_id) {comparison} ({{}}, "), cursor.created_at);
        statement.push("{})", cursor.session_id);
    }
    statement.push_text(&format!(" order by created_at_us {direction}, session_id {direction}"));
}

async fn hits_of(
    connection: &mut Connection,
    filter: &SessionFilter,
    sessions: &[Session],
) -> Result<BTreeMap<SessionId, SearchHit>, StoreError> {
    let Some(query) = &filter.search else { return Ok(BTreeMap::new()) };
    let session_ids: Vec<SessionId> = sessions.iter().map(|session| session.session_id).collect();
    first_hits(connection, &session_ids, query).await
}

impl SessionCursor {
    fn behind(session: &Session) -> Self {
        Self { created_at: session.created_at, session_id: session.session_id }
    }
}
