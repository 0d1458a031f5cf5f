//! Response bodies of lists of sessions, with the matches of a search.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_domain::{SearchSource, SessionId, Snippet, TimelineEventId};
use tarsy_store::{ListedSession, NumberedPage, PageRange, SearchHit, SessionOutline, SessionPage};
use utoipa::ToSchema;

use super::session::SessionResponse;
use super::session_aliases::SessionAliases;

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
pub(crate) struct SessionPageParts {
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

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedSessionResponse {
    #[serde(flatten)]
    session: SessionResponse,
    /// Fields under the names of the Go version, in numbered pages.
    #[serde(flatten)]
    #[schema(value_type = SessionAliases)]
    aliases: Option<SessionAliases>,
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

impl SessionPageResponse {
    /// Converts a page. `outlines` are those of its sessions if the page is numbered.
    pub(crate) fn new(page: SessionPageParts, outlines: &BTreeMap<SessionId, SessionOutline>) -> Self {
        let listed = |listed: ListedSession| {
            let outline = outlines.get(&listed.session.session_id);
            let aliases = outline.map(|outline| SessionAliases::new(&listed.session, outline));
            let hit = listed.hit.map(Into::into);
            ListedSessionResponse { session: listed.session.into(), aliases, hit }
        };
        Self {
            sessions: page.sessions.into_iter().map(listed).collect(),
            next_cursor: page.next_cursor,
            pagination: page.pagination,
        }
    }
}

impl From<SessionPage> for SessionPageParts {
    fn from(page: SessionPage) -> Self {
        let next_cursor = page.next.map(|cursor| cursor.to_string());
        Self { sessions: page.sessions, next_cursor, pagination: None }
    }
}

impl SessionPageParts {
    /// Returns the ids of its sessions.
    pub(crate) fn session_ids(&self) -> Vec<SessionId> {
        self.sessions.iter().map(|listed| listed.session.session_id).collect()
    }

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
