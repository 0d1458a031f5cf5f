//! `/api/v1/sessions`: lists of sessions.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_domain::{SearchQuery, SessionStatus, Timestamp};
use tarsy_store::{FilterOptions, InvalidCursor, SessionCursor, SessionFilter, SessionSort};
use utoipa::{IntoParams, ToSchema};

use crate::extract::QueryParams;
use crate::page_size::PageSize;
use crate::view::{SessionPageResponse, SessionResponse};
use crate::{ApiError, App};

/// Maximum number of running and of queued sessions in the response.
const MAX_ACTIVE: u32 = 200;
const RUNNING: [SessionStatus; 2] = [SessionStatus::InProgress, SessionStatus::Cancelling];

/// Filters and paging. A filter that is repeated matches any of its values.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct ListSessionsQuery {
    /// Maximum number of sessions, from 1 to 200. Defaults to 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: PageSize<50, 200>,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>, pattern = "^-?[0-9]{1,18}_[0-9]{1,18}$")]
    cursor: Option<CursorParam>,
    /// Status of the session.
    #[param(inline)]
    status: Vec<SessionStatus>,
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
    sort: SortOrder,
}

/// The sort order.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortOrder {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// The cursor parameter.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct CursorParam(SessionCursor);

/// The running and the queued sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActiveSessionsResponse {
    /// Running sessions, oldest first; at most 200.
    running: Vec<SessionResponse>,
    /// Number of running sessions.
    running_total: u64,
    /// Queued sessions in the order in which workers claim them; at most 200.
    queued: Vec<SessionResponse>,
    /// Number of queued sessions.
    queued_total: u64,
}

/// The values that lists can be filtered by.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FilterOptionsResponse {
    /// All statuses.
    statuses: &'static [SessionStatus],
    /// Alert types of existing sessions.
    alert_types: Vec<String>,
    /// Chains of existing sessions.
    chain_ids: Vec<String>,
    /// Authors of existing sessions.
    authors: Vec<String>,
}

/// Lists sessions, newest first by default.
#[utoipa::path(
    get,
    path = "/api/v1/sessions",
    tag = "sessions",
    params(ListSessionsQuery),
    responses((status = 200, description = "One page of sessions.", body = SessionPageResponse))
)]
pub(crate) async fn list_sessions(
    State(app): State<App>,
    QueryParams(query): QueryParams<ListSessionsQuery>,
) -> Result<Json<SessionPageResponse>, ApiError> {
    let (filter, cursor, limit) = query.read();
    Ok(Json(app.store.session_list(&filter, cursor, limit).await?.into()))
}

/// Lists the running and the queued sessions.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/active",
    tag = "sessions",
    responses((status = 200, description = "The running and the queued sessions.", body = ActiveSessionsResponse))
)]
pub(crate) async fn list_active_sessions(
    State(app): State<App>,
) -> Result<Json<ActiveSessionsResponse>, ApiError> {
    let (running, running_total) = oldest_of(&app, &RUNNING).await?;
    let (queued, queued_total) = oldest_of(&app, &[SessionStatus::Pending]).await?;
    Ok(Json(ActiveSessionsResponse { running, running_total, queued, queued_total }))
}

/// Lists the values that sessions can be filtered by.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/filter-options",
    tag = "sessions",
    responses((status = 200, description = "The filter values.", body = FilterOptionsResponse))
)]
pub(crate) async fn list_filter_options(
    State(app): State<App>,
) -> Result<Json<FilterOptionsResponse>, ApiError> {
    let FilterOptions { alert_types, chain_ids, authors } = app.store.session_filter_options().await?;
    Ok(Json(FilterOptionsResponse { statuses: SessionStatus::ALL, alert_types, chain_ids, authors }))
}

async fn oldest_of(app: &App, statuses: &[SessionStatus]) -> Result<(Vec<SessionResponse>, u64), ApiError> {
    let filter =
        SessionFilter { statuses: statuses.to_vec(), sort: SessionSort::Oldest, ..SessionFilter::default() };
    let page = app.store.session_list(&filter, None, MAX_ACTIVE).await?;
    let total = match page.next {
        None => page.sessions.len() as u64,
        Some(_) => app.store.session_count(statuses).await?,
    };
    Ok((page.sessions.into_iter().map(|listed| listed.session.into()).collect(), total))
}

impl ListSessionsQuery {
    /// Converts the parameters into a filter, a cursor and a page size.
    pub(crate) fn read(self) -> (SessionFilter, Option<SessionCursor>, u32) {
        let filter = SessionFilter {
            statuses: self.status,
            alert_types: self.alert_type,
            chain_ids: self.chain_id,
            authors: self.author,
            created_from: self.from_us,
            created_before: self.to_us,
            search: self.q.as_deref().and_then(SearchQuery::parse),
            sort: match self.sort {
                SortOrder::Newest => SessionSort::Newest,
                SortOrder::Oldest => SessionSort::Oldest,
            },
        };
        (filter, self.cursor.map(|cursor| cursor.0), self.limit.entries())
    }
}

impl TryFrom<String> for CursorParam {
    type Error = InvalidCursor;

    fn try_from(text: String) -> Result<Self, InvalidCursor> {
        text.parse().map(Self)
    }
}
