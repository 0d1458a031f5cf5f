//! The query parameters of lists of sessions: our own, and those of the Go version of TARSy.
//!
//! Our own read pages by cursor. If one of the others is present, the list has numbered pages with totals.

use serde::Deserialize;
use tarsy_domain::{SearchQuery, Timestamp};
use tarsy_store::{PageRange, SessionCursor, SessionFilter, SessionOrder, SessionSort};
use utoipa::IntoParams;

use super::list_values::{
    Compatibility, CursorParam, DateParam, SortByParam, SortOrder, SortOrderParam, StatusesParam,
};
use crate::ApiError;
use crate::page_size::PageSize;

/// Maximum length of `search` in bytes.
const MAX_SEARCH_BYTES: usize = 1000;

/// Filters and paging. A filter that is repeated matches any of its values.
///
/// If one of `page`, `page_size`, `sort_by`, `sort_order`, `search`, `start_date`, `end_date` and `compat` is present, the
/// list has numbered pages: the response contains `pagination`, and `next_cursor` is null.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct ListSessionsQuery {
    /// Maximum number of sessions, from 1 to 200. Defaults to 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<PageSize<50, 200>>,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>, pattern = "^-?[0-9]{1,18}_[0-9]{1,18}$")]
    cursor: Option<CursorParam>,
    /// Status of the session. A value may also contain several statuses, separated by commas.
    #[param(value_type = Vec<tarsy_domain::SessionStatus>, inline)]
    status: Vec<StatusesParam>,
    /// Alert type of the session.
    alert_type: Vec<String>,
    /// Chain of the session.
    chain_id: Vec<String>,
    /// Author of the alert.
    author: Vec<String>,
    /// Created at or after this time.
    #[param(value_type = Option<i64>)]
    from_us: Option<Timestamp>,
    /// Created before this time.
    #[param(value_type = Option<i64>)]
    to_us: Option<Timestamp>,
    /// Full-text search in the alert, the analysis and the timeline. Each term must match the beginning of a
    /// word. A query without letters and digits matches every session.
    q: Option<String>,
    /// Sort order by creation time: `newest` (default) or `oldest` first.
    #[param(inline)]
    sort: Option<SortOrder>,
    /// Number of the page, from 1 to 1000000. Cannot be combined with `cursor` and `limit`.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1_000_000)]
    page: Option<PageSize<1, 1_000_000>>,
    /// Size of numbered pages, from 1 to 200. Defaults to 25. Cannot be combined with `cursor` and `limit`.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    page_size: Option<PageSize<25, 200>>,
    /// Sort key of numbered pages. Defaults to `created_at`. Sessions without a value come first in ascending order. Cannot
    /// be combined with `sort`.
    #[param(inline)]
    sort_by: Option<SortByParam>,
    /// Sort direction of numbered pages. Defaults to `desc`. Cannot be combined with `sort`.
    #[param(inline)]
    sort_order: Option<SortOrderParam>,
    /// Full-text search with numbered pages, like `q`. Cannot be combined with `q`.
    #[param(max_length = 1000)]
    search: Option<String>,
    /// Created at or after this RFC 3339 time. Cannot be combined with `from_us`.
    #[param(value_type = Option<String>, format = DateTime)]
    start_date: Option<DateParam>,
    /// Created before this RFC 3339 time. Cannot be combined with `to_us`.
    #[param(value_type = Option<String>, format = DateTime)]
    end_date: Option<DateParam>,
    /// Selects numbered pages without another parameter.
    #[param(inline)]
    compat: Option<Compatibility>,
}

/// A list to read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SessionListRequest {
    /// A page after a cursor.
    ByCursor { filter: SessionFilter, cursor: Option<SessionCursor>, limit: u32 },
    /// A page with a number.
    ByNumber { filter: SessionFilter, order: SessionOrder, range: PageRange },
}

impl ListSessionsQuery {
    /// Converts the parameters. Fails if two of them have the same purpose.
    pub(crate) fn read(self) -> Result<SessionListRequest, ApiError> {
        self.reject_contradictions()?;
        self.check_search()?;
        let order = SessionOrder {
            key: self.sort_by.unwrap_or_default().into(),
            direction: self.sort_order.unwrap_or_default().into(),
        };
        let (page, page_size) = (self.page.unwrap_or_default(), self.page_size.unwrap_or_default());
        let (cursor, limit) = (self.cursor.map(|cursor| cursor.0), self.limit.unwrap_or_default().entries());
        if self.has_numbered_pages() {
            let before = u64::from(page.entries()) - 1;
            let limit = page_size.entries();
            let range = PageRange { offset: before * u64::from(limit), limit };
            return Ok(SessionListRequest::ByNumber { filter: self.into_filter(), order, range });
        }
        Ok(SessionListRequest::ByCursor { filter: self.into_filter(), cursor, limit })
    }

    fn has_numbered_pages(&self) -> bool {
        let Self { page, page_size, sort_by, sort_order, search, start_date, end_date, compat, .. } = self;
        page.is_some()
            || page_size.is_some()
            || sort_by.is_some()
            || sort_order.is_some()
            || search.is_some()
            || start_date.is_some()
            || end_date.is_some()
            || compat.is_some()
    }

    fn reject_contradictions(&self) -> Result<(), ApiError> {
        let given = [
            (("cursor", self.cursor.is_some()), ("page", self.page.is_some())),
            (("cursor", self.cursor.is_some()), ("page_size", self.page_size.is_some())),
            (("limit", self.limit.is_some()), ("page", self.page.is_some())),
            (("limit", self.limit.is_some()), ("page_size", self.page_size.is_some())),
            (("sort", self.sort.is_some()), ("sort_by", self.sort_by.is_some())),
            (("sort", self.sort.is_some()), ("sort_order", self.sort_order.is_some())),
            (("q", self.q.is_some()), ("search", self.search.is_some())),
            (("from_us", self.from_us.is_some()), ("start_date", self.start_date.is_some())),
            (("to_us", self.to_us.is_some()), ("end_date", self.end_date.is_some())),
        ];
        match given.into_iter().find(|((_, own), (_, other))| *own && *other) {
            Some(((own, _), (other, _))) => {
                Err(ApiError::bad(own, format!("cannot be combined with `{other}`")))
            }
            None => Ok(()),
        }
    }

    fn check_search(&self) -> Result<(), ApiError> {
        match self.search.as_ref().map(String::len) {
            Some(length) if length > MAX_SEARCH_BYTES => {
                let problem = format!("has {length} bytes; expected at most {MAX_SEARCH_BYTES}");
                Err(ApiError::bad("search", problem))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn into_filter(self) -> SessionFilter {
        SessionFilter {
            statuses: self.status.into_iter().flat_map(|list| list.0).collect(),
            alert_types: self.alert_type,
            chain_ids: self.chain_id,
            authors: self.author,
            created_from: self.start_date.map(|date| date.0).or(self.from_us),
            created_before: self.end_date.map(|date| date.0).or(self.to_us),
            search: self.search.or(self.q).as_deref().and_then(SearchQuery::parse),
            sort: match self.sort.unwrap_or_default() {
                SortOrder::Newest => SessionSort::Newest,
                SortOrder::Oldest => SessionSort::Oldest,
            },
        }
    }
}
