//! How far the investigation of an alert is, for whoever sent it.

use serde::Serialize;
use tarsy_domain::{SessionId, SessionStatus, WorkStatus};
use tarsy_store::{Execution, Session};
use utoipa::ToSchema;

use super::investigation::{Investigation, InvestigationStage, execution_ms};

/// How far the investigation of an alert is.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ProcessingStatusResponse {
    alert_id: String,
    session_id: SessionId,
    status: SessionStatus,
    /// How much is done, in percent; 100 once it has ended.
    #[schema(maximum = 100)]
    progress: u64,
    /// What is going on, for people.
    message: String,
    chain_id: String,
    /// The stage that is at work.
    current_stage: Option<String>,
    total_stages: u64,
    completed_stages: u64,
    /// Every agent of every stage, in order.
    stage_progress: Vec<StageProgressResponse>,
    /// The analysis.
    result: Option<String>,
    error: Option<String>,
}

/// How far an agent of a stage is.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct StageProgressResponse {
    stage: String,
    agent: String,
    status: WorkStatus,
    duration_ms: Option<u64>,
    error: Option<String>,
}

impl From<Investigation> for ProcessingStatusResponse {
    fn from(investigation: Investigation) -> Self {
        let Investigation { session, stages, .. } = investigation;
        let active = stages.iter().find(|stage| stage.stage.status == WorkStatus::Active);
        Self {
            progress: progress(&session),
            message: message(&session),
            current_stage: active.map(|stage| stage.stage.name.clone()),
            stage_progress: stages.iter().flat_map(stage_progress).collect(),
            alert_id: session.alert_id,
            session_id: session.session_id,
            status: session.status,
            chain_id: session.chain_id,
            total_stages: session.stages_total,
            completed_stages: session.stages_done,
            result: session.final_analysis,
            error: session.error_message,
        }
    }
}

/// After the last stage comes the summary, so 100 is only reached at the end.
fn progress(session: &Session) -> u64 {
    if session.status.is_terminal() {
        return 100;
    }
    (session.stages_done * 100).checked_div(session.stages_total).unwrap_or_default().min(99)
}

fn message(session: &Session) -> String {
    let said = match session.status {
        SessionStatus::Pending => "Waiting for a worker.",
        SessionStatus::InProgress => session.current_step.as_deref().unwrap_or("Under way."),
        SessionStatus::Cancelling => "Being stopped.",
        SessionStatus::Completed => "The analysis is complete.",
        SessionStatus::CompletedWithErrors => "There is an analysis, though a part of the work failed.",
        SessionStatus::Failed => "There is no analysis.",
        SessionStatus::TimedOut => "It took too long and was stopped.",
        SessionStatus::Cancelled => "It was stopped on request.",
    };
    said.to_owned()
}

/// Agents that have not begun stand where their stage stands.
fn stage_progress(stage: &InvestigationStage) -> impl Iterator<Item = StageProgressResponse> {
    stage.agents.iter().map(|agent| {
        let begun = stage.agent_executions().find(|execution| execution.identity.agent_name == *agent);
        match begun {
            Some(execution) => begun_progress(stage, execution),
            None => StageProgressResponse {
                stage: stage.stage.name.clone(),
                agent: agent.clone(),
                status: stage.stage.status,
                duration_ms: None,
                error: stage.stage.error_message.clone(),
            },
        }
    })
}

fn begun_progress(stage: &InvestigationStage, execution: &Execution) -> StageProgressResponse {
    StageProgressResponse {
        stage: stage.stage.name.clone(),
        agent: execution.identity.agent_name.clone(),
        status: execution.status,
        duration_ms: execution_ms(execution),
        error: execution.error_message.clone(),
    }
}

#[cfg(test)]
mod tests;
