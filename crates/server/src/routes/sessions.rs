//! `GET /api/v1/sessions`: the list of investigations, newest first, in pages.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_domain::{SessionId, SessionStatus, Timestamp};
use tarsy_store::{NotACursor, Session, SessionCursor, SessionFilter, SessionPage};
use utoipa::{IntoParams, ToSchema};

use crate::extract::Parameters;
use crate::{ApiError, App};

const LIMIT_DEFAULT: u32 = 50;
const LIMIT_MOST: u32 = 200;

/// What a list can be asked for. Everything is text, so that each fault can be named.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListSessionsQuery {
    /// How many, from 1 to 200; 50 if not given.
    limit: Option<String>,
    /// Where an earlier page ended.
    cursor: Option<String>,
    /// One or more states, separated by commas.
    status: Option<String>,
}

/// One page of the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionPageResponse {
    /// The sessions.
    sessions: Vec<SessionResponse>,
    /// Give it as `cursor` to get the next page; null on the last one.
    next_cursor: Option<String>,
}

/// A session in the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionResponse {
    session_id: SessionId,
    alert_id: String,
    alert_type: String,
    chain_id: String,
    author: Option<String>,
    status: SessionStatus,
    current_step: Option<String>,
    error_message: Option<String>,
    created_at_us: Timestamp,
    started_at_us: Option<Timestamp>,
    completed_at_us: Option<Timestamp>,
    stages_total: u64,
    stages_done: u64,
    stages_failed: u64,
    llm_interactions: u64,
    mcp_interactions: u64,
    input_tokens: u64,
    output_tokens: u64,
    thinking_tokens: u64,
    cached_tokens: u64,
}

/// Lists sessions, newest first.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "sessions", params(ListSessionsQuery), responses((status = 200, description = "One page.", body = SessionPageResponse)))]
pub(crate) async fn list_sessions(
    State(app): State<App>,
    Parameters(query): Parameters<ListSessionsQuery>,
) -> Result<Json<SessionPageResponse>, ApiError> {
    let filter = SessionFilter { statuses: statuses(query.status.as_deref())?, ..SessionFilter::default() };
    let cursor = query.cursor.as_deref().map(read_cursor).transpose()?;
    let page = app.store.session_list(&filter, cursor, limit(query.limit.as_deref())?).await?;
    Ok(Json(page.into()))
}

fn limit(text: Option<&str>) -> Result<u32, ApiError> {
    let Some(text) = text else { return Ok(LIMIT_DEFAULT) };
    text.parse().ok().filter(|limit| (1..=LIMIT_MOST).contains(limit)).ok_or_else(|| {
        ApiError::bad("limit", format!("`{text}` is not a whole number from 1 to {LIMIT_MOST}"))
    })
}

fn statuses(text: Option<&str>) -> Result<Vec<SessionStatus>, ApiError> {
    let words = text.into_iter().flat_map(|text| text.split(',')).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse().map_err(|unknown: tarsy_domain::UnknownWord| {
                ApiError::bad(
                    "status",
                    format!("`{word}` is not a status, expected one of: {}", unknown.known.join(", ")),
                )
            })
        })
        .collect()
}

fn read_cursor(text: &str) -> Result<SessionCursor, ApiError> {
    text.parse().map_err(|error: NotACursor| ApiError::bad("cursor", error.to_string()))
}

impl From<SessionPage> for SessionPageResponse {
    fn from(page: SessionPage) -> Self {
        Self {
            sessions: page.sessions.into_iter().map(|listed| listed.session.into()).collect(),
            next_cursor: page.next.map(|cursor| cursor.to_string()),
        }
    }
}

impl From<Session> for SessionResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_type: session.alert_type,
            chain_id: session.chain_id,
            author: session.author,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            created_at_us: session.created_at,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
            llm_interactions: session.llm_interactions,
            mcp_interactions: session.mcp_interactions,
            input_tokens: session.usage.input_tokens,
            output_tokens: session.usage.output_tokens,
            thinking_tokens: session.usage.thinking_tokens,
            cached_tokens: session.usage.cached_tokens,
        }
    }
}
