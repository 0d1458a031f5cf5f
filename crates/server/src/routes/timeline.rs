//! `/api/v1/sessions/{session_id}/timeline`: what happened, for people, in pages.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::session::{SessionPath, require_session};
use crate::error::ErrorResponse;
use crate::extract::{InPath, Parameters};
use crate::page_size::PageSize;
use crate::view::TimelinePageResponse;
use crate::{ApiError, App};

/// Which part of a timeline.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct TimelineQuery {
    /// Behind the entry at this position; from the beginning if not given.
    #[param(value_type = Option<i64>, minimum = 0)]
    after: Position,
    /// How many, from 1 to 500; 100 if not given.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: PageSize<100, 500>,
}

/// A place in a timeline; 0 is before its first entry.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(try_from = "i64")]
struct Position(u64);

/// Lists what happened in a session, in order.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/timeline",
    tag = "sessions",
    params(SessionPath, TimelineQuery),
    responses(
        (status = 200, description = "One page.", body = TimelinePageResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_timeline(
    State(app): State<App>,
    InPath(SessionPath { session_id }): InPath<SessionPath>,
    Parameters(query): Parameters<TimelineQuery>,
) -> Result<Json<TimelinePageResponse>, ApiError> {
    require_session(&app, session_id).await?;
    let limit = query.limit.entries();
    let events = app.store.timeline_list(session_id, query.after.0, limit + 1).await?;
    Ok(Json(TimelinePageResponse::new(events, limit)?))
}

impl TryFrom<i64> for Position {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        u64::try_from(number)
            .map(Self)
            .map_err(|_| format!("`{number}` is not a position, expected 0 or more"))
    }
}
