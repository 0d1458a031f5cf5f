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
mod session_detail;
mod timeline;
mod trace;

pub(crate) use cassette::{ExecutionRecords, SessionRecords, cassette_of};
pub(crate) use chat::ChatResponse;
pub(crate) use history::{HistoryPageResponse, HistorySessionResponse};
pub(crate) use investigation::Investigation;
pub(crate) use processing::{ProcessingStatusResponse, progress_details, session_progress};
pub(crate) use session::{SessionPageResponse, SessionResponse, SessionStatusResponse};
pub(crate) use session_detail::SessionDetailResponse;
pub(crate) use timeline::TimelinePageResponse;
pub(crate) use trace::{LlmInteractionResponse, McpInteractionResponse, TraceResponse};
