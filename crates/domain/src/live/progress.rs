//! The progress of a session, as `session.progress` sends it.

use serde::{Deserialize, Serialize};

use crate::{SessionId, SessionStatus, WorkStatus};

/// The progress of a session.
///
/// The fields of [`ProgressDetails`] are missing if the session's stages or executions cannot be read; the
/// other fields come from the session's own row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionProgressData {
    /// The session.
    pub session_id: SessionId,
    /// The alert that the session investigates.
    pub alert_id: String,
    /// Current status.
    pub status: SessionStatus,
    /// What the session was doing at the time of the event, as text for people.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub current_step: Option<String>,
    /// The chain that runs.
    pub chain_id: String,
    /// Number of stages of the chain.
    pub total_stages: u64,
    /// Number of stages with the status `completed`.
    pub completed_stages: u64,
    /// Number of stages that have ended, with any status.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub ended_stages: u64,
    /// The part that is computed from stages and executions; None if they cannot be read.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = ProgressDetails))]
    pub details: Option<ProgressDetails>,
}

/// The part of a session's progress that is computed from its stages and executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProgressDetails {
    /// Progress in percent; 100 once the session has ended.
    #[cfg_attr(feature = "openapi", schema(required = false, maximum = 100))]
    pub progress: u64,
    /// What the session is doing or how it ended, as a sentence for people.
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub message: String,
    /// The name of the running stage.
    pub current_stage: Option<String>,
    /// The names of the running agents, separated by commas.
    #[serde(default)]
    pub current_agent: Option<String>,
    /// Every agent of every stage, in order.
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub stage_progress: Vec<StageProgress>,
    /// The final analysis.
    pub result: Option<String>,
    /// Why the session failed.
    pub error: Option<String>,
}

/// The progress of one agent of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StageProgress {
    /// The name of the stage.
    pub stage: String,
    /// The name of the agent.
    pub agent: String,
    /// The agent's status; the stage's status if the agent has not started.
    pub status: WorkStatus,
    /// Duration of the execution; null until it ends.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub duration_ms: Option<u64>,
    /// Why the agent failed.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error: Option<String>,
}
