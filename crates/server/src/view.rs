//! Pure conversions from stored values to response bodies.

mod cassette;
mod chat;
mod conversation;
#[cfg(test)]
mod fixture;
mod history;
mod investigation;
mod processing;
mod session;
mod session_aliases;
mod session_detail;
mod session_page;
mod timeline;
mod trace;

pub(crate) use cassette::{ExecutionRecords, SessionRecords, cassette_of};
pub(crate) use chat::ChatResponse;
pub(crate) use history::{HistoryPageResponse, HistorySessionResponse};
pub(crate) use investigation::{Investigation, duration_ms};
pub(crate) use processing::{ProcessingStatusResponse, row_progress, session_progress};
pub(crate) use session::{QueuedSessionResponse, SessionResponse, SessionStatusResponse};
pub(crate) use session_detail::SessionDetailResponse;
pub(crate) use session_page::{SessionPageParts, SessionPageResponse};
pub(crate) use timeline::TimelinePageResponse;
pub(crate) use trace::{LlmInteractionResponse, McpInteractionResponse, TraceResponse};
