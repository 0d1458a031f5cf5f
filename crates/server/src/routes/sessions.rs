//! `/api/v1/sessions`: lists of sessions.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use tarsy_domain::SessionStatus;
use tarsy_store::{FilterOptions, SessionFilter, SessionSort, Store};
use utoipa::ToSchema;

use super::list_query::{ListSessionsQuery, SessionListRequest};
use crate::extract::QueryParams;
use crate::view::{QueuedSessionResponse, SessionPageParts, SessionPageResponse, SessionResponse};
use crate::{ApiError, App};

/// Maximum number of running and of queued sessions in the response.
const MAX_ACTIVE: u32 = 200;
const RUNNING: [SessionStatus; 2] = [SessionStatus::InProgress, SessionStatus::Cancelling];

/// The running and the queued sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActiveSessionsResponse {
    /// Running sessions, oldest first; at most 200.
    running: Vec<SessionResponse>,
    /// Number of running sessions.
    running_total: u64,
    /// Queued sessions in the order in which workers claim them; at most 200.
    queued: Vec<QueuedSessionResponse>,
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
    let page = fetch_page(&app.store, query).await?;
    let numbered = if page.pagination.is_some() { page.session_ids() } else { Vec::new() };
    let outlines = app.store.session_outlines(&numbered).await?;
    Ok(Json(SessionPageResponse::new(page, &outlines)))
}

/// Reads a page of sessions.
pub(super) async fn fetch_page(
    store: &Store,
    query: ListSessionsQuery,
) -> Result<SessionPageParts, ApiError> {
    Ok(match query.read()? {
        SessionListRequest::ByCursor { filter, cursor, limit } => {
            store.session_list(&filter, cursor, limit).await?.into()
        }
        SessionListRequest::ByNumber { filter, order, range } => {
            SessionPageParts::numbered(store.session_page(&filter, order, range).await?, range)
        }
    })
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
    let queued =
        (1..).zip(queued).map(|(position, session)| QueuedSessionResponse::new(session, position)).collect();
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
