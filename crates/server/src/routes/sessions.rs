//! `/api/v1/sessions`: lists of investigations.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_domain::{SearchQuery, SessionStatus, Timestamp};
use tarsy_store::{FilterOptions, NotACursor, SessionCursor, SessionFilter, SessionSort};
use utoipa::{IntoParams, ToSchema};

use crate::extract::Parameters;
use crate::page_size::PageSize;
use crate::view::{SessionPageResponse, SessionResponse};
use crate::{ApiError, App};

/// Of very many waiting sessions so many are shown.
const ACTIVE_MOST: u32 = 200;
const RUNNING: [SessionStatus; 2] = [SessionStatus::InProgress, SessionStatus::Cancelling];

/// What a list can be asked for. Filters that are given several times take any of their values.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct ListSessionsQuery {
    /// How many, from 1 to 200; 50 if not given.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: PageSize<50, 200>,
    /// Where an earlier page ended.
    #[param(value_type = Option<String>, pattern = "^-?[0-9]{1,18}_[0-9]{1,18}$")]
    cursor: Option<Cursor>,
    /// In one of these states.
    #[param(inline)]
    status: Vec<SessionStatus>,
    /// Of one of these alert types.
    alert_type: Vec<String>,
    /// Investigated by one of these chains.
    chain_id: Vec<String>,
    /// Sent by one of these.
    author: Vec<String>,
    /// Created at this moment or later.
    #[param(value_type = Option<i64>)]
    from_us: Option<Timestamp>,
    /// Created before this moment.
    #[param(value_type = Option<i64>)]
    to_us: Option<Timestamp>,
    /// Words that the alert, the analysis or an entry of the timeline must hold, each at least by its beginning. A text
    /// without letters and digits narrows nothing down.
    q: Option<String>,
    /// Which come first: `newest`, which is the default, or `oldest`.
    #[param(inline)]
    sort: SortOrder,
}

/// Which sessions come first.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortOrder {
    #[default]
    Newest,
    Oldest,
}

/// Where an earlier page ended.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Cursor(SessionCursor);

/// What is being worked on, and what waits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActiveSessionsResponse {
    /// Those under way, oldest first; 200 at most.
    running: Vec<SessionResponse>,
    /// How many are under way.
    running_total: u64,
    /// Those that wait for a worker, in the order in which they will be taken; 200 at most.
    queued: Vec<SessionResponse>,
    /// How many wait.
    queued_total: u64,
}

/// What lists can be narrowed down to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FilterOptionsResponse {
    /// All states.
    statuses: &'static [SessionStatus],
    /// Alert types that occur.
    alert_types: Vec<String>,
    /// Chains that occur.
    chain_ids: Vec<String>,
    /// Senders that occur.
    authors: Vec<String>,
}

/// Lists sessions, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/sessions",
    tag = "sessions",
    params(ListSessionsQuery),
    responses((status = 200, description = "One page.", body = SessionPageResponse))
)]
pub(crate) async fn list_sessions(
    State(app): State<App>,
    Parameters(query): Parameters<ListSessionsQuery>,
) -> Result<Json<SessionPageResponse>, ApiError> {
    let (filter, cursor, limit) = query.read();
    Ok(Json(app.store.session_list(&filter, cursor, limit).await?.into()))
}

/// Lists what is under way and what waits.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/active",
    tag = "sessions",
    responses((status = 200, description = "What is going on.", body = ActiveSessionsResponse))
)]
pub(crate) async fn list_active_sessions(
    State(app): State<App>,
) -> Result<Json<ActiveSessionsResponse>, ApiError> {
    let (running, running_total) = oldest_of(&app, &RUNNING).await?;
    let (queued, queued_total) = oldest_of(&app, &[SessionStatus::Pending]).await?;
    Ok(Json(ActiveSessionsResponse { running, running_total, queued, queued_total }))
}

/// Lists the values that occur in sessions, for filters.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/filter-options",
    tag = "sessions",
    responses((status = 200, description = "The values.", body = FilterOptionsResponse))
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
    let page = app.store.session_list(&filter, None, ACTIVE_MOST).await?;
    let total = match page.next {
        None => page.sessions.len() as u64,
        Some(_) => app.store.session_count(statuses).await?,
    };
    Ok((page.sessions.into_iter().map(|listed| listed.session.into()).collect(), total))
}

impl ListSessionsQuery {
    /// What the store is asked for.
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

impl TryFrom<String> for Cursor {
    type Error = NotACursor;

    fn try_from(text: String) -> Result<Self, NotACursor> {
        text.parse().map(Self)
    }
}
