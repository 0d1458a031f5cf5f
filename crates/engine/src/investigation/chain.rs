//! The next stage of a session, and how the session ends. Pure: both follow from the record, so a resumed
//! session takes the same path.

use tarsy_config::ResolvedChain;
use tarsy_config::file::OnStageFailure;
use tarsy_domain::{Condition, SessionStatus, WorkStatus};
use tarsy_store::{Execution, Stage};

use crate::investigation::facts::Facts;
use crate::investigation::final_text::{final_text, skipped_text, without_data};

/// The next action of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Run or resume this stage. The reason is set if the stage has a condition.
    Run { index: usize, reason: Option<String> },
    /// Skip this stage.
    Skip { index: usize, reason: String },
    /// Conclude: all stages have ended.
    Conclude,
}

/// The end of a session whose stages have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionConclusion {
    pub(crate) status: SessionStatus,
    pub(crate) final_analysis: Option<String>,
    pub(crate) error_message: Option<String>,
}

/// Decides the next action from the recorded stages.
pub(crate) fn next(chain: &ResolvedChain, stages: &[Stage], alert_data: &str) -> NextStep {
    let Some(index) = stages.iter().position(|stage| !stage.status.is_terminal()) else {
        return NextStep::Conclude;
    };
    let (stage, plan) = (&stages[index], chain.stages.get(index));
    if stage.status == WorkStatus::Active {
        return NextStep::Run { index, reason: None };
    }
    let failed = stages[..index].iter().find(|stage| has_failed(stage.status));
    if let (OnStageFailure::Stop, Some(failed)) = (chain.on_stage_failure, failed) {
        let reason = format!(
            "stage `{}` {}, and the chain stops at a failure",
            failed.name,
            past_tense(failed.status)
        );
        return NextStep::Skip { index, reason };
    }
    let Some(when) = plan.and_then(|plan| plan.when.as_deref()) else {
        return NextStep::Run { index, reason: None };
    };
    let earlier = stages[..index].iter();
    let earlier = earlier.map(|stage| (stage.name.as_str(), stage.status, stage.analysis.as_deref()));
    match Condition::parse(when) {
        Ok(condition) if Facts::new(alert_data, earlier.collect()).satisfy(&condition) => {
            NextStep::Run { index, reason: Some(format!("its condition holds: {when}")) }
        }
        Ok(_) => NextStep::Skip { index, reason: format!("its condition does not hold: {when}") },
        // The configuration was validated, so this chain was recorded by another version.
        Err(error) => {
            NextStep::Skip { index, reason: format!("its condition cannot be read: {when} ({error})") }
        }
    }
}

/// Decides how the session ends. `missing_data` is why no agent got data from a tool, if they should have.
pub(crate) fn conclude(
    stages: &[Stage],
    executions: &[Execution],
    missing_data: Option<&str>,
) -> SessionConclusion {
    let failed: Vec<&Stage> = stages.iter().filter(|stage| has_failed(stage.status)).collect();
    let any_completed = stages.iter().any(|stage| stage.status == WorkStatus::Completed);
    let status = match (failed.is_empty(), any_completed) {
        (true, _) => SessionStatus::Completed,
        (false, true) => SessionStatus::CompletedWithErrors,
        (false, false) => SessionStatus::Failed,
    };
    let reported = stages.iter().filter(|stage| has_failed(stage.status) || is_cut_short(stage));
    let mut errors: Vec<String> = reported.map(describe).collect();
    let text = final_text(stages, executions).or_else(|| skipped_text(stages));
    let (status, final_analysis) = match (status, missing_data) {
        (SessionStatus::Completed | SessionStatus::CompletedWithErrors, Some(reason)) => {
            errors.push(format!("no data was collected: {reason}"));
            (SessionStatus::CompletedWithErrors, text.map(|text| without_data(reason, &text)))
        }
        (status, _) => (status, text),
    };
    let error_message = (!errors.is_empty()).then(|| errors.join("; "));
    SessionConclusion { status, final_analysis, error_message }
}

fn describe(stage: &Stage) -> String {
    let reason = stage.error_message.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("stage `{}` {}{reason}", stage.name, past_tense(stage.status))
}

/// Returns whether the stage has a result that was limited by a budget.
fn is_cut_short(stage: &Stage) -> bool {
    stage.status == WorkStatus::Completed && stage.error_message.is_some()
}

fn has_failed(status: WorkStatus) -> bool {
    match status {
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => true,
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Completed | WorkStatus::Skipped => false,
    }
}

fn past_tense(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::TimedOut => "ran out of time",
        WorkStatus::Cancelled => "was cancelled",
        WorkStatus::Completed => "was cut short",
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Failed | WorkStatus::Skipped => "failed",
    }
}

#[cfg(test)]
mod tests;
