//! The processing status of an alert, for its sender, and the progress of a session, for the live stream.

use serde::Serialize;
use tarsy_domain::{
    ProgressDetails, SessionId, SessionProgressData, SessionStatus, StageProgress, WorkStatus,
};
use tarsy_store::{Execution, Session};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, execution_ms};

/// The processing status of an alert.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ProcessingStatusResponse {
    /// The alert.
    alert_id: String,
    /// The session that investigates the alert.
    session_id: SessionId,
    /// Current status of the session.
    status: SessionStatus,
    /// Progress in percent; 100 once the session has ended.
    #[schema(maximum = 100)]
    progress: u64,
    /// What the session is doing or how it ended, as a sentence for people.
    message: String,
    /// The chain that runs.
    chain_id: String,
    /// The name of the running stage.
    current_stage: Option<String>,
    /// The names of the running agents, separated by commas.
    current_agent: Option<String>,
    /// Number of stages of the chain.
    total_stages: u64,
    /// Number of stages with the status `completed`.
    completed_stages: u64,
    /// Number of stages that have ended, with any status.
    ended_stages: u64,
    /// Every agent of every stage, in order.
    stage_progress: Vec<StageProgress>,
    /// The final analysis.
    result: Option<String>,
    /// Why the session failed.
    error: Option<String>,
}

impl From<Investigation> for ProcessingStatusResponse {
    fn from(investigation: Investigation) -> Self {
        let details = progress_details(&investigation);
        let completed_stages = investigation.completed_stages();
        let session = investigation.session;
        Self {
            alert_id: session.alert_id,
            session_id: session.session_id,
            status: session.status,
            progress: details.progress,
            message: details.message,
            chain_id: session.chain_id,
            current_stage: details.current_stage,
            current_agent: details.current_agent,
            total_stages: session.stages_total,
            completed_stages,
            ended_stages: session.stages_done,
            stage_progress: details.stage_progress,
            result: details.result,
            error: details.error,
        }
    }
}

/// Returns the progress that a session's row contains. It counts skipped stages as completed, because the row
/// does not distinguish them.
pub(crate) fn row_progress(session: &Session) -> SessionProgressData {
    SessionProgressData {
        session_id: session.session_id,
        alert_id: session.alert_id.clone(),
        status: session.status,
        current_step: session.current_step.clone(),
        chain_id: session.chain_id.clone(),
        total_stages: session.stages_total,
        completed_stages: session.stages_done.saturating_sub(session.stages_failed),
        ended_stages: session.stages_done,
        details: None,
    }
}

/// Returns the progress of an investigation.
pub(crate) fn session_progress(investigation: &Investigation) -> SessionProgressData {
    SessionProgressData {
        completed_stages: investigation.completed_stages(),
        details: Some(progress_details(investigation)),
        ..row_progress(&investigation.session)
    }
}

/// Computes the progress of an investigation from its stages and executions.
fn progress_details(investigation: &Investigation) -> ProgressDetails {
    let Investigation { session, stages, .. } = investigation;
    let active = stages.iter().find(|stage| stage.stage.status == WorkStatus::Active);
    ProgressDetails {
        progress: percent(session),
        message: message(session),
        current_stage: active.map(|stage| stage.stage.name.clone()),
        current_agent: current_agent(investigation, active),
        stage_progress: stages.iter().flat_map(stage_progress).collect(),
        result: session.final_analysis.clone(),
        error: session.error_message.clone(),
    }
}

/// Returns the names of the running agents: of a stage, or outside of stages the executive summary. The agents of
/// a stage that is about to start them are running too.
fn current_agent(investigation: &Investigation, active: Option<&InvestigationStage>) -> Option<String> {
    let executions = active.map_or(investigation.others.as_slice(), |stage| stage.executions.as_slice());
    let running = executions.iter().filter(|execution| execution.status == WorkStatus::Active);
    let names: Vec<&str> = running.map(|execution| execution.identity.agent_name.as_str()).collect();
    match active {
        Some(stage) if names.is_empty() && stage.executions.is_empty() => Some(stage.agents.join(", ")),
        Some(_) | None => (!names.is_empty()).then(|| names.join(", ")),
    }
}

/// Returns the progress in percent. The executive summary follows the last stage, so 100 means that the
/// session has ended.
fn percent(session: &Session) -> u64 {
    if session.status.is_terminal() {
        return 100;
    }
    (session.stages_done * 100).checked_div(session.stages_total).unwrap_or_default().min(99)
}

fn message(session: &Session) -> String {
    let message = match session.status {
        SessionStatus::Pending => "Waiting for a worker.",
        SessionStatus::InProgress => session.current_step.as_deref().unwrap_or("Running."),
        SessionStatus::Cancelling => "Cancelling.",
        SessionStatus::Completed => "The analysis is complete.",
        SessionStatus::CompletedWithErrors => "The analysis is complete, but part of the work failed.",
        SessionStatus::Failed => "The session failed without an analysis.",
        SessionStatus::TimedOut => "The session exceeded its time limit.",
        SessionStatus::Cancelled => "The session was cancelled.",
    };
    message.to_owned()
}

/// Returns the progress of each agent of a stage. An agent that has not started has the status of its stage.
fn stage_progress(stage: &InvestigationStage) -> impl Iterator<Item = StageProgress> {
    stage.agents.iter().map(|agent| {
        let started = stage.agent_executions().find(|execution| execution.identity.agent_name == *agent);
        match started {
            Some(execution) => execution_progress(stage, execution),
            None => StageProgress {
                stage: stage.stage.name.clone(),
                agent: agent.clone(),
                status: stage.stage.status,
                duration_ms: None,
                error: stage.stage.error_message.clone(),
            },
        }
    })
}

fn execution_progress(stage: &InvestigationStage, execution: &Execution) -> StageProgress {
    StageProgress {
        stage: stage.stage.name.clone(),
        agent: execution.identity.agent_name.clone(),
        status: execution.status,
        duration_ms: execution_ms(execution),
        error: execution.error_message.clone(),
    }
}

#[cfg(test)]
mod tests;
