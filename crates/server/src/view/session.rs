//! Response bodies of sessions: in a list and as a status.

use serde::Serialize;
use tarsy_domain::{SearchSource, SessionId, SessionStatus, Snippet, TimelineEventId, Timestamp, TokenUsage};
use tarsy_store::{ListedSession, NumberedPage, PageRange, SearchHit, Session, SessionPage};
use utoipa::ToSchema;

/// One page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionPageResponse {
    /// The sessions.
    pub(crate) sessions: Vec<ListedSessionResponse>,
    /// Value of `cursor` for the next page; null on the last page and for numbered pages.
    pub(crate) next_cursor: Option<String>,
    /// Position of a numbered page and totals; null for pages with a cursor.
    pagination: Option<PaginationResponse>,
}

/// A page of either kind.
#[derive(Debug)]
pub(crate) struct SessionListPage {
    pub(crate) sessions: Vec<ListedSession>,
    pub(crate) next_cursor: Option<String>,
    pub(crate) pagination: Option<PaginationResponse>,
}

/// The position of a numbered page, and the totals of the list.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PaginationResponse {
    /// Number of the page, from 1.
    page: u64,
    /// Maximum number of sessions on a page.
    page_size: u64,
    /// Number of pages.
    total_pages: u64,
    /// Number of sessions on all pages.
    total_items: u64,
}

/// A queued session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueuedSessionResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// Position in the queue, from 1.
    queue_position: u64,
}

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedSessionResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// The last match of the search; null without a search.
    hit: Option<SearchHitResponse>,
}

/// The match of a search in a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchHitResponse {
    /// Where it matched: `alert`, `analysis` or `timeline`.
    source: SearchSource,
    /// The timeline entry that matched; null for other sources.
    timeline_event_id: Option<TimelineEventId>,
    /// An excerpt, split at its matches.
    snippet: Vec<SnippetPartResponse>,
}

/// A part of an excerpt.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SnippetPartResponse {
    /// The text of the part.
    text: String,
    /// Whether the part matches a search term.
    matched: bool,
}

/// A session, without its long texts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Id of the alert.
    alert_id: String,
    /// Type of the alert.
    alert_type: String,
    /// The chain that investigates the alert.
    chain_id: String,
    /// Author of the alert.
    author: Option<String>,
    /// Status of the session.
    status: SessionStatus,
    /// What the session is doing, as text for people.
    current_step: Option<String>,
    /// Why the session failed.
    error_message: Option<String>,
    /// When the alert was submitted.
    created_at_us: Timestamp,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// Number of stages of the chain.
    stages_total: u64,
    /// Number of stages that have ended.
    stages_done: u64,
    /// Number of stages that failed.
    stages_failed: u64,
    /// Number of model calls.
    llm_interactions: u64,
    /// Number of tool calls.
    mcp_interactions: u64,
    #[serde(flatten)]
    tokens: TokensResponse,
}

/// Token counts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokensResponse {
    /// Input tokens, including cached ones.
    input_tokens: u64,
    /// Output tokens, including thinking tokens.
    output_tokens: u64,
    /// Tokens for thinking.
    thinking_tokens: u64,
    /// Input tokens that the provider had cached.
    cached_tokens: u64,
}

/// The status of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionStatusResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Status of the session.
    status: SessionStatus,
    /// What the session is doing, as text for people.
    current_step: Option<String>,
    /// Why the session failed.
    error_message: Option<String>,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// When cancellation was requested.
    cancel_requested_at_us: Option<Timestamp>,
    /// Number of stages of the chain.
    stages_total: u64,
    /// Number of stages that have ended.
    stages_done: u64,
    /// Number of stages that failed.
    stages_failed: u64,
}

impl From<SessionListPage> for SessionPageResponse {
    fn from(page: SessionListPage) -> Self {
        Self {
            sessions: page.sessions.into_iter().map(Into::into).collect(),
            next_cursor: page.next_cursor,
            pagination: page.pagination,
        }
    }
}

impl From<SessionPage> for SessionListPage {
    fn from(page: SessionPage) -> Self {
        let next_cursor = page.next.map(|cursor| cursor.to_string());
        Self { sessions: page.sessions, next_cursor, pagination: None }
    }
}

impl SessionListPage {
    /// Converts a numbered page.
    pub(crate) fn numbered(page: NumberedPage, range: PageRange) -> Self {
        let pagination = PaginationResponse::new(range, page.total);
        Self { sessions: page.sessions, next_cursor: None, pagination: Some(pagination) }
    }
}

impl PaginationResponse {
    fn new(range: PageRange, total_items: u64) -> Self {
        let page_size = u64::from(range.limit).max(1);
        Self {
            page: range.offset / page_size + 1,
            page_size,
            total_pages: total_items.div_ceil(page_size),
            total_items,
        }
    }
}

impl QueuedSessionResponse {
    /// Converts a session at a position in the queue, from 1.
    pub(crate) fn new(session: SessionResponse, queue_position: u64) -> Self {
        Self { session, queue_position }
    }
}

impl From<ListedSession> for ListedSessionResponse {
    fn from(listed: ListedSession) -> Self {
        Self { session: listed.session.into(), hit: listed.hit.map(Into::into) }
    }
}

impl From<SearchHit> for SearchHitResponse {
    fn from(hit: SearchHit) -> Self {
        Self {
            source: hit.source,
            timeline_event_id: hit.timeline_event_id,
            snippet: hit.snippet.as_ref().map(snippet_parts).unwrap_or_default(),
        }
    }
}

/// Splits an excerpt at its matches. Byte ranges would be ambiguous for clients that count UTF-16 units.
fn snippet_parts(snippet: &Snippet) -> Vec<SnippetPartResponse> {
    let part = |range: std::ops::Range<usize>, matched| {
        let text = snippet.text.get(range).unwrap_or_default().to_owned();
        (!text.is_empty()).then_some(SnippetPartResponse { text, matched })
    };
    let mut parts = Vec::new();
    let mut done = 0;
    for (from, to) in &snippet.matches {
        parts.extend(part(done..*from, false));
        parts.extend(part(*from..*to, true));
        done = *to;
    }
    parts.extend(part(done..snippet.text.len(), false));
    parts
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
            tokens: session.usage.into(),
        }
    }
}

impl From<TokenUsage> for TokensResponse {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}

impl From<Session> for SessionStatusResponse {
    fn from(session: Session) -> Self {
        Self {
            session_id: session.session_id,
            status: session.status,
            current_step: session.current_step,
            error_message: session.error_message,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            cancel_requested_at_us: session.cancel_requested_at,
            stages_total: session.stages_total,
            stages_done: session.stages_done,
            stages_failed: session.stages_failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::SearchQuery;

    use super::*;

    #[test]
    fn splits_an_excerpt_at_its_matches() {
        let query = SearchQuery::parse("pod über").unwrap();
        let snippet = query.snippet("Pod x über Pod").unwrap();
        let parts = snippet_parts(&snippet);
        let marked: Vec<(&str, bool)> = parts.iter().map(|part| (part.text.as_str(), part.matched)).collect();
        assert_eq!(marked, [("Pod", true), (" x ", false), ("über", true), (" ", false), ("Pod", true)]);
    }
}
