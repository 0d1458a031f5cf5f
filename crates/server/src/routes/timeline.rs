//! `/api/v1/sessions/{session_id}/timeline`: the timeline of a session, in pages.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::{PathParams, QueryParams};
use crate::page_size::PageSize;
use crate::view::TimelinePageResponse;
use crate::{ApiError, App};

/// Paging of a timeline.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct TimelineQuery {
    /// Return entries after this position. Defaults to 0, the beginning.
    #[param(value_type = Option<i64>, minimum = 0)]
    after: TimelinePosition,
    /// Maximum number of entries, from 1 to 500. Defaults to 100.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: PageSize<100, 500>,
}

/// A position in a timeline; 0 is before the first entry.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(try_from = "i64")]
struct TimelinePosition(u64);

/// Lists the timeline entries of a session, in order.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/timeline",
    tag = "sessions",
    params(SessionPath, TimelineQuery),
    responses(
        (status = 200, description = "One page of entries.", body = TimelinePageResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_timeline(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
    QueryParams(query): QueryParams<TimelineQuery>,
) -> Result<Json<TimelinePageResponse>, ApiError> {
    require_session(&app, session_id).await?;
    let limit = query.limit.entries();
    let events = app.store.timeline_list(session_id, query.after.0, limit + 1).await?;
    Ok(Json(TimelinePageResponse::new(events, limit)?))
}

impl TryFrom<i64> for TimelinePosition {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        u64::try_from(number)
            .map(Self)
            .map_err(|_| format!("`{number}` is not a position; expected 0 or greater"))
    }
}
