//! Lists of sessions in numbered pages, with the total number of sessions and in any order.
//!
//! Unlike pages with a cursor, numbered pages shift when new sessions arrive, and reading one counts all
//! sessions that pass the filter.

use crate::db::connection::DbConnection;
use crate::db::dialect;
use crate::db::sql::{Sql, sql};
use crate::session::COLUMNS;
use crate::session::list::{ListedSession, PageRow, SessionFilter, hits_of, push_filter};
use crate::session::search::SearchPart;
use crate::session::sort::SessionOrder;
use crate::{Store, StoreError};

/// Which sessions a numbered page contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    /// Number of sessions before the page.
    pub offset: u64,
    /// Maximum number of sessions of the page.
    pub limit: u32,
}

/// A page of a list, with the total number of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedPage {
    /// The sessions of the page.
    pub sessions: Vec<ListedSession>,
    /// Number of sessions that pass the filter.
    pub total: u64,
}

impl Store {
    /// Returns a page in the given order. The order in `filter` has no effect.
    pub async fn session_page(
        &self,
        filter: &SessionFilter,
        order: SessionOrder,
        range: PageRange,
    ) -> Result<NumberedPage, StoreError> {
        let mut connection = self.read().await?;
        let terms = match &filter.search {
            Some(query) => Some(dialect::search_terms(&mut connection, query).await?),
            None => None,
        };
        let total = count(&mut connection, filter, terms.as_deref()).await?;
        let found = rows(&mut connection, filter, terms.as_deref(), order, range).await?;
        let hits = hits_of(&mut connection, filter, &found).await?;
        Ok(NumberedPage { sessions: found.into_iter().map(|row| row.listed(&hits)).collect(), total })
    }
}

async fn count(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    terms: Option<&str>,
) -> Result<u64, StoreError> {
    let mut statement = select(connection, "count(*) as sessions", terms);
    push_filter(&mut statement, filter);
    statement.fetch_one(connection).await?.count("sessions")
}

async fn rows(
    connection: &mut DbConnection,
    filter: &SessionFilter,
    terms: Option<&str>,
    order: SessionOrder,
    range: PageRange,
) -> Result<Vec<PageRow>, StoreError> {
    let piece = if terms.is_some() { ", piece_id" } else { "" };
    let mut statement = select(connection, &format!("{COLUMNS}, session_number{piece}"), terms);
    push_filter(&mut statement, filter);
    statement.push(&format!(" {} limit {{}}", order.sql(connection.engine())), range.limit);
    statement.push(" offset {}", range.offset);
    let rows = statement.fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            let matched = match terms {
                Some(_) => Some(SearchPart::of_piece(row.get("piece_id")?)),
                None => None,
            };
            PageRow::decode(row, matched)
        })
        .collect()
}

/// Returns the beginning of a query over all sessions, or over those that match the search terms.
fn select(connection: &DbConnection, columns: &str, terms: Option<&str>) -> Sql {
    let Some(terms) = terms else { return sql(format!("select {columns} from sessions where true")) };
    let mut statement = sql("");
    let matches = dialect::search_matches(connection.engine());
    let text = format!(
        "with matches as materialized ({matches})
        select {columns}
        from sessions
        join matches on matches.matched_number = sessions.session_number
        where true"
    );
    statement.push(&text, terms);
    statement
}
