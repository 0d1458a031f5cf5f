//! Response bodies of the history: sessions in the format of earlier TARSy versions.

mod call_durations;
mod chain;
mod event;
mod routing;
mod stage;

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_domain::{SessionId, SessionStatus, Timestamp};
use tarsy_store::{Session, SessionOutline, StoreError, TimelineEvent, TracedCall};
use utoipa::ToSchema;

use self::call_durations::CallDurations;
use self::chain::HistoryChainResponse;
use self::event::{HistoryEventResponse, history_event};
use self::stage::{StageExecutionResponse, stage_executions};
use super::investigation::{Investigation, duration_ms};
use super::session_page::{PaginationResponse, SessionPageParts};

/// One page of the history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryPageResponse {
    /// The sessions.
    sessions: Vec<HistoryEntryResponse>,
    /// Value of `cursor` for the next page; null on the last page and for numbered pages.
    next_cursor: Option<String>,
    /// Position of a numbered page and totals; null for pages with a cursor.
    pagination: Option<PaginationResponse>,
}

/// A session in the history.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HistoryEntryResponse {
    /// Id of the session.
    session_id: SessionId,
    /// Id of the alert.
    alert_id: String,
    /// Type of the alert.
    alert_type: String,
    /// The chain that investigates the alert.
    chain_id: String,
    /// The chain with the status of its stages.
    chain: HistoryChainResponse,
    /// Author of the alert.
    author: Option<String>,
    /// Status of the session.
    status: SessionStatus,
    /// When the alert was submitted.
    created_at_us: Timestamp,
    /// When a worker first claimed the session.
    started_at_us: Option<Timestamp>,
    /// When the session ended.
    completed_at_us: Option<Timestamp>,
    /// Duration of the session; null until it ends.
    duration_ms: Option<u64>,
    /// Number of model calls.
    llm_interaction_count: u64,
    /// Number of tool calls.
    mcp_communication_count: u64,
    /// Number of stages of the chain.
    total_stages: u64,
    /// Number of stages with the status `completed`.
    completed_stages: u64,
    /// Number of stages that have ended, with any status.
    ended_stages: u64,
    /// Number of stages that failed.
    failed_stages: u64,
    /// Why the session failed.
    error_message: Option<String>,
}

/// A session with its chain, stages and timeline.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistorySessionResponse {
    #[serde(flatten)]
    session: HistoryEntryResponse,
    /// Content of the alert, masked.
    alert_data: String,
    /// The analysis.
    final_analysis: Option<String>,
    /// A short summary of the analysis.
    executive_summary: Option<String>,
    /// The stages, in order.
    stage_executions: Vec<StageExecutionResponse>,
    /// The complete timeline, in order.
    chronological_timeline: Vec<HistoryEventResponse>,
}

impl HistoryPageResponse {
    /// Converts a page, with the outlines of its sessions.
    pub(crate) fn new(page: SessionPageParts, mut outlines: BTreeMap<SessionId, SessionOutline>) -> Self {
        let sessions = page.sessions.into_iter().map(|listed| {
            let outline = outlines.remove(&listed.session.session_id).unwrap_or_default();
            let chain = HistoryChainResponse::of_outline(&listed.session, &outline);
            HistoryEntryResponse::new(listed.session, chain)
        });
        Self { sessions: sessions.collect(), next_cursor: page.next_cursor, pagination: page.pagination }
    }
}

impl HistoryEntryResponse {
    fn new(session: Session, chain: HistoryChainResponse) -> Self {
        Self {
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_type: session.alert_type,
            chain_id: session.chain_id,
            author: session.author,
            status: session.status,
            created_at_us: session.created_at,
            started_at_us: session.started_at,
            completed_at_us: session.completed_at,
            duration_ms: duration_ms(session.started_at, session.completed_at),
            llm_interaction_count: session.llm_interactions,
            mcp_communication_count: session.mcp_interactions,
            total_stages: session.stages_total,
            completed_stages: chain.completed_stages(),
            ended_stages: session.stages_done,
            failed_stages: session.stages_failed,
            error_message: session.error_message,
            chain,
        }
    }
}

impl HistorySessionResponse {
    /// Converts an investigation with its timeline and its recorded calls, sorted by start time.
    pub(crate) fn new(
        investigation: Investigation,
        timeline: Vec<TimelineEvent>,
        calls: Vec<TracedCall>,
    ) -> Result<Self, StoreError> {
        let durations = CallDurations::new(calls);
        let events = timeline.into_iter().map(|event| history_event(&investigation, &durations, event));
        let chronological_timeline = events.collect::<Result<Vec<_>, StoreError>>()?;
        let Investigation { session, input, stages, .. } = investigation;
        let chain = HistoryChainResponse::new(&session.chain_id, &stages);
        Ok(Self {
            final_analysis: session.final_analysis.clone(),
            executive_summary: session.executive_summary.clone(),
            alert_data: input.alert_data,
            stage_executions: stage_executions(&stages),
            session: HistoryEntryResponse::new(session, chain),
            chronological_timeline,
        })
    }
}

#[cfg(test)]
mod tests;
