//! Sessions in API responses, with the fields that the terminal shows.

use serde::Deserialize;
use tarsy_domain::{ExecutionId, SessionId, SessionStatus, StageId, Timestamp, WorkStatus};

/// A page of the session list.
#[derive(Debug, Deserialize)]
pub(crate) struct SessionListPage {
    pub(crate) sessions: Vec<SessionRow>,
    pub(crate) next_cursor: Option<String>,
}

/// A session in the list.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) session_id: SessionId,
    pub(crate) alert_type: String,
    pub(crate) chain_id: String,
    pub(crate) author: Option<String>,
    pub(crate) status: SessionStatus,
    pub(crate) current_step: Option<String>,
    pub(crate) error_message: Option<String>,
    pub(crate) created_at_us: Timestamp,
    pub(crate) started_at_us: Option<Timestamp>,
    pub(crate) completed_at_us: Option<Timestamp>,
    pub(crate) stages_total: u32,
    pub(crate) stages_done: u32,
    pub(crate) llm_interactions: u64,
    pub(crate) mcp_interactions: u64,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
}

/// A session with its stages and executions.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SessionView {
    #[serde(flatten)]
    pub(crate) row: SessionRow,
    pub(crate) executive_summary: Option<String>,
    pub(crate) final_analysis: Option<String>,
    pub(crate) stages: Vec<StageView>,
    /// Executions outside of stages.
    pub(crate) executions: Vec<ExecutionView>,
}

/// A stage.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StageView {
    pub(crate) stage_id: StageId,
    pub(crate) name: String,
    pub(crate) status: WorkStatus,
    /// The names of the agents.
    pub(crate) agents: Vec<String>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) error_message: Option<String>,
    pub(crate) executions: Vec<ExecutionView>,
}

/// An execution.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ExecutionView {
    pub(crate) execution_id: ExecutionId,
    pub(crate) agent_name: String,
    pub(crate) status: WorkStatus,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) error_message: Option<String>,
    pub(crate) llm_interactions: u64,
    pub(crate) mcp_interactions: u64,
}

impl SessionView {
    /// Returns all executions.
    pub(crate) fn all_executions(&self) -> impl Iterator<Item = &ExecutionView> {
        self.stages.iter().flat_map(|stage| &stage.executions).chain(&self.executions)
    }
}
